#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manager/run/process_handle.h"
#include "manager/run/scheduler.h"
#include "proto/message.h"
#include "proto/transport.h"

namespace ipfit {

/// A block on its way in: the chunks that have arrived so far, in their places.
struct IncomingBlock {
  std::vector<Payload> chunks;
  std::vector<std::uint64_t> checksums;
  std::size_t arrived = 0;
  double seconds = 0.0;                   ///< spent evaluating, from the commit
  std::optional<std::uint64_t> in_place;  ///< no chunks: its worker wrote the rows, which have this checksum
};

/// What the manager knows of an evaluator that it welcomed.
struct Session {
  WorkerId id = 0;
  Peer peer;
  Hello hello;
  std::set<std::string> models;  ///< hashes of those that it was sent
  std::map<TaskId, IncomingBlock> incoming;
  /// Only of a worker that this manager started: it may write rows in place.
  std::optional<ProcessHandle> ours;
  bool sends = false;      ///< it may, and sends them all the same
  std::uint64_t rows = 0;  ///< delivered and stored
  double busy_seconds = 0.0;
  Instant last_heard{0};

  std::string name() const { return hello.host + ":" + std::to_string(hello.pid); }
};

/// All sessions, by peer and by id. A value without behaviour of its own.
class Sessions {
 public:
  Session& add(const Peer& peer, Hello hello, Instant now);
  Session* find(const Peer& peer);
  Session* find(WorkerId id);
  /// The session of an earlier process in the same slot, or of the same process before it reconnected.
  Session* same_slot(const Hello& hello);
  void remove(WorkerId id);
  const std::map<WorkerId, Session>& all() const { return by_id_; }

 private:
  std::map<WorkerId, Session> by_id_;
  std::map<Peer, WorkerId> by_peer_;
  WorkerId next_ = 1;
};

/// Puts a chunk into its place. Errors (kRefused): it does not belong to a block of `block_bytes`.
Status add_chunk(IncomingBlock& block, const BlockChunk& chunk, Payload payload, std::uint64_t block_bytes);

/// Whether all chunks are there and the commit describes them.
bool complete(const IncomingBlock& block, const Commit& commit, std::uint64_t block_bytes);

/// Sends in order per peer without ever blocking: what a slow peer does not take yet is kept.
class Outbox {
 public:
  explicit Outbox(Transport& transport) : transport_(transport) {}
  /// False: the peer is gone.
  bool send(const Peer& peer, Message message, Payload payload = {});
  /// Tries again what was kept; returns the peers that are gone.
  std::vector<Peer> flush();
  void forget(const Peer& peer) { waiting_.erase(peer); }
  bool empty() const { return waiting_.empty(); }

 private:
  Transport& transport_;
  std::map<Peer, std::deque<std::pair<Message, Payload>>> waiting_;
};

}  // namespace ipfit
