#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/model/model.h"
#include "common/result.h"
#include "manager/plan/dataset_index.h"
#include "manager/plan/fit_directory.h"
#include "manager/run/scheduler.h"
#include "manager/store/block_store.h"
#include "proto/message.h"

namespace ipfit {

/// One phase, ready to be handed to workers: rows of the design matrix (assembly), or with a fitted potential the one
/// column of predicted energies, forces and virials (errors).
struct ReadyPhase {
  Dataset dataset;
  std::vector<StructureInfo> structures;  ///< those of the phase, with the rows that they have in it
  RowLayout layout;
  std::int64_t columns = 0;
  std::vector<TaskInfo> tasks;
  std::vector<bool> done;                     ///< found in the store
  std::vector<QuarantineRecord> quarantined;  ///< known from an earlier run or phase
  std::string model_text;
  std::string model_hash;
  std::vector<std::string> findings;  ///< of opening the store, in words
  std::unique_ptr<BlockStore> store;  ///< moves on to the store thread
};

/// Which rows the structures have in a phase.
enum class PhaseRows {
  kLabels,      ///< a row for each label
  kEverything,  ///< energy, forces, and virial where periodic in all directions
};

/// Opens data set and store and plans the tasks. Slow on large fits: verifies every stored row. Runs on a background
/// thread.
Result<ReadyPhase> prepare_phase(const std::string& dataset, const Model& model, const std::string& store,
                                 PhaseRows rows);

/// The phase of a fit directory: the rows of all its structures, so that nothing is left to evaluate when a solution is
/// compared with the labels (docs/decisions/0007-rows-of-test-structures-are-stored.md).
Result<ReadyPhase> prepare_assembly(const FitDirectory& directory);

}  // namespace ipfit
