#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manager/run/scheduler.h"

namespace ipfit {

/// The tasks of one job: who holds each, which comes next, which are late. Part of Scheduler, which alone keeps it in
/// step with the workers. Nothing but its constructor and tests takes time proportional to the number of tasks.
class JobState {
 public:
  struct Task {
    TaskState state = TaskState::kPending;
    std::vector<WorkerId> holders;         ///< who evaluates it: at most two
    std::vector<WorkerId> delivered;       ///< while storing: whose block came and is not acknowledged yet
    std::string suspect;                   ///< the machine on which it crashed last; empty: never
    std::optional<Instant> waiting_until;  ///< may be leased again from then on, for it waits behind another task
    std::optional<Instant> running_until;  ///< may be leased again from then on, for it runs longer than expected
  };

  explicit JobState(Job job);

  TaskId id(std::uint32_t task) const { return {job_.fit, job_.phase, task}; }
  const Job& job() const { return job_; }
  const TaskInfo& info(std::uint32_t task) const { return job_.tasks[task]; }
  const std::vector<Task>& tasks() const { return tasks_; }
  Task& at(std::uint32_t task) { return tasks_[task]; }
  bool has(std::uint32_t task) const { return task < tasks_.size(); }
  bool complete() const { return count(TaskState::kDone) == tasks_.size(); }
  std::uint64_t count(TaskState state) const { return counts_[static_cast<std::size_t>(state)]; }
  JobProgress progress() const;

  void move(std::uint32_t task, TaskState to);

  /// The pending task that a worker of `machine` gets next. A task that crashed is kept from the machine where it did,
  /// unless there is no `other_machine`.
  std::optional<std::uint32_t> next_pending(const std::string& machine, bool other_machine) const;
  bool allowed(std::uint32_t task, const std::string& machine, bool other_machine) const;
  void suspect(std::uint32_t task, const std::string& machine);

  /// Replaces what was noted about the lateness of the task.
  void note_late(std::uint32_t task, std::optional<Instant> waiting_until, std::optional<Instant> running_until);
  using LateTasks = std::set<std::pair<Instant, std::uint32_t>>;
  const LateTasks& waiting() const { return waiting_; }
  const LateTasks& running() const { return running_; }

  /// A block took so long. True where this is the first measurement.
  bool measure(std::uint32_t task, double seconds);
  double seconds_per_cost() const { return measured_cost_ > 0.0 ? measured_seconds_ / measured_cost_ : 0.0; }

  bool contains(std::uint32_t task, std::uint32_t structure) const;
  bool quarantined(std::uint32_t structure) const { return quarantined_.contains(structure); }
  void quarantine(std::uint32_t structure) { quarantined_.insert(structure); }
  std::vector<std::uint32_t> quarantined_in(std::uint32_t task) const;

  struct Crashes {
    int total = 0;
    int machines = 0;
  };
  /// Counts one more crash of the structure.
  Crashes count_crash(std::uint32_t structure, const std::string& machine);

  /// Empty, or how the indices contradict the tasks. Looks at everything.
  std::string broken_invariant() const;

 private:
  void enqueue(std::uint32_t task);
  void dequeue(std::uint32_t task);

  Job job_;
  std::vector<Task> tasks_;
  std::array<std::uint64_t, 4> counts_{};
  double cost_total_ = 0.0;
  double cost_done_ = 0.0;
  std::vector<std::uint32_t> rank_;     ///< of a task in the order in which tasks are handed out
  std::vector<std::uint32_t> by_rank_;  ///< the task of a rank
  /// Ranks of the pending tasks by the machine on which they crashed last; "" for all others.
  std::map<std::string, std::set<std::uint32_t>> pending_;
  LateTasks waiting_;
  LateTasks running_;
  double measured_seconds_ = 0.0;
  double measured_cost_ = 0.0;
  std::set<std::uint32_t> quarantined_;
  std::map<std::uint32_t, std::map<std::string, int>> crashes_;
};

}  // namespace ipfit
