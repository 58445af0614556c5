// What every Transport promises, tried on the one in memory and on ZeroMQ over ipc and tcp.

#include "proto/transport.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

#include "common/checksum.h"
#include "proto/zmq_transport.h"
#include "tests/support/memory_transport.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wait.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// A manager and a way for peers to come.
struct Network {
  std::shared_ptr<TemporaryDirectory> folder;
  std::unique_ptr<Transport> manager;
  std::function<std::unique_ptr<Transport>()> join;
};

Network over_memory() {
  auto network = std::make_shared<MemoryNetwork>();
  return {nullptr, network->manager(), [network] { return network->join(); }};
}

Network over_zmq(const std::string& endpoint) {
  ZmqContext context;
  auto listening = ipfit::listen(context, {endpoint});
  REQUIRE(listening.ok());
  const std::string bound = listening->endpoints.at(0);
  return {nullptr, std::move(listening->transport), [context, bound] {
            auto peer = ipfit::connect(context, bound);
            REQUIRE(peer.ok());
            return *std::move(peer);
          }};
}

/// Each TEST_CASE that calls this runs once per kind of transport.
Network any_network() {
  const std::string kind = GENERATE("memory", "ipc", "tcp");
  CAPTURE(kind);
  if (kind == "memory") {
    return over_memory();
  }
  if (kind == "tcp") {
    return over_zmq("tcp://127.0.0.1:*");
  }
  auto folder = std::make_shared<TemporaryDirectory>();
  Network network = over_zmq("ipc://" + folder->file("manager"));
  network.folder = std::move(folder);
  return network;
}

Payload numbered_payload(std::size_t bytes, std::uint8_t first) {
  std::vector<std::byte> content(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    content[i] = static_cast<std::byte>(first + i % 251);
  }
  return Payload(std::move(content));
}

bool same_bytes(const Payload& a, const Payload& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

/// The peer introduces itself; how the manager calls it.
Peer introduce(Network& network, Transport& peer) {
  REQUIRE(send_patiently(peer, "", Hello{}) == SendOutcome::kSent);
  const Incoming hello = next_message(*network.manager);
  REQUIRE(std::holds_alternative<Hello>(hello.message));
  return hello.peer;
}

}  // namespace

TEST_CASE("a peer says hello, is answered, and both know who spoke") {
  Network network = any_network();
  const auto peer = network.join();
  const auto other = network.join();
  const Peer name = introduce(network, *peer);
  const Peer other_name = introduce(network, *other);
  CHECK(name != other_name);
  CHECK(network.manager->send(name, Welcome{"m"}) == SendOutcome::kSent);
  const Incoming answer = next_message(*peer);
  CHECK(answer.message == Message(Welcome{"m"}));
  CHECK(answer.peer.empty());
  CHECK_FALSE(other->receive().has_value());
}

TEST_CASE("messages of each peer arrive in the order in which they were sent") {
  Network network = any_network();
  constexpr std::uint64_t kCount = 500;
  std::map<Peer, std::uint64_t> heard;
  std::vector<std::unique_ptr<Transport>> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(network.join());
    heard[introduce(network, *peers.back())] = 0;
  }
  const auto hear = [&](const Incoming& incoming) {
    REQUIRE(std::get<Accepted>(incoming.message).received == heard.at(incoming.peer)++);
  };
  for (std::uint64_t n = 0; n < kCount; ++n) {
    for (const auto& peer : peers) {
      while (peer->send("", Accepted{"", n}) == SendOutcome::kWouldBlock) {
        hear(next_message(*network.manager));
      }
    }
  }
  for (std::uint64_t total = 0; total < 3 * kCount;) {
    hear(next_message(*network.manager));
    total = std::accumulate(heard.begin(), heard.end(), std::uint64_t{0},
                            [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
  }
  CHECK_FALSE(network.manager->receive().has_value());
}

TEST_CASE("payloads of every size arrive whole and aligned") {
  Network network = any_network();
  const auto peer = network.join();
  const Peer name = introduce(network, *peer);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{100}, std::size_t{4001},
                                  std::size_t{8191}, std::size_t{8192}, std::size_t{65537}, kChunkBytes}) {
    CAPTURE(bytes);
    const Payload payload = numbered_payload(bytes, 3);
    REQUIRE(network.manager->send(name, FileChunk{bytes, 0}, payload) == SendOutcome::kSent);
    const Incoming got = next_message(*peer);
    CHECK(got.message == Message(FileChunk{bytes, 0}));
    CHECK(same_bytes(got.payload, payload));
    CHECK(reinterpret_cast<std::uintptr_t>(got.payload.bytes().data()) % 8 == 0);
  }
}

TEST_CASE("a payload of 60 MB arrives whole, in frames of 1 MiB") {
  Network network = any_network();
  const auto peer = network.join();
  const Peer name = introduce(network, *peer);
  const Payload payload = numbered_payload(60'000'000, 7);
  REQUIRE(network.manager->send(name, ModelMessage{"h"}, payload) == SendOutcome::kSent);
  const Incoming got = next_message(*peer);
  CHECK(got.message == Message(ModelMessage{"h"}));
  CHECK(same_bytes(got.payload, payload));
}

