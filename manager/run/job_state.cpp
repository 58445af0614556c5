#include "manager/run/job_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ipfit {

JobState::JobState(Job job) : job_(std::move(job)), tasks_(job_.tasks.size()), rank_(tasks_.size()) {
  for (TaskInfo& info : job_.tasks) {
    info.cost = std::isfinite(info.cost) && info.cost > 0.0 ? info.cost : 0.0;
    cost_total_ += info.cost;
  }
  quarantined_.insert(job_.quarantined.begin(), job_.quarantined.end());
  // Largest first: the tail of a run is set by the last tasks, and costs within one data set differ by 100x.
  by_rank_.resize(tasks_.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0U);
  std::stable_sort(by_rank_.begin(), by_rank_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return info(a).cost > info(b).cost; });
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
    rank_[by_rank_[rank]] = rank;
  }
  counts_[static_cast<std::size_t>(TaskState::kPending)] = tasks_.size();
  auto& pending = pending_[""];
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
    pending.insert(pending.end(), rank);
  }
  for (std::uint32_t task = 0; task < tasks_.size() && task < job_.done.size(); ++task) {
    if (job_.done[task]) {
      move(task, TaskState::kDone);
    }
  }
}

JobProgress JobState::progress() const {
  return {job_.fit,
          job_.phase,
          count(TaskState::kPending),
          count(TaskState::kLeased),
          count(TaskState::kStoring),
          count(TaskState::kDone),
          cost_total_,
          cost_done_,
          seconds_per_cost()};
}

void JobState::enqueue(std::uint32_t task) {
  pending_[tasks_[task].suspect].insert(rank_[task]);
}

void JobState::dequeue(std::uint32_t task) {
  const auto queue = pending_.find(tasks_[task].suspect);
  queue->second.erase(rank_[task]);
  if (queue->second.empty()) {
    pending_.erase(queue);
  }
}

void JobState::move(std::uint32_t task, TaskState to) {
  Task& moved = tasks_[task];
  if (moved.state == to) {
    return;
  }
  if (moved.state == TaskState::kPending) {
    dequeue(task);
  }
  --counts_[static_cast<std::size_t>(moved.state)];
  moved.state = to;
  ++counts_[static_cast<std::size_t>(to)];
  if (to == TaskState::kPending) {
    enqueue(task);
  }
  if (to == TaskState::kDone) {
    cost_done_ += info(task).cost;
  }
}

bool JobState::allowed(std::uint32_t task, const std::string& machine, bool other_machine) const {
  return !other_machine || tasks_[task].suspect.empty() || tasks_[task].suspect != machine;
}

std::optional<std::uint32_t> JobState::next_pending(const std::string& machine, bool other_machine) const {
  // Suspects come last in the map of queues but first here: the sooner their fate is known the better.
  for (auto queue = pending_.rbegin(); queue != pending_.rend(); ++queue) {
    const std::uint32_t task = by_rank_[*queue->second.begin()];
    if (allowed(task, machine, other_machine)) {
      return task;
    }
  }
  return std::nullopt;
}

void JobState::suspect(std::uint32_t task, const std::string& machine) {
  const bool pending = tasks_[task].state == TaskState::kPending;
  if (pending) {
    dequeue(task);
  }
  tasks_[task].suspect = machine;
  if (pending) {
    enqueue(task);
  }
}

void JobState::note_late(std::uint32_t task, std::optional<Instant> waiting_until,
                         std::optional<Instant> running_until) {
  const auto replace = [&](LateTasks& index, std::optional<Instant>& old, const std::optional<Instant>& now) {
    if (old) {
      index.erase({*old, task});
    }
    if (now) {
      index.insert({*now, task});
    }
    old = now;
  };
  replace(waiting_, tasks_[task].waiting_until, waiting_until);
  replace(running_, tasks_[task].running_until, running_until);
}

bool JobState::measure(std::uint32_t task, double seconds) {
  const bool known = seconds_per_cost() > 0.0;
  measured_seconds_ += seconds;
  measured_cost_ += info(task).cost;
  return !known && seconds_per_cost() > 0.0;
}

bool JobState::contains(std::uint32_t task, std::uint32_t structure) const {
  return structure >= info(task).first_structure && structure - info(task).first_structure < info(task).structures;
}

std::vector<std::uint32_t> JobState::quarantined_in(std::uint32_t task) const {
  std::vector<std::uint32_t> found;
  for (auto next = quarantined_.lower_bound(info(task).first_structure);
       next != quarantined_.end() && contains(task, *next); ++next) {
    found.push_back(*next);
  }
  return found;
}

JobState::Crashes JobState::count_crash(std::uint32_t structure, const std::string& machine) {
  auto& by_machine = crashes_[structure];
  ++by_machine[machine];
  Crashes crashes{0, static_cast<int>(by_machine.size())};
  for (const auto& [name, times] : by_machine) {
    crashes.total += times;
  }
  return crashes;
}

std::string JobState::broken_invariant() const {
  std::array<std::uint64_t, 4> counts{};
  std::size_t late = 0;
  double cost_done = 0.0;
  for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
    const Task& task = tasks_[i];
    const auto broken = [&](const char* what) { return fmt::format("task {} of fit {}: {}", i, job_.fit, what); };
    ++counts[static_cast<std::size_t>(task.state)];
    const auto queue = pending_.find(task.suspect);
    const bool queued = queue != pending_.end() && queue->second.contains(rank_[i]);
    if (queued != (task.state == TaskState::kPending)) {
      return broken("pending, and not in the queue, or the other way round");
    }
    if (task.holders.size() > 2) {
      return broken("more than two workers hold it");
    }
    const bool may_be_held = task.state == TaskState::kLeased || task.state == TaskState::kStoring;
    if ((task.state == TaskState::kLeased && task.holders.empty()) || (!may_be_held && !task.holders.empty())) {
      return broken("its holders do not go with its state");
    }
    if ((task.state == TaskState::kStoring) == task.delivered.empty()) {
      return broken("being stored without a block, or the other way round");
    }
    const bool noted = task.waiting_until || task.running_until;
    if (noted && (task.state != TaskState::kLeased || task.holders.size() != 1)) {
      return broken("noted as late, but not leased to exactly one worker");
    }
    late += (task.waiting_until ? 1U : 0U) + (task.running_until ? 1U : 0U);
    cost_done += task.state == TaskState::kDone ? info(i).cost : 0.0;
  }
  if (counts != counts_) {
    return fmt::format("fit {}: the counts of its tasks are wrong", job_.fit);
  }
  if (late != waiting_.size() + running_.size()) {
    return fmt::format("fit {}: the index of late tasks is wrong", job_.fit);
  }
  // Summed in another order, hence the tolerance: one rounding per task.
  if (std::abs(cost_done - cost_done_) > 1e-15 * static_cast<double>(tasks_.size() + 1) * cost_total_) {
    return fmt::format("fit {}: the cost of what is done is wrong", job_.fit);
  }
  return "";
}

}  // namespace ipfit
