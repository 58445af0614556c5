#include "worker/evaluation_thread.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/checksum.h"
#include "common/lsq/observation.h"
#include "worker/block_pool.h"
#include "worker/evaluate.h"
#include "worker/row_file.h"

namespace ipfit {
namespace {

static_assert(std::endian::native == std::endian::little, "rows travel as they lie in memory, little-endian");

/// Checksums of the chunks of a block that is being filled from the front.
class ChunkChecksums {
 public:
  explicit ChunkChecksums(std::span<const std::byte> block) : block_(block) {}

  void filled_up_to(std::size_t bytes) {
    while (bytes - hashed_ >= kChunkBytes || (bytes == block_.size() && hashed_ < bytes)) {
      const std::size_t size = std::min(kChunkBytes, bytes - hashed_);
      list_.push_back(checksum(block_.subspan(hashed_, size)));
      hashed_ += size;
    }
  }
  std::vector<std::uint64_t> take() { return std::move(list_); }

 private:
  std::span<const std::byte> block_;
  std::size_t hashed_ = 0;
  std::vector<std::uint64_t> list_;
};

/// What evaluates, and keeps from one task to the next what is worth keeping.
class TaskEvaluation {
 public:
  TaskEvaluation(std::shared_ptr<CrashNote> note, const std::atomic<bool>& cancelled)
      : note_(std::move(note)), cancelled_(cancelled) {}

  Outcome run(const Assignment& assignment) {
    note_->begin(assignment.task());
    std::uint32_t structure = assignment.message.first_structure;
    Outcome outcome = worker_event::Cancelled{};
    try {
      outcome = fill(assignment, structure);
    } catch (const std::bad_alloc&) {
      outcome = worker_event::Failed{assignment.task(), structure,
                                     "not enough memory for a block of " + std::to_string(assignment.bytes >> 20) +
                                         " MiB; run fewer slots on this machine"};
    }
    note_->end();
    auto* finished = std::get_if<worker_event::Finished>(&outcome);
    if (finished != nullptr && assignment.in_place && !cancelled_) {
      put_in_place(*assignment.message.place, *finished);
    }
    return outcome;
  }

 private:
  Outcome fill(const Assignment& assignment, std::uint32_t& structure) {
    const auto start = std::chrono::steady_clock::now();
    Evaluator& evaluator = evaluator_of(assignment);
    BlockPool::Buffer block = pool_.take(assignment.bytes / sizeof(double));
    ChunkChecksums checksums(std::as_bytes(block.values));
    const auto outcome = assignment.message.reduce
                             ? fill_reduced(assignment, evaluator, block.values, structure)
                             : fill_rows(assignment, evaluator, block.values, checksums, structure);
    if (outcome) {
      return *outcome;
    }
    checksums.filled_up_to(assignment.bytes);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return worker_event::Finished{assignment.task(),
                                  Payload(std::as_bytes(block.values), std::move(block.owner)),
                                  checksums.take(),
                                  seconds.count(),
                                  false,
                                  ""};
  }

  /// The rows of the structures, one after the other; nothing where all went well.
  std::optional<Outcome> fill_rows(const Assignment& assignment, Evaluator& evaluator, std::span<double> out,
                                   ChunkChecksums& checksums, std::uint32_t& structure) {
    std::size_t filled = 0;
    for (std::size_t s = 0; s < assignment.structures.size(); ++s, ++structure) {
      const auto rows = out.subspan(filled, numbers_of(assignment, s, evaluator));
      if (assignment.message.structures[s].excluded) {
        std::ranges::fill(rows, 0.0);
      } else if (auto wrong = evaluate(assignment, s, evaluator, rows, structure)) {
        return wrong;
      }
      filled += rows.size();
      checksums.filled_up_to(filled * sizeof(double));
    }
    return std::nullopt;
  }

