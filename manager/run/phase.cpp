#include "manager/run/phase.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/assembly_model.h"
#include "common/fit/fit_file.h"
#include "common/lsq/reduced_row.h"
#include "manager/plan/dimers.h"
#include "manager/plan/tasks.h"
#include "manager/store/store_reader.h"
#include "proto/structure_codec.h"

namespace ipfit {
namespace {

std::vector<StructureInfo> structures_of(const Dataset& dataset, PhaseRows rows) {
  std::vector<StructureInfo> structures = dataset.structures;
  for (StructureInfo& info : structures) {
    if (rows == PhaseRows::kEnergies) {
      info.mask = {true, false, false};
    } else if (rows == PhaseRows::kEverything) {
      info.mask = {true, true, info.volume > 0.0};
    }
  }
  if (rows == PhaseRows::kReduced) {
    std::erase_if(structures, [](const StructureInfo& info) { return info.set == DataSet::kTest; });  // the last ones
  }
  return structures;
}

// A task counts as done when the rows found in the store cover it; one without rows has nothing to do.
std::vector<bool> tasks_done(const std::vector<RowRange>& rows, const std::vector<RowRange>& stored) {
  std::vector<bool> done;
  done.reserve(rows.size());
  for (const RowRange& of_task : rows) {
    done.push_back(of_task.count == 0 || std::binary_search(stored.begin(), stored.end(), of_task));
  }
  return done;
}

Result<Model> read_potential(const FitDirectory& directory, const std::string& solution) {
  auto text = read_file(directory.potential(solution));
  return text ? read_model(*text, directory.potential(solution)) : text.errors();
}

// Predictions of an earlier solution of this name are derived data: they are made again.
Result<ReadyPhase> prepare_predictions(const std::string& dataset, const Model& model, const std::string& store,
                                       PhaseRows rows) {
  auto phase = prepare_phase(dataset, model, store, rows);
  if (!phase && phase.error().kind == ErrorKind::kRefused) {
    std::error_code ignored;
    std::filesystem::remove_all(store, ignored);
    phase = prepare_phase(dataset, model, store, rows);
  }
  return phase;
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
  phase.reduced = rows == PhaseRows::kReduced;
  phase.columns = phase.reduced ? reduced_columns(model) : model.columns();
  phase.tasks =
      (phase.reduced ? plan_reduced_tasks : plan_tasks)(phase.structures, phase.columns, evaluation_cost(model.basis));
  phase.rows = rows_of(phase.tasks, phase.columns);
  phase.model_text = write_model(model);
  phase.model_hash = fingerprint(phase.model_text);

  const StoreIdentity identity{phase.row_count(), phase.columns, phase.dataset.hash, phase.model_hash,
                               std::string(build_id())};
  auto blocks = BlockStore::open(store, identity);
  if (!blocks) {
    return blocks.errors();
  }
  phase.store = std::make_unique<BlockStore>(std::move(*blocks));
  const Recovery& recovery = phase.store->recovery();
  phase.done = tasks_done(phase.rows, recovery.stored);
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
  return prepare_phase(directory.dataset(), *model, directory.system(),
                       spec->assembly.keep == Keep::kReduced ? PhaseRows::kReduced : PhaseRows::kLabels);
}

Result<ReadyPhase> prepare_errors(const FitDirectory& directory, const std::string& solution) {
  const auto model = read_potential(directory, solution);
  if (!model) {
    return model.errors();
  }
  auto phase = prepare_predictions(directory.dataset(), *model, directory.predictions(solution), PhaseRows::kLabels);
  // What could not be evaluated in the assembly cannot be predicted either.
  if (const auto system = StoreReader::open(directory.system()); phase && system) {
    phase->quarantined.insert(phase->quarantined.end(), system->quarantined().begin(), system->quarantined().end());
  }
  return phase;
}

Result<ReadyPhase> prepare_dimers(const FitDirectory& directory, const std::string& solution) {
  const auto model = read_potential(directory, solution);
  if (!model) {
    return model.errors();
  }
  std::string records;
  for (const Structure& dimer : dimers_of(*model)) {
    const auto record = encode_structure(dimer);
    records.append(reinterpret_cast<const char*>(record.data()), record.size());
  }
  if (Status written = write_file_durably(directory.dimer_structures(solution), records); !written) {
    return written.errors();
  }
  return prepare_predictions(directory.dimer_structures(solution), *model, directory.dimers(solution),
                             PhaseRows::kEnergies);
}

}  // namespace ipfit
