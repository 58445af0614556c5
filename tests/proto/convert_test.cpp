#include "proto/convert.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <typeinfo>

#include "tests/support/generators.h"

using namespace ipfit;

namespace {

template <class T>
bool survives(const T& message) {
  const auto frame = encode(message);
  const auto read = decode(frame);
  return frame.size() <= kMaxFrameBytes && read.ok() && *read == Message(message);
}

/// Tries random contents of every alternative of Message.
template <class... T>
bool all_survive(const std::variant<T...>*) {
  return (rc::check(typeid(T).name(),
                    [] {
                      T message;
                      test::fill(message);
                      RC_ASSERT(survives(message));
                    }) &&
          ...);
}

template <class T>
void poke(std::vector<std::byte>& frame, std::size_t at, T value) {
  std::memcpy(frame.data() + at, &value, sizeof(value));
}

// Of the envelope: segment table 8 bytes, root pointer 8 bytes, then magic, protocol, tag.
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kProtocolAt = 20;
constexpr std::size_t kTagAt = 24;

const TaskId kTask{7, Phase::kErrors, 3};

}  // namespace

TEST_CASE("every message comes out as it went in") {
  CHECK(all_survive(static_cast<Message*>(nullptr)));
}
