#include "manager/plan/tasks.h"

#include <algorithm>
#include <numbers>
#include <numeric>

namespace ipfit {
namespace {

// A few hundred tasks: the tail (one task on one of a few dozen slots) stays below a few per cent of the run.
constexpr double kTasksWanted = 400.0;
// But where that is quick work, none that takes less than about 10 ms, here in neighbours times columns of the basis: a
// task costs the manager some 0.1 ms whatever is in it, and its share of the processor shall stay about a per cent.
constexpr double kSmallestWork = 5e6;
constexpr double kFewestTasks = 64.0;
constexpr std::uint64_t kSmallestBlockBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostRecordBytes = std::uint64_t{16} << 20;  // well below kMaxPayloadBytes
constexpr std::uint32_t kMostStructures = 4096;                      // keeps the header of a task small

}  // namespace

double estimated_cost(const StructureInfo& info, double cutoff) {
  const auto atoms = static_cast<double>(info.atoms);
  const double sphere = 4.0 / 3.0 * std::numbers::pi * cutoff * cutoff * cutoff;
  const double neighbours = info.volume > 0.0 ? atoms / info.volume * sphere : std::min(atoms - 1.0, 0.05 * sphere);
  return atoms * (1.0 + neighbours);
}

std::vector<TaskInfo> plan_tasks(std::span<const StructureInfo> structures, std::int64_t columns, double cutoff,
                                 std::int64_t functions) {
  double total_cost = 0.0;
  std::uint64_t total_bytes = 0;
  const auto block_bytes = [columns](const StructureInfo& info) {
    return static_cast<std::uint64_t>(row_count(info.atoms, info.mask) * columns) * sizeof(double);
  };
  for (const StructureInfo& info : structures) {
    total_cost += estimated_cost(info, cutoff);
    total_bytes += block_bytes(info);
  }
  const double smallest_cost = kSmallestWork / static_cast<double>(functions);
  const double cost_limit = std::clamp(smallest_cost, total_cost / kTasksWanted, total_cost / kFewestTasks);
  const auto bytes_limit = std::clamp(static_cast<std::uint64_t>(static_cast<double>(total_bytes) / kTasksWanted),
                                      kSmallestBlockBytes, kTargetBlockBytes);

  std::vector<TaskInfo> tasks;
  std::uint64_t record_bytes = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const double cost = estimated_cost(structures[i], cutoff);
    const std::uint64_t bytes = block_bytes(structures[i]);
    const bool fits =
        !tasks.empty() && tasks.back().cost + cost <= cost_limit && tasks.back().bytes + bytes <= bytes_limit &&
        record_bytes + structures[i].bytes <= kMostRecordBytes && tasks.back().structures < kMostStructures;
    if (!fits) {
      tasks.push_back({static_cast<std::uint32_t>(i), 0, 0, 0.0});
      record_bytes = 0;
    }
    tasks.back().structures += 1;
    tasks.back().bytes += bytes;
    tasks.back().cost += cost;
    record_bytes += structures[i].bytes;
  }
  return tasks;
}

RowRange rows_of(const TaskInfo& task, const RowLayout& layout) {
  const std::int64_t first = layout[task.first_structure];
  return {first, layout[task.first_structure + task.structures] - first};
}

}  // namespace ipfit
