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

/// The text of an error, "" where there is none.
std::string refusal(std::span<const std::byte> frame) {
  const auto read = decode(frame);
  return read ? "" : read.error().text();
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

TEST_CASE("nothing that is not whole is taken for a message") {
  const auto frame = encode(Hello{});
  for (std::size_t bytes = 0; bytes < frame.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK_FALSE(decode(std::span(frame).first(bytes)).ok());
  }
  auto longer = frame;
  longer.resize(frame.size() + 8);
  CHECK_FALSE(decode(longer).ok());
  CHECK_FALSE(decode(std::vector<std::byte>(1024)).ok());
  CHECK_FALSE(decode(std::vector<std::byte>(kMaxFrameBytes + 8)).ok());
  // an empty message and one of 2^32 segments, which a flat reader takes for empty ones
  for (const std::uint32_t segments : {0U, 1U, 0xffffffffU}) {
    std::vector<std::byte> table(16);
    poke(table, 0, segments);
    CHECK_FALSE(decode(table).ok());
  }
}

TEST_CASE("a damaged message is refused or read, never more", "[property]") {
  CHECK(rc::check("flipped bytes", [] {
    StatusReply reply;
    test::fill(reply);
    auto frame = encode(reply);
    for (int flips = *rc::gen::inRange(1, 4); flips > 0; --flips) {
      frame[*rc::gen::inRange<std::size_t>(0, frame.size())] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
    }
    const auto read = decode(frame);
    // What is read must be something that we could have sent.
    const bool sound = !read.ok() || decode(encode(*read)).ok();
    RC_ASSERT(sound);
  }));
}

TEST_CASE("a message is read at any alignment") {
  const auto frame = encode(TaskFailed{kTask, 3, "atoms 1 and 2 are on top of each other"});
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::byte> shifted(shift);
    shifted.insert(shifted.end(), frame.begin(), frame.end());
    const auto read = decode(std::span(shifted).subspan(shift));
    REQUIRE(read.ok());
    CHECK(std::get<TaskFailed>(*read).structure == 3);
  }
}

TEST_CASE("the magic number, the version and the kind are checked") {
  auto frame = encode(Alive{});
  poke(frame, kTagAt, std::uint16_t{0});
  CHECK(refusal(frame) == "not a message of ipfit: unknown kind of message 0");
  poke(frame, kTagAt, std::uint16_t{29});
  CHECK(refusal(frame) == "not a message of ipfit: unknown kind of message 29");
  frame = encode(Alive{});
  poke(frame, kMagicAt, std::uint32_t{0x12345678});
  CHECK(refusal(frame) == "not a message of ipfit: it does not begin with the magic number and a version");
  frame = encode(Alive{});
  poke(frame, kProtocolAt, std::uint32_t{0});
  CHECK(refusal(frame) == "not a message of ipfit: it does not begin with the magic number and a version");
}

TEST_CASE("peers of another protocol version can still refuse each other in words") {
  Hello hello;
  hello.build = "0123456789ab";
  hello.host = "lab7";
  hello.protocol = kProtocolVersion + 1;
  const auto read = decode(encode(hello));
  REQUIRE(read.ok());
  CHECK(*read == Message(hello));

  auto reject = encode(Reject{"versions differ", "update"});
  poke(reject, kProtocolAt, kProtocolVersion + 1);
  CHECK(decode(reject).ok());

  auto other = encode(Alive{});
  poke(other, kProtocolAt, kProtocolVersion + 1);
  const auto refused = decode(other);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::kRefused);
  CHECK(refused.error().text() ==
        "a message of protocol version 2 came to a program of version 1; install the same version of ipfit on both "
        "machines");
}

TEST_CASE("a Hello of another version that cannot be read is refused for its version") {
  Hello hello;
  hello.protocol = 9;
  hello.holding = {kTask};
  auto frame = encode(hello);
  poke(frame, frame.size() - 8, std::uint16_t{77});  // the phase of the task
  CHECK(decode(frame).error().kind == ErrorKind::kRefused);
}

TEST_CASE("numbers that make no sense are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const std::string no = "not a message of ipfit: ";
  CHECK(refusal(encode(Commit{kTask, 8, 0, nan})) == no + "commit.seconds is not a finite number");
  CHECK(refusal(encode(Commit{kTask, 8, 0, -1.0})) == no + "commit.seconds is negative");
  CHECK(refusal(encode(Commit{kTask, 9, 0, 1.0})) == no + "commit.bytes is 9, must be a multiple of 8");
  CHECK(refusal(encode(BlockChunk{kTask, 8, 8, 0})) == no + "blockChunk.offset is 8, must be a multiple of 1 MiB");
  const std::string bytes = ", must be a multiple of 8 between 8 and 1 MiB";
  CHECK(refusal(encode(BlockChunk{kTask, 0, 0, 0})) == no + "blockChunk.bytes is 0" + bytes);
  CHECK(refusal(encode(BlockChunk{kTask, 0, 12, 0})) == no + "blockChunk.bytes is 12" + bytes);
  CHECK(refusal(encode(BlockChunk{kTask, 0, kChunkBytes + 8, 0})) == no + "blockChunk.bytes is 1048584" + bytes);
  CHECK(refusal(encode(TaskMessage{})) == no + "task.structures is empty");
  CHECK(refusal(encode(Failure{})) == no + "failure.errors is empty");
  StatusReply reply;
  reply.fit.cost_done = infinite;
  CHECK(refusal(encode(reply)) == no + "fit.costDone is not a finite number");
  reply = {};
  reply.workers.resize(1);
  reply.workers[0].silent_seconds = nan;
  CHECK(refusal(encode(reply)) == no + "worker.silentSeconds is not a finite number");
  const TaskId nowhere{1, static_cast<Phase>(3), 3};
  CHECK(refusal(encode(Ack{nowhere})) == no + "task.phase has the unknown value 4");
  FitStatus fit;
  fit.state = static_cast<FitState>(7);
  CHECK(refusal(encode(FitList{{fit}})) == no + "fit.state has the unknown value 8");
  CHECK(refusal(encode(Failure{{Error{static_cast<ErrorKind>(8), "", "", ""}}})) ==
        no + "error.kind has the unknown value 8");
}

