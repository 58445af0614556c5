#include "manager/solve/stored_sets.h"

#include <algorithm>
#include <map>

#include "common/lsq/reduced_row.h"
#include "common/lsq/row_sets.h"
#include "common/lsq/weights.h"
#include "manager/plan/cost.h"
#include "manager/plan/tasks.h"

namespace ipfit {
namespace {

Status check_tasks(const std::vector<RowRange>& planned, std::int64_t columns, const StoreReader& store) {
  const std::vector<RowRange> stored = store.stored();
  const bool same = store.identity().columns == columns && std::ranges::all_of(stored, [&](const RowRange& rows) {
                      return std::ranges::binary_search(planned, rows);
                    });
  if (!same) {
    return Error{ErrorKind::kRefused, "system", "its reduced rows are not those of dataset.bin and fit.toml",
                 "solve with the version of ipfit that assembled them, or start again with another --out"};
  }
  return Done{};
}

}  // namespace

Result<std::vector<StoredSet>> stored_sets(std::span<const StructureInfo> structures,
                                           std::span<const Structure> contents, const Model& model,
                                           const StoreReader& store) {
  // Test structures come last, and have no rows here.
  const auto evaluated = structures.first(static_cast<std::size_t>(
      std::ranges::count_if(structures, [](const StructureInfo& info) { return info.set != DataSet::kTest; })));
  const std::int64_t columns = reduced_columns(model);
  const std::vector<TaskInfo> tasks = plan_reduced_tasks(evaluated, columns, evaluation_cost(model.basis));
  const std::vector<RowRange> rows = rows_of(tasks, columns);
  if (Status same = check_tasks(rows, columns, store); !same) {
    return same.errors();
  }
  std::vector<StoredSet> out;
  std::map<std::uint32_t, const Structure*> named;
  for (std::size_t i = 0; i < evaluated.size(); ++i) {
    named.try_emplace(evaluated[i].member.group, &contents[i]);
  }
  std::int64_t first = 0;
  for (const TaskInfo& task : tasks) {
    std::vector<SetMember> members;
    for (const StructureInfo& info : evaluated.subspan(task.first_structure, task.structures)) {
      members.push_back(info.member);
    }
    for (const RowSet& set : row_sets(members, columns)) {
      const Structure& one = *named.at(set.group);
      out.push_back({{first, set.kept}, one.set, one.config_type, set.kind, set.own});
      first += set.kept;
    }
  }
  return out;
}

double weight_of(const StoredSet& set, const WeightsSpec& weights) {
  const double weight = weight_of(weights_of(weights, set.group), set.kind);
  return set.own && weight > 0.0 ? 1.0 : weight;
}

}  // namespace ipfit
