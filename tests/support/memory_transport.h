#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "proto/convert.h"
#include "proto/frame.h"
#include "proto/transport.h"

namespace ipfit::test {

/// A manager and its peers in one process, without sockets: for tests of the loops. Messages are encoded and decoded as
/// on the wire. The transports may live in different threads. A peer leaves when its transport is destroyed.
class MemoryNetwork {
  struct Sent {
    Peer from;
    std::vector<std::byte> header;
    Payload payload;
  };

  /// What waits for one endpoint; its descriptor is readable while there is something.
  struct Mailbox {
    std::deque<Sent> waiting;
    int event = eventfd(0, EFD_CLOEXEC);
    Mailbox() = default;
    ~Mailbox() { ::close(event); }
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    void push(Sent sent) {
      waiting.push_back(std::move(sent));
      eventfd_write(event, 1);
    }
    std::optional<Sent> pop() {
      if (waiting.empty()) {
        return std::nullopt;
      }
      Sent sent = std::move(waiting.front());
      waiting.pop_front();
      if (waiting.empty()) {
        eventfd_t count = 0;
        eventfd_read(event, &count);
      }
      return sent;
    }
  };

  struct State {
    std::mutex mutex;
    std::size_t queue_limit;
    std::map<Peer, std::unique_ptr<Mailbox>> boxes;  ///< the manager's is named ""
    std::atomic<int> joined = 0;
  };

  /// Sends from `self` and receives what was sent to it.
  class Endpoint final : public Transport {
   public:
    Endpoint(std::shared_ptr<State> state, Peer self) : state_(std::move(state)), self_(std::move(self)) {
      const std::lock_guard lock(state_->mutex);
      box_ = (state_->boxes[self_] = std::make_unique<Mailbox>()).get();
    }
    ~Endpoint() override {
      const std::lock_guard lock(state_->mutex);
      state_->boxes.erase(self_);
    }
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    SendOutcome send(const Peer& peer, const Message& message, Payload payload) override {
      if (!payload_range(message).contains(payload.size())) {
        throw std::length_error("payload not allowed");
      }
      const std::lock_guard lock(state_->mutex);
      const auto box = state_->boxes.find(self_.empty() ? peer : Peer());
      if (box == state_->boxes.end() || (self_.empty() && peer.empty())) {
        return self_.empty() ? SendOutcome::kGone : SendOutcome::kWouldBlock;
      }
      if (box->second->waiting.size() >= state_->queue_limit) {
        return SendOutcome::kWouldBlock;
      }
      box->second->push({self_, encode(message), std::move(payload)});
      return SendOutcome::kSent;
    }

    std::optional<std::variant<Incoming, BadFrame>> receive() override {
      const std::lock_guard lock(state_->mutex);
      auto sent = box_->pop();
      if (!sent) {
        return std::nullopt;
      }
      auto message = open_message(sent->header, sent->payload.size());
      if (!message) {
        return BadFrame{sent->from, message.error()};
      }
      return Incoming{sent->from, *std::move(message), std::move(sent->payload)};
    }

    int descriptor() const override { return box_->event; }

   private:
    std::shared_ptr<State> state_;
    Peer self_;
    Mailbox* box_;
  };

 public:
  /// A receiver with `queue_limit` messages waiting is slow: sends to it would block.
  explicit MemoryNetwork(std::size_t queue_limit = 64) { state_->queue_limit = queue_limit; }

  /// The manager's side; one at a time.
  std::unique_ptr<Transport> manager() { return std::make_unique<Endpoint>(state_, Peer()); }

  /// A new worker or client.
  std::unique_ptr<Transport> join() {
    return std::make_unique<Endpoint>(state_, "peer " + std::to_string(++state_->joined));
  }

  /// Bytes that a hostile peer sends to the manager as a header frame.
  void inject(const Peer& from, std::vector<std::byte> header, Payload payload = {}) {
    const std::lock_guard lock(state_->mutex);
    state_->boxes.at(Peer())->push({from, std::move(header), std::move(payload)});
  }

 private:
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace ipfit::test
