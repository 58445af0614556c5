#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "manager/plan/dataset_index.h"
#include "manager/run/scheduler.h"
#include "manager/store/block_store.h"

namespace ipfit {

/// Estimated cost of a structure, in neighbours visited: atoms times the neighbours within the cutoff at its density.
/// Only the ratio between structures matters.
double estimated_cost(const StructureInfo& info, double cutoff);

/// Cuts the structures into tasks: contiguous ranges of similar size, small enough that the last ones to finish do not
/// keep a machine waiting, large enough that the overhead of a task does not count. Depends on the data alone, never on
/// the workers. Blocks are at most kTargetBlockBytes unless a single structure is larger. `columns` are those of the
/// rows, `cutoff` and `functions` (columns of the design matrix) those of the basis.
std::vector<TaskInfo> plan_tasks(std::span<const StructureInfo> structures, std::int64_t columns, double cutoff,
                                 std::int64_t functions);

/// The rows of a task.
RowRange rows_of(const TaskInfo& task, const RowLayout& layout);

inline constexpr std::uint64_t kTargetBlockBytes = std::uint64_t{8} << 20;

}  // namespace ipfit
