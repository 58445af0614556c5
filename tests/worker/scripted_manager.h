#pragma once

// A manager that does just what a test says, over a real socket.

#include <poll.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "proto/transport.h"
#include "proto/zmq_transport.h"
#include "tests/worker/tasks.h"

namespace ipfit::test {

/// A fresh directory, removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "ipfit-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class ScriptedManager {
 public:
  explicit ScriptedManager(const std::string& endpoint) {
    Result<Listening> listening = listen(context_, {endpoint});
    REQUIRE(listening.ok());
    transport_ = std::move(listening->transport);
  }

  /// The next message of this kind; other ones are remembered (blocks) or, heartbeats, answered. Fails the test after
  /// a time that no working machine needs.
  template <class T>
  T expect() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
      while (auto incoming = transport_->receive()) {
        auto& got = std::get<Incoming>(*incoming);
        peer_ = got.peer;
        take(got);
        if (const T* wanted = std::get_if<T>(&got.message)) {
          return *wanted;
        }
      }
      pollfd waited{transport_->descriptor(), POLLIN, 0};
      poll(&waited, 1, 1000);
    }
    throw std::runtime_error("the worker did not say what was expected");
  }

  void say(const Message& message, const Payload& payload = {}) {
    REQUIRE(transport_->send(peer_, message, payload) == SendOutcome::kSent);
  }
  void say(const Sent& sent) { say(sent.message, sent.payload); }

  /// The doubles of the block, put together from its chunks; the checksums of all chunks and the Commit are checked.
  std::vector<double> block(const Commit& commit) const {
    const auto& chunks = chunks_.at(commit.task);
    std::vector<double> rows(commit.bytes / sizeof(double));
    const auto bytes = std::as_writable_bytes(std::span(rows));
    std::vector<std::uint64_t> checksums;
    std::size_t filled = 0;
    for (const auto& [offset, payload] : chunks) {
      REQUIRE(offset == filled);
      REQUIRE(offset + payload.size() <= bytes.size());
      std::copy(payload.bytes().begin(), payload.bytes().end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
      checksums.push_back(checksum(payload.bytes()));
      filled += payload.size();
    }
    REQUIRE(filled == bytes.size());
    REQUIRE(checksum_of_chunks(checksums) == commit.checksum);
    return rows;
  }
  void forget_chunks() { chunks_.clear(); }
  int chunks_received() const { return chunks_received_; }

 private:
  void take(Incoming& got) {
    if (std::holds_alternative<Heartbeat>(got.message)) {
      say(Alive{});
    } else if (const auto* chunk = std::get_if<BlockChunk>(&got.message)) {
      REQUIRE(checksum(got.payload.bytes()) == chunk->checksum);
      REQUIRE(got.payload.size() == chunk->bytes);
      chunks_[chunk->task][chunk->offset] = got.payload;
      ++chunks_received_;
    }
  }

  ZmqContext context_;
  std::unique_ptr<Transport> transport_;
  Peer peer_;
  std::map<TaskId, std::map<std::uint64_t, Payload>> chunks_;
  int chunks_received_ = 0;
};

}  // namespace ipfit::test
