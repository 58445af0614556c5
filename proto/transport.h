#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/result.h"
#include "proto/message.h"

namespace ipfit {

/// Bytes that arrived or shall be sent, owned without a copy: a received ZeroMQ message, a vector, a mapped file.
class Payload {
 public:
  Payload() = default;
  explicit Payload(std::vector<std::byte> bytes);
  explicit Payload(std::string_view text);  ///< copies
  /// `keep_alive` is released once the bytes are no longer needed (from any thread).
  Payload(std::span<const std::byte> bytes, std::shared_ptr<const void> keep_alive)
      : bytes_(bytes), keep_alive_(std::move(keep_alive)) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  const std::shared_ptr<const void>& owner() const { return keep_alive_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> keep_alive_;
};

/// A peer of the manager's socket: the routing id that ZeroMQ chose. Empty on a worker's or client's socket.
using Peer = std::string;

struct Incoming {
  Peer peer;
  Message message;
  Payload payload;
};

/// A message that was no message: what was wrong with it, for the log and for the count of the peer.
struct BadFrame {
  Peer peer;
  Error error;
};

enum class SendOutcome {
  kSent,
  kWouldBlock,  ///< the peer is slow: nothing was sent, try again later
  kGone,        ///< no such peer
};

/// Messages to and from peers, in order per peer, at most once. The payload of what arrives is 8-aligned. One object
/// belongs to one thread.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Never blocks. Arrives whole or not at all. kSent is no promise: what the peer needs must be acknowledged by it.
  /// A payload that payload_range() (proto/frame.h) does not allow throws std::length_error, as does encode().
  virtual SendOutcome send(const Peer& peer, const Message& message, Payload payload = {}) = 0;
  /// The next message that is already here. Empty: nothing is here. BadFrame: something arrived that cannot be used.
  virtual std::optional<std::variant<Incoming, BadFrame>> receive() = 0;
  /// Readable as long as something may be here to receive (level-triggered), and for a moment when a peer that would
  /// have blocked may take more. So a loop is: wait for it, receive() until empty, repeat the sends that would have
  /// blocked. Owned by the transport; only for poll() and epoll.
  virtual int descriptor() const = 0;
};

}  // namespace ipfit