  /// What is left of the rows when they are reduced; nothing where all went well.
  std::optional<Outcome> fill_reduced(const Assignment& assignment, Evaluator& evaluator, std::span<double> out,
                                      std::uint32_t& structure) {
    TaskReduction reduction(*assignment.model, assignment.sets, out);
    for (std::size_t s = 0; s < assignment.structures.size(); ++s, ++structure) {
      if (assignment.message.structures[s].excluded) {
        reduction.skip();
        continue;
      }
      rows_.resize(numbers_of(assignment, s, evaluator));
      if (auto wrong = evaluate(assignment, s, evaluator, rows_, structure)) {
        return wrong;
      }
      reduction.add(assignment.structures[s], assignment.message.structures[s].mask, rows_);
    }
    reduction.finish();
    return std::nullopt;
  }

  static std::size_t numbers_of(const Assignment& assignment, std::size_t s, const Evaluator& evaluator) {
    return static_cast<std::size_t>(row_count(assignment.structures[s].size(), assignment.message.structures[s].mask) *
                                    evaluator.columns());
  }

  std::optional<Outcome> evaluate(const Assignment& assignment, std::size_t s, Evaluator& evaluator,
                                  std::span<double> rows, std::uint32_t structure) {
    if (cancelled_) {
      return worker_event::Cancelled{assignment.task()};
    }
    note_->at(structure);
    if (const Status status = evaluator.evaluate(assignment.structures[s], assignment.message.structures[s].mask, rows);
        !status) {
      Error error = status.error();
      error.where.clear();  // the manager knows the structure by its index
      return worker_event::Failed{assignment.task(), structure, error.text()};
    }
    return std::nullopt;
  }

  static void put_in_place(const Place& place, worker_event::Finished& finished) {
    Result<std::shared_ptr<const void>> written = write_in_place(place, finished.rows.bytes());
    if (written) {
      finished.rows = Payload({}, std::move(*written));
      finished.in_place = true;
    } else if (written.error().kind != ErrorKind::kRefused) {
      finished.problem = written.error().text();
    }
  }

  Evaluator& evaluator_of(const Assignment& assignment) {
    if (!evaluator_ || model_ != assignment.model) {
      evaluator_.emplace(*assignment.model);
      model_ = assignment.model;
    }
    return *evaluator_;
  }

  std::shared_ptr<CrashNote> note_;
  const std::atomic<bool>& cancelled_;
  BlockPool pool_;
  std::shared_ptr<const Model> model_;
  std::optional<Evaluator> evaluator_;
  std::vector<double> rows_;  ///< of one structure, on their way to be reduced
};

}  // namespace

struct EvaluationThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<const Assignment> next;
  std::optional<Outcome> outcome;
  std::atomic<bool> cancelled{false};
  bool quit = false;
  int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

  Shared() {
    if (event < 0) {
      throw std::system_error(errno, std::generic_category(), "cannot wait for an evaluation");
    }
  }
  ~Shared() { close(event); }

  void work(std::shared_ptr<CrashNote> note) {
    TaskEvaluation evaluation(std::move(note), cancelled);
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return quit || next; });
      if (quit) {
        return;
      }
      const auto assignment = std::exchange(next, nullptr);
      lock.unlock();
      Outcome done = evaluation.run(*assignment);
      lock.lock();
      outcome = std::move(done);
      eventfd_write(event, 1);
    }
  }
};

EvaluationThread::EvaluationThread(std::shared_ptr<CrashNote> note) : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_, note = std::move(note)] { shared->work(note); }).detach();
}

EvaluationThread::~EvaluationThread() {
  const std::lock_guard lock(shared_->mutex);
  shared_->cancelled = true;
  shared_->quit = true;
  shared_->changed.notify_one();
}

void EvaluationThread::start(std::shared_ptr<const Assignment> assignment) {
  const std::lock_guard lock(shared_->mutex);
  assert(!shared_->next && !shared_->outcome);
  shared_->cancelled = false;
  shared_->next = std::move(assignment);
  shared_->changed.notify_one();
}

void EvaluationThread::cancel() {
  shared_->cancelled = true;
}

std::optional<Outcome> EvaluationThread::outcome() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->outcome) {
    eventfd_t count = 0;
    eventfd_read(shared_->event, &count);
  }
  return std::exchange(shared_->outcome, std::nullopt);
}

int EvaluationThread::descriptor() const {
  return shared_->event;
}

}  // namespace ipfit
