#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "worker/assignment.h"
#include "worker/crash_note.h"
#include "worker/worker_state.h"

namespace ipfit {

/// How an evaluation ended: what the machine is told.
using Outcome = std::variant<worker_event::Finished, worker_event::Failed, worker_event::Cancelled>;

/// A thread that evaluates one task at a time: fills its block structure by structure (excluded ones with zeros), or
/// reduces its rows on the way where the task asks for it, checksums each chunk while it is still in the cache, writes
/// the block in place where the assignment says so and it can, and writes down in the crash note what it is at. A disk
/// that is slow thereby slows down who fills it.
class EvaluationThread {
 public:
  explicit EvaluationThread(std::shared_ptr<CrashNote> note);
  /// Ends the thread. One that is inside a structure is not waited for: it ends by itself after it.
  ~EvaluationThread();
  EvaluationThread(const EvaluationThread&) = delete;
  EvaluationThread& operator=(const EvaluationThread&) = delete;

  /// Only after the outcome of the one before was taken.
  void start(std::shared_ptr<const Assignment> assignment);
  /// The task being evaluated ends at its next structure; one that is finished by then is Finished.
  void cancel();
  /// The outcome of the task, once, when there is one.
  std::optional<Outcome> outcome();
  /// Readable from when there is an outcome until it is taken; only for poll().
  int descriptor() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace ipfit
