#include "manager/run/sessions.h"

#include <catch2/catch.hpp>

#include "common/checksum.h"
#include "tests/support/memory_transport.h"

namespace ipfit {
namespace {

constexpr std::uint64_t kBlock = 2 * kChunkBytes + 80;

Payload filled(std::size_t bytes, int value) {
  return Payload(std::vector<std::byte>(bytes, static_cast<std::byte>(value)));
}

BlockChunk chunk_at(std::uint64_t offset, const Payload& payload) {
  return {TaskId{1, Phase::kAssembly, 0}, offset, payload.size(), checksum(payload.bytes())};
}

Commit commit_of(const IncomingBlock& block) {
  return {TaskId{1, Phase::kAssembly, 0}, kBlock, checksum_of_chunks(block.checksums), 0.5};
}

TEST_CASE("a block is complete when all chunks are there, in whatever order they came") {
  const Payload first = filled(kChunkBytes, 1);
  const Payload second = filled(kChunkBytes, 2);
  const Payload last = filled(80, 3);
  IncomingBlock block;
  REQUIRE(add_chunk(block, chunk_at(2 * kChunkBytes, last), last, kBlock).ok());
  REQUIRE(add_chunk(block, chunk_at(0, first), first, kBlock).ok());
  CHECK_FALSE(complete(block, commit_of(block), kBlock));
  REQUIRE(add_chunk(block, chunk_at(0, first), first, kBlock).ok());  // again: changes nothing
  CHECK_FALSE(complete(block, commit_of(block), kBlock));
  REQUIRE(add_chunk(block, chunk_at(kChunkBytes, second), second, kBlock).ok());
  CHECK(complete(block, commit_of(block), kBlock));
}

TEST_CASE("a commit of another block or size does not fit") {
  const Payload payload = filled(80, 1);
  IncomingBlock block;
  REQUIRE(add_chunk(block, chunk_at(0, payload), payload, 80).ok());
  Commit commit{{}, 80, checksum_of_chunks(block.checksums), 0.0};
  CHECK(complete(block, commit, 80));
  commit.bytes = 88;
  CHECK_FALSE(complete(block, commit, 80));
  commit = {{}, 80, commit.checksum + 1, 0.0};
  CHECK_FALSE(complete(block, commit, 80));
}

TEST_CASE("a block without rows is complete at once") {
  CHECK(complete({}, Commit{{}, 0, checksum_of_chunks({}), 0.0}, 0));
}

TEST_CASE("chunks that do not fit their block are refused") {
  const Payload whole = filled(kChunkBytes, 1);
  const Payload small = filled(80, 1);
  IncomingBlock block;
  CHECK_FALSE(add_chunk(block, chunk_at(8, whole), whole, kBlock).ok());                // not at a chunk's place
  CHECK_FALSE(add_chunk(block, chunk_at(0, small), small, kBlock).ok());                // too short
  CHECK_FALSE(add_chunk(block, chunk_at(4 * kChunkBytes, whole), whole, kBlock).ok());  // beyond the end
  CHECK_FALSE(add_chunk(block, chunk_at(2 * kChunkBytes, whole), whole, kBlock).ok());  // longer than the rest
  CHECK_FALSE(add_chunk(block, chunk_at(0, whole), whole, 0).ok());                     // of a block without rows
  CHECK_FALSE(add_chunk(block, {{}, 0, kChunkBytes, 0}, small, kBlock).ok());           // other payload than said
}

TEST_CASE("sessions are found by peer, by id and by slot") {
  Sessions sessions;
  Hello hello;
  hello.worker = "a";
  hello.slot = 1;
  const WorkerId id = sessions.add("peer", hello, Instant(0.0)).id;
  CHECK(sessions.find("peer")->id == id);
  CHECK(sessions.find(id)->peer == "peer");
  CHECK(sessions.same_slot(hello)->id == id);
  hello.slot = 2;
  CHECK(sessions.same_slot(hello) == nullptr);
  sessions.remove(id);
  CHECK(sessions.find("peer") == nullptr);
  CHECK(sessions.find(id) == nullptr);
}

TEST_CASE("what a slow peer does not take is kept and sent later, in order") {
  test::MemoryNetwork network(2);
  const auto manager = network.manager();
  const auto worker = network.join();
  REQUIRE(worker->send({}, Bye{}, {}) == SendOutcome::kSent);
  const Peer peer = std::get<Incoming>(*manager->receive()).peer;
  Outbox outbox(*manager);
  for (std::uint32_t i = 0; i < 5; ++i) {
    CHECK(outbox.send(peer, Ack{{1, Phase::kAssembly, i}}));
  }
  CHECK_FALSE(outbox.empty());
  std::uint32_t expected = 0;
  for (int round = 0; round < 5; ++round) {
    while (auto arrived = worker->receive()) {
      CHECK(std::get<Ack>(std::get<Incoming>(*arrived).message).task.task == expected++);
    }
    CHECK(outbox.flush().empty());
  }
  CHECK(expected == 5);
  CHECK(outbox.empty());
}

TEST_CASE("a peer that is gone is reported, whether at once or later") {
  test::MemoryNetwork network(1);
  const auto manager = network.manager();
  auto worker = network.join();
  REQUIRE(worker->send({}, Bye{}, {}) == SendOutcome::kSent);
  const Peer peer = std::get<Incoming>(*manager->receive()).peer;
  Outbox outbox(*manager);
  CHECK(outbox.send(peer, Alive{}));
  CHECK(outbox.send(peer, Alive{}));
  worker.reset();
  CHECK(outbox.flush() == std::vector<Peer>{peer});
  CHECK_FALSE(outbox.send(peer, Alive{}));
}

}  // namespace
}  // namespace ipfit