TEST_CASE("a payload lives until it is sent, and no longer than it is used") {
  Network network = any_network();
  const auto peer = network.join();
  const Peer name = introduce(network, *peer);
  Payload payload = numbered_payload(kChunkBytes, 1);
  const std::uint64_t sum = checksum(payload.bytes());
  const std::weak_ptr<const void> watched = payload.owner();
  REQUIRE(network.manager->send(name, FileChunk{}, std::move(payload)) == SendOutcome::kSent);
  {
    const Incoming got = next_message(*peer);
    CHECK(checksum(got.payload.bytes()) == sum);
  }
  CHECK(wait_until(*peer, [&] { return watched.expired(); }));
}

TEST_CASE("a message to an unknown peer is gone at once") {
  Network network = any_network();
  CHECK(network.manager->send("nobody", Alive{}) == SendOutcome::kGone);
  CHECK(network.manager->send("nobody", FileChunk{}, numbered_payload(100'000, 0)) == SendOutcome::kGone);
  // and leaves nothing behind that would spoil the next message
  const auto peer = network.join();
  const Peer name = introduce(network, *peer);
  REQUIRE(network.manager->send(name, Who{}) == SendOutcome::kSent);
  CHECK(next_message(*peer).message == Message(Who{}));
}

TEST_CASE("a peer that vanished is noticed when the manager speaks to it") {
  Network network = any_network();
  auto peer = network.join();
  const Peer name = introduce(network, *peer);
  REQUIRE(network.manager->send(name, Alive{}) == SendOutcome::kSent);
  peer.reset();
  CHECK(wait_until(*network.manager, [&] { return network.manager->send(name, Alive{}) == SendOutcome::kGone; }));
}

TEST_CASE("what a peer said before it vanished still arrives") {
  Network network = any_network();
  auto peer = network.join();
  introduce(network, *peer);
  REQUIRE(send_patiently(*peer, "", Bye{}) == SendOutcome::kSent);
  peer.reset();
  CHECK(next_message(*network.manager).message == Message(Bye{}));
}

TEST_CASE("a slow peer is told apart, loses nothing and holds up nobody") {
  Network network = any_network();
  const auto slow = network.join();
  const auto quick = network.join();
  const Peer slow_name = introduce(network, *slow);
  const Peer quick_name = introduce(network, *quick);
  const Payload payload = numbered_payload(65536, 5);
  std::uint64_t sent = 0;
  while (network.manager->send(slow_name, FileChunk{sent, 0}, payload) == SendOutcome::kSent) {
    ++sent;
    REQUIRE(sent < 10'000);
  }
  CHECK(network.manager->send(slow_name, FileChunk{sent, 0}, payload) == SendOutcome::kWouldBlock);
  REQUIRE(network.manager->send(quick_name, Alive{}) == SendOutcome::kSent);
  CHECK(next_message(*quick).message == Message(Alive{}));

  for (std::uint64_t n = 0; n < sent; ++n) {
    const Incoming got = next_message(*slow);
    REQUIRE(got.message == Message(FileChunk{n, 0}));
    REQUIRE(same_bytes(got.payload, payload));
  }
  CHECK_FALSE(slow->receive().has_value());
  REQUIRE(send_patiently(*network.manager, slow_name, Drain{}) == SendOutcome::kSent);
  CHECK(next_message(*slow).message == Message(Drain{}));
}

TEST_CASE("the descriptor is readable exactly while something is here") {
  Network network = any_network();
  const auto peer = network.join();
  const Peer name = introduce(network, *peer);
  Transport& manager = *network.manager;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(send_patiently(*peer, "", Alive{}) == SendOutcome::kSent);
  }
  REQUIRE(readable(manager, kPatience));
  next_message(manager);
  // A loop may stop before the end and wait again; sending in between takes no wake-up away.
  CHECK(readable(manager, kPatience));
  REQUIRE(manager.send(name, Alive{}) == SendOutcome::kSent);
  CHECK(readable(manager, kPatience));
  next_message(manager);
  next_message(manager);
  CHECK(wait_until(manager, [&] { return !manager.receive() && !readable(manager); }));
}

TEST_CASE("a payload that a message must not have, or lacks, is refused to the sender") {
  Network network = any_network();
  const auto peer = network.join();
  const Peer name = introduce(network, *peer);
  Transport& manager = *network.manager;
  CHECK_THROWS_AS(manager.send(name, Alive{}, numbered_payload(8, 0)), std::length_error);
  CHECK_THROWS_AS(manager.send(name, ModelMessage{"h"}), std::length_error);
  CHECK_THROWS_AS(manager.send(name, FileChunk{}, numbered_payload(kChunkBytes + 1, 0)), std::length_error);
  CHECK_THROWS_AS(manager.send(name, BlockChunk{{}, 0, 16, 0}, numbered_payload(8, 0)), std::length_error);
  CHECK_THROWS_AS(manager.send(name, TaskMessage{}, numbered_payload(kMaxPayloadBytes + 1, 0)), std::length_error);
  REQUIRE(manager.send(name, Alive{}) == SendOutcome::kSent);
  CHECK(next_message(*peer).message == Message(Alive{}));
}
