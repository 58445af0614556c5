#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proto/message.h"

namespace ipfit {

/// Time since an arbitrary start; the loop passes it in, the scheduler has no clock.
using Instant = std::chrono::duration<double>;

/// Number that the manager gives to each session of an evaluator (a Hello that was welcomed); never used twice.
using WorkerId = std::uint64_t;

/// A unit of work as the scheduler knows it: ids and sizes, never matrices.
struct TaskInfo {
  std::uint32_t first_structure = 0;
  std::uint32_t structures = 0;
  std::uint64_t bytes = 0;  ///< of its block
  double cost = 1.0;        ///< estimated, in any unit that is the same within the job
};

/// One phase of one fit. A job that names (fit, phase) of one that is still there changes nothing.
struct Job {
  std::uint64_t fit = 0;
  Phase phase = Phase::kAssembly;
  std::vector<TaskInfo> tasks;
  std::vector<bool> done;                  ///< tasks that the store already has; same length, or empty
  std::vector<std::uint32_t> quarantined;  ///< known bad from an earlier run; without skip the job fails at once
  bool skip_bad_structures = false;
};

struct SchedulerOptions {
  double lost_seconds = kLostSeconds;
  int crashes_to_quarantine = 2;
  /// When nothing is pending, a task may be leased a second time once it has run for slow_floor_seconds + slow_factor
  /// times the expected time, or has waited behind another one for slow_floor_seconds.
  double slow_factor = 2.0;
  double slow_floor_seconds = 2.0;
  double transit_seconds = 5.0;  ///< a lease this old that the worker does not name was lost on the way
  int refusals_to_drop = 3;      ///< a worker whose blocks were damaged this often is dropped
  std::uint64_t store_limit_bytes = std::uint64_t{256} << 20;  ///< blocks being stored; from there on no new leases
};

namespace event {
struct JobAdded {
  Job job;
};
struct JobRemoved {
  std::uint64_t fit;
};  ///< cancelled or failed elsewhere
struct WorkerJoined {
  WorkerId worker;
  std::string machine;  ///< supervisor id: crashes on different machines count as different
  std::uint32_t credit;
  std::vector<TaskId> holding;  ///< from Hello: kept as leases where they are still wanted
  std::optional<CrashReport> crash;
};
struct WorkerHeard {
  WorkerId worker;
  std::optional<std::vector<TaskId>> holding;
};  ///< holding: from a Heartbeat
struct WorkerLeft {
  WorkerId worker;
};  ///< said Bye, or its connection is known to be gone
struct HandedBack {
  WorkerId worker;
  std::vector<TaskId> tasks;
};  ///< a worker that stops says so before its Bye: it gets nothing more until its next Heartbeat
struct BlockArrived {
  WorkerId worker;
  TaskId task;
  double seconds;
};  ///< all chunks and the Commit, sizes right
struct BlockStored {
  TaskId task;
};  ///< durable
struct BlockRefused {
  WorkerId worker;
  TaskId task;
  std::string reason;
};  ///< by the store, after StoreBlock, checksum wrong: the task is pending again
struct StructureFailed {
  WorkerId worker;
  TaskId task;
  std::uint32_t structure;
  std::string reason;
};
struct Tick {};
}  // namespace event

using Event = std::variant<event::JobAdded, event::JobRemoved, event::WorkerJoined, event::WorkerHeard,
                           event::WorkerLeft, event::HandedBack, event::BlockArrived, event::BlockStored,
                           event::BlockRefused, event::StructureFailed, event::Tick>;

namespace action {
struct SendTask {
  WorkerId worker;
  TaskId task;
  std::vector<std::uint32_t> excluded;  ///< all quarantined structures of the task, ascending
};
struct StoreBlock {
  WorkerId worker;
  TaskId task;
};  ///< the loop hands the block that just arrived to the store
struct DropBlock {
  WorkerId worker;
  TaskId task;
  bool acknowledge;
};  ///< not wanted; acknowledge: it is durable already
struct AckBlock {
  WorkerId worker;
  TaskId task;
};  ///< after BlockStored, to everyone who delivered it
struct ForgetTasks {
  WorkerId worker;
  std::vector<TaskId> tasks;
};
struct DropWorker {
  WorkerId worker;
  std::string reason;
};  ///< it is forgotten here; should it speak again it has to say Hello
struct Quarantine {
  std::uint64_t fit;
  Phase phase;
  std::uint32_t structure;
  std::string reason;
};  ///< to be journalled
struct JobDone {
  std::uint64_t fit;
  Phase phase;
};  ///< every task is durable; the scheduler has forgotten the job
struct JobFailed {
  std::uint64_t fit;
  Phase phase;
  std::uint32_t structure;
  std::string reason;
};  ///< a bad structure, not to be skipped; the scheduler has forgotten the job
}  // namespace action

using Action =
    std::variant<action::SendTask, action::StoreBlock, action::DropBlock, action::AckBlock, action::ForgetTasks,
                 action::DropWorker, action::Quarantine, action::JobDone, action::JobFailed>;

enum class TaskState : std::uint8_t { kPending, kLeased, kStoring, kDone };

/// How far a job is.
struct JobProgress {
  std::uint64_t fit = 0;
  Phase phase = Phase::kAssembly;
  std::uint64_t pending = 0, leased = 0, storing = 0, done = 0;
  double cost_total = 0.0, cost_done = 0.0;
  double seconds_per_cost = 0.0;  ///< measured from the blocks that came in; 0: not yet known
};
struct JobView : JobProgress {
  std::vector<TaskState> states;
};
struct WorkerView {
  WorkerId worker = 0;
  std::uint32_t credit = 0;
  std::vector<TaskId> leases;
  Instant last_heard{0};
  double busy_seconds = 0.0;
};
struct SchedulerView {
  std::vector<JobView> jobs;
  std::vector<WorkerView> workers;
};

/// Decides which worker evaluates which task (docs/explanation/scheduling.md). Never performs anything: same state,
/// event and time, same actions. Done means stored and synced, never arrived. Jobs are served in the order in which
/// they came.
class Scheduler {
 public:
  explicit Scheduler(SchedulerOptions options = {});
  ~Scheduler();
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;

  std::vector<Action> handle(const Event& event, Instant now);
  /// The loop need not send a Tick earlier. Always later than the last event; empty: only an event can change anything.
  std::optional<Instant> next_deadline() const;
  /// Cheap. Empty: no such job (any more).
  std::optional<JobProgress> progress(std::uint64_t fit, Phase phase) const;
  /// Everything; takes time proportional to the number of tasks.
  SchedulerView view() const;
  /// Empty, or the invariant of docs/explanation/scheduling.md that is broken. For tests: looks at everything.
  std::string broken_invariant() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ipfit
