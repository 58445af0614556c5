#include "manager/run/sessions.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/checksum.h"

namespace ipfit {

Session& Sessions::add(const Peer& peer, Hello hello, Instant now) {
  const WorkerId id = next_++;
  Session session;
  session.id = id;
  session.peer = peer;
  session.hello = std::move(hello);
  session.last_heard = now;
  by_peer_[peer] = id;
  return by_id_.emplace(id, std::move(session)).first->second;
}

Session* Sessions::find(const Peer& peer) {
  const auto id = by_peer_.find(peer);
  return id == by_peer_.end() ? nullptr : find(id->second);
}

Session* Sessions::find(WorkerId id) {
  const auto session = by_id_.find(id);
  return session == by_id_.end() ? nullptr : &session->second;
}

Session* Sessions::same_slot(const Hello& hello) {
  for (auto& [id, session] : by_id_) {
    if (session.hello.worker == hello.worker && session.hello.slot == hello.slot) {
      return &session;
    }
  }
  return nullptr;
}

void Sessions::remove(WorkerId id) {
  const auto session = by_id_.find(id);
  if (session != by_id_.end()) {
    by_peer_.erase(session->second.peer);
    by_id_.erase(session);
  }
}

Status add_chunk(IncomingBlock& block, const BlockChunk& chunk, Payload payload, std::uint64_t block_bytes) {
  const std::uint64_t expected =
      chunk.offset < block_bytes ? std::min<std::uint64_t>(kChunkBytes, block_bytes - chunk.offset) : 0;
  if (chunk.offset % kChunkBytes != 0 || expected == 0 || chunk.bytes != expected || payload.size() != expected) {
    return Error{ErrorKind::kRefused, "",
                 fmt::format("chunk at byte {} of {} bytes with {} bytes of payload does not fit a block of {} bytes",
                             chunk.offset, chunk.bytes, payload.size(), block_bytes),
                 ""};
  }
  const std::size_t count = (block_bytes + kChunkBytes - 1) / kChunkBytes;
  block.chunks.resize(count);
  block.checksums.resize(count);
  const std::size_t place = chunk.offset / kChunkBytes;
  if (block.chunks[place].size() == 0) {
    ++block.arrived;
  }
  block.chunks[place] = std::move(payload);
  block.checksums[place] = chunk.checksum;
  return Done{};
}

bool complete(const IncomingBlock& block, const Commit& commit, std::uint64_t block_bytes) {
  const std::size_t count = (block_bytes + kChunkBytes - 1) / kChunkBytes;
  return commit.bytes == block_bytes && block.arrived == count &&
         checksum_of_chunks(block.checksums) == commit.checksum;
}

bool Outbox::send(const Peer& peer, Message message, Payload payload) {
  const auto queue = waiting_.find(peer);
  if (queue == waiting_.end()) {
    switch (transport_.send(peer, message, payload)) {
      case SendOutcome::kSent:
        return true;
      case SendOutcome::kGone:
        return false;
      case SendOutcome::kWouldBlock:
        break;
    }
  }
  waiting_[peer].emplace_back(std::move(message), std::move(payload));
  return true;
}

std::vector<Peer> Outbox::flush() {
  std::vector<Peer> gone;
  for (auto queue = waiting_.begin(); queue != waiting_.end();) {
    SendOutcome outcome = SendOutcome::kSent;
    while (!queue->second.empty()) {
      outcome = transport_.send(queue->first, queue->second.front().first, queue->second.front().second);
      if (outcome != SendOutcome::kSent) {
        break;
      }
      queue->second.pop_front();
    }
    if (outcome == SendOutcome::kGone) {
      gone.push_back(queue->first);
    }
    queue = outcome == SendOutcome::kWouldBlock ? std::next(queue) : waiting_.erase(queue);
  }
  return gone;
}

}  // namespace ipfit
