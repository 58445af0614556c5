#pragma once

#include <poll.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "proto/transport.h"

namespace ipfit::test {

/// Far longer than anything takes on one machine, busy with other work as it may be; reached only by what never comes.
inline constexpr std::chrono::seconds kPatience{120};

inline bool readable(const Transport& transport, std::chrono::milliseconds at_most = std::chrono::milliseconds(0)) {
  pollfd entry{transport.descriptor(), POLLIN, 0};
  return ::poll(&entry, 1, static_cast<int>(at_most.count())) == 1;
}

/// Calls `done` until it says so, waiting for the transport in between; false after kPatience.
template <class Done>
bool wait_until(const Transport& transport, Done done) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    readable(transport, std::chrono::milliseconds(5));
  }
  return true;
}

/// The next thing that arrives; fails the test where nothing does.
inline std::variant<Incoming, BadFrame> next(Transport& transport) {
  std::optional<std::variant<Incoming, BadFrame>> got;
  const bool arrived = wait_until(transport, [&] {
    got = transport.receive();
    return got.has_value();
  });
  REQUIRE(arrived);
  return *std::move(got);
}

inline Incoming next_message(Transport& transport) {
  auto got = next(transport);
  REQUIRE(std::holds_alternative<Incoming>(got));
  return std::get<Incoming>(std::move(got));
}

/// Sends, waiting for a peer that is slow or not yet connected; the outcome is kSent or kGone.
inline SendOutcome send_patiently(Transport& transport, const Peer& peer, const Message& message,
                                  const Payload& payload = {}) {
  SendOutcome outcome = SendOutcome::kWouldBlock;
  const bool settled = wait_until(transport, [&] {
    outcome = transport.send(peer, message, payload);
    return outcome != SendOutcome::kWouldBlock;
  });
  REQUIRE(settled);
  return outcome;
}

}  // namespace ipfit::test