TEST_CASE("a broken self-test gets through, to be refused by the manager in words") {
  Hello hello;
  hello.self_test = {1.0, std::numeric_limits<double>::quiet_NaN()};
  const auto read = decode(encode(hello));
  REQUIRE(read.ok());
  CHECK(std::isnan(std::get<Hello>(*read).self_test.at(1)));
}

TEST_CASE("reports that are too long are cut between two characters") {
  std::string reason(4095, 'x');
  reason += "\u00e4\u00e4";  // two bytes each; the limit falls inside the first
  const auto failed = decode(encode(TaskFailed{kTask, 0, reason}));
  REQUIRE(failed.ok());
  CHECK(std::get<TaskFailed>(*failed).reason == std::string(4095, 'x'));
  const auto rejected = decode(encode(Reject{std::string(5000, 'a'), std::string(4096, 'b')}));
  REQUIRE(rejected.ok());
  CHECK(std::get<Reject>(*rejected) == Reject{std::string(4096, 'a'), std::string(4096, 'b')});
}

TEST_CASE("the longest messages still fit one frame") {
  const std::string long_text(4097, 'z');
  const Error error{ErrorKind::kFailed, long_text, long_text, long_text};
  FitStatus fit;
  fit.id = std::string(256, 'i');
  fit.name = long_text;
  fit.quarantined.assign(1001, long_text);
  fit.errors.assign(101, error);
  FitStatus listed = fit;
  listed.quarantined.resize(1);
  listed.errors.resize(2);
  WorkerStatus worker;
  worker.host = long_text;
  const std::vector<Message> longest = {
      Failure{std::vector<Error>(101, error)},
      FitList{std::vector<FitStatus>(501, listed)},
      StatusReply{fit, std::vector<WorkerStatus>(2001, worker)},
      Files{std::vector<FileEntry>(4097, FileEntry{std::string(256, 'f'), 1})},
      TaskMessage{kTask, "", 0, std::vector<TaskStructure>(65536), 0, true, Place{std::string(4096, 'p'), {}, 0}},
      Submit{"", long_text, std::string(std::size_t{1} << 20, 't'), 1, ""},
      HandBack{std::vector<TaskId>(4096, kTask)},
      Forget{std::vector<TaskId>(4096, kTask)},
  };
  for (const Message& message : longest) {
    CAPTURE(message.index());
    const auto frame = encode(message);
    CHECK(frame.size() <= kMaxFrameBytes);
    CHECK(decode(frame).ok());
  }
  const auto list = std::get<FitList>(*decode(encode(longest[1])));
  CHECK(list.fits.size() == 500);
  CHECK(list.fits[0].quarantined.empty());
  CHECK(list.fits[0].errors.size() == 1);
}

TEST_CASE("contents that may not be cut and are too long are the sender's bug") {
  CHECK_THROWS_AS(encode(HandBack{std::vector<TaskId>(4097)}), std::length_error);
  CHECK_THROWS_AS(encode(TaskMessage{kTask, "", 0, std::vector<TaskStructure>(65537), 0}), std::length_error);
  CHECK_THROWS_AS(encode(Submit{"", "", std::string((1U << 20) + 1, 't'), 0, ""}), std::length_error);
  CHECK_THROWS_AS(encode(StatusRequest{std::string(257, 'i')}), std::length_error);
  CHECK_THROWS_AS(encode(TaskMessage{kTask, "", 0, {{}}, 0, false, Place{std::string(4097, 'p'), {}, 0}}),
                  std::length_error);
}

TEST_CASE("one text that many pointers share is not read many times") {
  // A genuine list of 100 errors, whose texts follow it. All `what` pointers but the first are bent to the first text:
  // the message keeps its length, but now costs more to read than it has bytes if only the texts are long enough.
  Failure failure{std::vector<Error>(100, Error{ErrorKind::kFailed, "", "w", ""})};
  failure.errors[0].what = std::string(1000, 'w');
  auto frame = encode(failure);
  REQUIRE(decode(frame).ok());
  // A list pointer holds bits 2-31: offset in words from its end; bits 35-63: length. The first `what` is the first one
  // to a text of 1001 bytes, and the pointers of the other errors follow at 4 words each.
  const std::uint64_t length_bits = (std::uint64_t{1001} << 35U) | (std::uint64_t{2} << 32U);
  std::size_t first = 0;
  std::uint64_t pointer = 0;
  for (std::size_t at = 8; at < frame.size() && first == 0; at += 8) {
    std::memcpy(&pointer, frame.data() + at, sizeof(pointer));
    first = (pointer & ~std::uint64_t{0xffffffff}) == length_bits ? at : 0;
  }
  REQUIRE(first != 0);
  for (std::size_t i = 1; i < 100; ++i) {
    poke(frame, first + i * 32, pointer - ((i * 4) << 2U));
  }
  CHECK(refusal(frame).find("traversal") != std::string::npos);
}
