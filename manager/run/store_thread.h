#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "common/result.h"
#include "manager/run/scheduler.h"
#include "manager/run/wakeup.h"
#include "manager/store/block_store.h"
#include "proto/message.h"
#include "proto/transport.h"

namespace ipfit {

/// Which store: one for each phase of each fit.
struct StoreKey {
  std::uint64_t fit = 0;
  Phase phase = Phase::kAssembly;
  auto operator<=>(const StoreKey&) const = default;
};

/// A block whose chunks have all arrived, as the socket gave them.
struct ArrivedBlock {
  TaskId task;
  RowRange rows;
  std::vector<Payload> chunks;
  std::vector<std::uint64_t> chunk_checksums;
  WorkerId from = 0;
  std::string worker;  ///< "host:pid", for the journal
  double seconds = 0.0;
};

/// A block that its worker has written in place.
struct WrittenBlock {
  TaskId task;
  RowsStored rows;
  WorkerId from = 0;
};

namespace stored {
struct Durable {
  TaskId task;
};
struct Damaged {  ///< does not match its checksums, or what is there already; nothing was stored
  WorkerId worker;
  TaskId task;
  std::string reason;
};
struct Busy {  ///< another process is writing the rows of the task; said again and again until that ends
  TaskId task;
};
struct Failed {  ///< the disk: nothing more can be stored in this store
  StoreKey key;
  Error error;
};
struct Closed {
  StoreKey key;
  std::vector<std::string> damaged;  ///< rows that turned out damaged and are not stored any more, in words
};
}  // namespace stored
using StoreEvent = std::variant<stored::Durable, stored::Damaged, stored::Busy, stored::Failed, stored::Closed>;

/// Owns all open stores and does their writing on a thread of its own. Blocks share syncs: those that arrive within
/// some milliseconds become durable together. What is told to it happens in order; the events come back in order. A
/// complete store is closed when what was stored at its opening is verified, while others go on being written. A shared
/// store that was closed, or failed, is kept until the thread ends, since its locks keep off workers that are late.
class StoreThread {
 public:
  StoreThread();
  ~StoreThread();  ///< makes durable what was handed over, then closes the stores
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  void open(StoreKey key, BlockStore store);
  void write(ArrivedBlock block);
  void adopt(WrittenBlock block);
  void quarantine(StoreKey key, QuarantineRecord record);
  void close(StoreKey key);
  /// Nothing more will come soon: what was handed over becomes durable without waiting for company.
  void hurry();

  int descriptor() const { return wakeup_.descriptor(); }
  std::vector<StoreEvent> take_events();

 private:
  struct Open {
    StoreKey key;
    BlockStore store;
  };
  struct Close {
    StoreKey key;
  };
  struct Hurry {};
  using Clock = std::chrono::steady_clock;
  using Request = std::variant<Open, ArrivedBlock, WrittenBlock, std::pair<StoreKey, QuarantineRecord>, Close, Hurry>;

  void post(Request request);
  void run(const std::stop_token& stop);
  void tell();
  void perform(std::vector<Request> requests);
  void perform(ArrivedBlock block);
  void perform(const WrittenBlock& block);
  void try_again();
  void taken(StoreKey key, const TaskId& task, WorkerId from, const Status& status);
  void close_verified();
  void end(StoreKey key);
  void retire(StoreKey key);
  void commit_all();
  void fail(StoreKey key, Error error);

  Wakeup wakeup_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Request> requests_;
  std::vector<StoreEvent> events_;

  // Of the thread alone.
  std::map<StoreKey, BlockStore> stores_;
  std::map<StoreKey, std::vector<TaskId>> written_;
  std::set<StoreKey> closing_;  ///< complete, and waiting to be verified
  std::vector<BlockStore> retired_;
  std::vector<ArrivedBlock> busy_;
  std::vector<StoreEvent> outgoing_;
  Clock::time_point next_commit_{};  ///< not before

  std::jthread thread_;  // last: starts when the rest is there, stops first
};

}  // namespace ipfit
