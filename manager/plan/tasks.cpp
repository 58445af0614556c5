#include "manager/plan/tasks.h"

#include <algorithm>

namespace ipfit {
namespace {

// A few hundred tasks: the tail (one task on one of a few dozen slots) stays below a few per cent of the run.
constexpr double kTasksWanted = 400.0;
// But where that is quick work, none that takes less than this: a task costs the manager some 0.1 ms whatever is in it,
// and its share of the processor shall stay about a per cent.
constexpr double kShortestTask = 0.01;  // s
constexpr double kFewestTasks = 64.0;
// Where rows are reduced a task leaves about a row for each column and kind of rows: so many more it should have.
constexpr std::int64_t kRowsPerColumn = 24;
constexpr double kFewestReducedTasks = 16.0;
constexpr std::uint64_t kSmallestBlockBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostRecordBytes = std::uint64_t{16} << 20;  // well below kMaxPayloadBytes
constexpr std::uint32_t kMostStructures = 4096;                      // keeps the header of a task small

}  // namespace

std::vector<TaskInfo> plan_tasks(std::span<const StructureInfo> structures, std::int64_t columns,
                                 const EvaluationCost& cost) {
  double total_seconds = 0.0;
  std::uint64_t total_bytes = 0;
  const auto block_bytes = [columns](const StructureInfo& info) {
    return static_cast<std::uint64_t>(row_count(info.atoms, info.mask) * columns) * sizeof(double);
  };
  for (const StructureInfo& info : structures) {
    total_seconds += estimated_seconds(info, cost);
    total_bytes += block_bytes(info);
  }
  const double seconds_limit =
      std::min(kLongestTask, std::clamp(kShortestTask, total_seconds / kTasksWanted, total_seconds / kFewestTasks));
  const auto bytes_limit = std::clamp(static_cast<std::uint64_t>(static_cast<double>(total_bytes) / kTasksWanted),
                                      kSmallestBlockBytes, kTargetBlockBytes);

  std::vector<TaskInfo> tasks;
  std::uint64_t record_bytes = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const double seconds = estimated_seconds(structures[i], cost);
    const std::uint64_t bytes = block_bytes(structures[i]);
    const bool fits =
        !tasks.empty() && tasks.back().cost + seconds <= seconds_limit && tasks.back().bytes + bytes <= bytes_limit &&
        record_bytes + structures[i].bytes <= kMostRecordBytes && tasks.back().structures < kMostStructures;
    if (!fits) {
      tasks.push_back({static_cast<std::uint32_t>(i), 0, 0, 0.0});
      record_bytes = 0;
    }
    tasks.back().structures += 1;
    tasks.back().bytes += bytes;
    tasks.back().cost += seconds;
    record_bytes += structures[i].bytes;
  }
  return tasks;
}

std::vector<TaskInfo> plan_reduced_tasks(std::span<const StructureInfo> structures, std::int64_t columns,
                                         const EvaluationCost& cost) {
  double total_seconds = 0.0;
  for (const StructureInfo& info : structures) {
    total_seconds += estimated_seconds(info, cost);
  }
  const double seconds_limit = std::min(kLongestTask, std::max(kShortestTask, total_seconds / kFewestReducedTasks));
  const std::int64_t rows_limit = kRowsPerColumn * columns;
  std::vector<TaskInfo> tasks;
  std::vector<SetMember> members;
  std::int64_t rows = 0;
  std::uint64_t record_bytes = 0;
  const auto close_task = [&] {
    if (!tasks.empty()) {
      tasks.back().bytes = static_cast<std::uint64_t>(kept_rows(row_sets(members, columns)) * columns) * sizeof(double);
    }
    members.clear();
    rows = 0;
    record_bytes = 0;
  };
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const StructureInfo& info = structures[i];
    const double seconds = estimated_seconds(info, cost);
    const std::int64_t more = row_count(info.atoms, info.mask);
    const bool fits = !members.empty() && tasks.back().cost + seconds <= seconds_limit && rows + more <= rows_limit &&
                      record_bytes + info.bytes <= kMostRecordBytes && members.size() < kMostStructures &&
                      structures[i - 1].set == info.set;
    if (!fits) {
      close_task();
      tasks.push_back({static_cast<std::uint32_t>(i), 0, 0, 0.0});
    }
    members.push_back(info.member);
    rows += more;
    record_bytes += info.bytes;
    tasks.back().structures += 1;
    tasks.back().cost += seconds;
  }
  close_task();
  return tasks;
}

std::vector<RowRange> rows_of(std::span<const TaskInfo> tasks, std::int64_t columns) {
  std::vector<RowRange> rows;
  rows.reserve(tasks.size());
  std::int64_t first = 0;
  for (const TaskInfo& task : tasks) {
    rows.push_back({first, static_cast<std::int64_t>(task.bytes / sizeof(double)) / columns});
    first += rows.back().count;
  }
  return rows;
}

}  // namespace ipfit
