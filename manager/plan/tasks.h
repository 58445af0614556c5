#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "manager/plan/cost.h"
#include "manager/plan/dataset_index.h"
#include "manager/run/scheduler.h"
#include "manager/store/block_store.h"

namespace ipfit {

/// Cuts the structures into tasks: contiguous ranges of similar size, small enough that the last ones to finish do not
/// keep a machine waiting, large enough that the overhead of a task does not count. Depends on the data and the basis
/// alone, never on the workers. TaskInfo::cost is in seconds of an ordinary core. Blocks are at most kTargetBlockBytes,
/// and tasks take at most about kLongestTask, unless a single structure is larger.
std::vector<TaskInfo> plan_tasks(std::span<const StructureInfo> structures, std::int64_t columns,
                                 const EvaluationCost& cost);

/// The same where the rows of a task are reduced: `columns` are reduced_columns(), and TaskInfo::bytes those of what is
/// left. A task has many more rows than columns, or reducing them would gain little, but takes at most kLongestTask;
/// its structures are of one data set.
std::vector<TaskInfo> plan_reduced_tasks(std::span<const StructureInfo> structures, std::int64_t columns,
                                         const EvaluationCost& cost);

/// The rows of each task in the store, which follow each other.
std::vector<RowRange> rows_of(std::span<const TaskInfo> tasks, std::int64_t columns);

inline constexpr std::uint64_t kTargetBlockBytes = std::uint64_t{8} << 20;

// What a worker has at hand is lost with it, and a machine that is lent for an hour should hand in much of what it did.
inline constexpr double kLongestTask = 30.0;  // seconds

}  // namespace ipfit
