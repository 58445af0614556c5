#include "manager/plan/sizes.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "common/lsq/reduced_row.h"
#include "common/model/basis_spec.h"
#include "manager/plan/basis_text.h"
#include "manager/plan/cost.h"
#include "manager/plan/tasks.h"
#include "manager/run/status.h"
#include "manager/solve/solve_resources.h"

namespace ipfit {
namespace {

constexpr double kWorkerBytes = 30e6;  // of a worker process before its first block
constexpr double kBlocksHeld = 3.0;    // being evaluated, and waiting to be acknowledged

// A fit that is submitted is solved elsewhere, so this is no mistake.
std::string if_too_much(double bytes) {
  const double here = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return bytes > here ? fmt::format(", more than the {} of this machine", bytes_text(here)) : "";
}

}  // namespace

std::string bytes_text(double bytes) {
  for (const auto& [unit, size] : {std::pair{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}) {
    if (bytes >= size) {
      return fmt::format("{:.3g} {}", bytes / size, unit);
    }
  }
  return fmt::format("{:.0f} bytes", bytes);
}

std::string sizes_text(const Imported& data) {
  const std::span<const StructureInfo> all = data.structures;
  const bool reduced = data.spec.assembly.keep == Keep::kReduced;
  const auto evaluated = reduced ? all.first(static_cast<std::size_t>(std::ranges::count_if(
                                       all, [](const auto& info) { return info.set != DataSet::kTest; })))
                                 : all;
  const std::int64_t rows = row_layout(evaluated).back();
  const std::int64_t fitted = row_layout(all.first(data.train_count)).back();
  const std::int64_t columns = reduced ? reduced_columns(data.model) : data.model.columns();
  const std::vector<TaskInfo> tasks =
      (reduced ? plan_reduced_tasks : plan_tasks)(evaluated, columns, evaluation_cost(data.model.basis));
  std::uint64_t largest = 0;
  double stored = 0.0;
  double seconds = 0.0;
  for (const TaskInfo& task : tasks) {
    largest = std::max(largest, task.bytes);
    stored += static_cast<double>(task.bytes);
    seconds += task.cost;
  }
  const double solve = solve_bytes(rows, columns, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  const double worker = kWorkerBytes + kBlocksHeld * static_cast<double>(largest) + coupling_bytes(data.model.basis);
  const std::string of_these =
      fitted == rows ? "" : fmt::format("         {} of these rows are fitted to, the others only compared\n", fitted);
  return basis_text(data.model.basis) +
         fmt::format("matrix   {} rows x {} columns: {} on disk{}, in {} tasks of at most {}\n{}", rows, columns,
                     bytes_text(stored), reduced ? ", reduced" : "", tasks.size(),
                     bytes_text(static_cast<double>(largest)), of_these) +
         fmt::format("memory   about {} for each worker process, {} for the solve{}\ntime     about {} on one core\n",
                     bytes_text(worker), bytes_text(solve), if_too_much(solve), duration_text(seconds));
}

}  // namespace ipfit
