#include "manager/run/store_thread.h"

#include <iterator>
#include <stop_token>

#include "common/overloaded.h"

namespace ipfit {
namespace {

StoreKey key_of(const TaskId& task) {
  return {task.fit, task.phase};
}

/// Two syncs and a round of acknowledgements cost the same for one block as for many. Long enough for some blocks of a
/// fast basis, short enough that nobody waits for memory, or for the end of a phase.
constexpr auto kCommitInterval = std::chrono::milliseconds(50);

}  // namespace

StoreThread::StoreThread() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

StoreThread::~StoreThread() {
  thread_.request_stop();
  thread_.join();
}

void StoreThread::open(StoreKey key, BlockStore store) {
  post(Open{key, std::move(store)});
}

void StoreThread::write(ArrivedBlock block) {
  post(std::move(block));
}

void StoreThread::adopt(WrittenBlock block) {
  post(std::move(block));
}

void StoreThread::quarantine(StoreKey key, QuarantineRecord record) {
  post(std::pair{key, std::move(record)});
}

void StoreThread::close(StoreKey key) {
  post(Close{key});
}

void StoreThread::hurry() {
  post(Hurry{});
}

void StoreThread::post(Request request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  changed_.notify_one();
}

std::vector<StoreEvent> StoreThread::take_events() {
  wakeup_.clear();
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void StoreThread::run(const std::stop_token& stop) {
  for (;;) {
    std::vector<Request> requests;
    {
      std::unique_lock lock(mutex_);
      const auto anything = [this] { return !requests_.empty(); };
      if (written_.empty() && busy_.empty()) {
        changed_.wait(lock, stop, anything);
      } else {
        changed_.wait_until(lock, stop, next_commit_, anything);
      }
      requests.swap(requests_);
    }
    const bool last = requests.empty() && stop.stop_requested();
    perform(std::move(requests));
    close_verified();
    if (last || Clock::now() >= next_commit_) {
      try_again();
      commit_all();
    }
    if (last) {
      return;
    }
    tell();
  }
}

/// Passes on the events, if there are any.
void StoreThread::tell() {
  if (outgoing_.empty()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    events_.insert(events_.end(), std::make_move_iterator(outgoing_.begin()), std::make_move_iterator(outgoing_.end()));
  }
  outgoing_.clear();
  wakeup_.signal();
}

void StoreThread::perform(std::vector<Request> requests) {
  for (Request& request : requests) {
    std::visit(Overloaded{
                   [this](Open& open) {
                     const auto store = stores_.insert_or_assign(open.key, std::move(open.store)).first;
                     store->second.when_verified([this] { post(Hurry{}); });
                   },
                   [this](ArrivedBlock& block) { perform(std::move(block)); },
                   [this](const WrittenBlock& block) { perform(block); },
                   [this](std::pair<StoreKey, QuarantineRecord>& bad) {
                     const auto store = stores_.find(bad.first);
                     if (store == stores_.end()) {
                       return;
                     }
                     const Status written = store->second.quarantine(bad.second);
                     if (written) {
                       written_[bad.first];
                     } else {
                       fail(bad.first, written.error());
                     }
                   },
                   [this](Close& close) {
                     commit_all();
                     const auto store = stores_.find(close.key);
                     if (store != stores_.end() && store->second.complete()) {
                       closing_.insert(close.key);
                     } else {  // it was stopped: there is nothing to record, and nothing to be sure of
                       retire(close.key);
                       outgoing_.push_back(stored::Closed{close.key, {}});
                     }
                   },
                   [this](Hurry&) { next_commit_ = Clock::now(); },
               },
               request);
  }
}

void StoreThread::close_verified() {
  for (auto next = closing_.begin(); next != closing_.end();) {
    const StoreKey key = *next;
    const auto store = stores_.find(key);
    if (store != stores_.end() && !store->second.verified()) {
      ++next;
      continue;
    }
    next = closing_.erase(next);
    if (store != stores_.end()) {
      end(key);
    }
  }
}

/// Closes a store that is complete and has been read.
void StoreThread::end(StoreKey key) {
  BlockStore& store = stores_.at(key);
  auto damaged = store.verify();
  if (!damaged) {
    fail(key, damaged.error());
    return;
  }
  if (!damaged->empty()) {
    stores_.erase(key);  // lock and all: it is to be opened again
  } else if (const Status finished = store.finish(); finished) {
    retire(key);
  } else {
    fail(key, finished.error());
    return;
  }
  outgoing_.push_back(stored::Closed{key, std::move(*damaged)});
}

// A store that is not there was closed meanwhile: cancelled, or failed and said so.

void StoreThread::perform(ArrivedBlock block) {
  const auto store = stores_.find(key_of(block.task));
  if (store == stores_.end() || closing_.contains(store->first)) {
    return;
  }
  StoredBlock stored{block.rows, {}, block.chunk_checksums, block.worker, block.seconds};
  for (const Payload& chunk : block.chunks) {
    stored.chunks.push_back(chunk.bytes());
  }
  const auto written = store->second.write(stored);
  if (written && *written == BlockStore::Taken::kBusy) {
    outgoing_.push_back(stored::Busy{block.task});
    busy_.push_back(std::move(block));
    return;
  }
  taken(store->first, block.task, block.from, written ? Status(Done{}) : written.errors());
}

void StoreThread::try_again() {
  for (ArrivedBlock& block : std::exchange(busy_, {})) {
    perform(std::move(block));
  }
}

void StoreThread::perform(const WrittenBlock& block) {
  const auto store = stores_.find(key_of(block.task));
  if (store != stores_.end() && !closing_.contains(store->first)) {
    taken(store->first, block.task, block.from, store->second.adopt(block.rows));
  }
}

/// What follows from the answer of the store to a block.
void StoreThread::taken(StoreKey key, const TaskId& task, WorkerId from, const Status& status) {
  if (status) {
    written_[key].push_back(task);
  } else if (status.error().kind == ErrorKind::kRefused) {
    outgoing_.push_back(stored::Damaged{from, task, status.error().what});
  } else {
    fail(key, status.error());
  }
}

void StoreThread::retire(StoreKey key) {
  const auto store = stores_.find(key);
  if (store != stores_.end() && store->second.shared()) {
    retired_.push_back(std::move(store->second));
  }
  stores_.erase(key);
}

void StoreThread::commit_all() {
  next_commit_ = Clock::now() + kCommitInterval;
  for (auto& [key, tasks] : std::exchange(written_, {})) {
    const auto store = stores_.find(key);
    if (store == stores_.end()) {
      continue;
    }
    const Status committed = store->second.commit();
    if (!committed) {
      fail(key, committed.error());
      continue;
    }
    for (const TaskId& task : tasks) {
      outgoing_.push_back(stored::Durable{task});
    }
  }
}

void StoreThread::fail(StoreKey key, Error error) {
  // Blocks of this round that were not yet committed are evaluated again; what was committed earlier is safe.
  retire(key);
  written_.erase(key);
  closing_.erase(key);
  outgoing_.push_back(stored::Failed{key, std::move(error)});
}

}  // namespace ipfit
