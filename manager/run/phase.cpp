#include "manager/run/phase.h"

#include <algorithm>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/fit/assembly_model.h"
#include "common/fit/fit_file.h"
#include "manager/plan/tasks.h"

namespace ipfit {
namespace {

std::vector<StructureInfo> structures_of(const Dataset& dataset, PhaseRows rows) {
  std::vector<StructureInfo> structures = dataset.structures;
  if (rows == PhaseRows::kEverything) {
    for (StructureInfo& info : structures) {
      info.mask = {true, true, info.volume > 0.0};
    }
  }
  return structures;
}

// A task counts as done when the rows found in the store cover it; one without rows has nothing to do.
std::vector<bool> tasks_done(const std::vector<TaskInfo>& tasks, const RowLayout& layout,
                             const std::vector<RowRange>& stored) {
  std::vector<bool> done;
  done.reserve(tasks.size());
  for (const TaskInfo& task : tasks) {
    const RowRange rows = rows_of(task, layout);
    done.push_back(rows.count == 0 || std::binary_search(stored.begin(), stored.end(), rows));
  }
  return done;
}

}  // namespace

Result<ReadyPhase> prepare_phase(const std::string& dataset, const Model& model, const std::string& store,
                                 PhaseRows rows) {
  auto opened = open_dataset(dataset);
  if (!opened) {
    return opened.errors();
  }
  ReadyPhase phase;
  phase.dataset = std::move(*opened);
  phase.structures = structures_of(phase.dataset, rows);
  phase.layout = row_layout(phase.structures);
  phase.columns = model.columns();
  phase.tasks = plan_tasks(phase.structures, phase.columns, evaluation_cost(model.basis));
  phase.model_text = write_model(model);
  phase.model_hash = fingerprint(phase.model_text);

  const StoreIdentity identity{phase.layout.back(), phase.columns, phase.dataset.hash, phase.model_hash,
                               std::string(build_id())};
  auto blocks = BlockStore::open(store, identity);
  if (!blocks) {
    return blocks.errors();
  }
  phase.store = std::make_unique<BlockStore>(std::move(*blocks));
  const Recovery& recovery = phase.store->recovery();
  phase.done = tasks_done(phase.tasks, phase.layout, recovery.stored);
  phase.quarantined = recovery.quarantined;
  phase.findings = recovery.findings;
  return phase;
}

Result<ReadyPhase> prepare_assembly(const FitDirectory& directory) {
  auto spec = load_fit_file(directory.fit_file());
  if (!spec) {
    return spec.errors();
  }
  const auto model = assembly_model(*spec);
  if (!model) {
    return model.errors();
  }
  return prepare_phase(directory.dataset(), *model, directory.system(), PhaseRows::kLabels);
}

}  // namespace ipfit
