#pragma once

#include <map>
#include <memory>
#include <optional>
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

/// One phase of a fit, ready to be handed to workers: rows of the design matrix (assembly), or with a fitted potential
/// the one column of predicted energies, forces and virials (dimers, and structures to be predicted).
struct ReadyPhase {
  Dataset dataset;
  std::vector<StructureInfo> structures;  ///< those of the phase, with the rows that they have in it
  std::int64_t columns = 0;
  std::vector<TaskInfo> tasks;
  std::vector<RowRange> rows;  ///< of each task, in the store
  std::int64_t row_count() const { return rows.empty() ? 0 : rows.back().first + rows.back().count; }
  bool reduced = false;                       ///< these are reduced rows
  std::vector<bool> done;                     ///< found in the store
  std::vector<QuarantineRecord> quarantined;  ///< known from an earlier run or phase, and in this one
  std::string model_text;
  std::string model_hash;
  std::vector<std::string> findings;  ///< of opening the store, in words
  std::unique_ptr<BlockStore> store;  ///< moves on to the store thread
  std::optional<SharedFile> shared;   ///< where workers of ours write their rows themselves
};

/// Which rows the structures have in a phase.
enum class PhaseRows {
  kLabels,      ///< a row for each label
  kEnergies,    ///< the energy alone
  kEverything,  ///< energy, forces, and virial where periodic in all directions
  kReduced,     ///< of training and validation structures, what is left of the labels' rows when tasks reduce them
};

/// Opens data set and store and plans the tasks. Reads data and journal, no rows: those are verified beside the work.
/// Runs on a background thread.
Result<ReadyPhase> prepare_phase(const std::string& dataset, const Model& model, const std::string& store,
                                 PhaseRows rows);

/// The phases of a fit directory. The first makes the rows of all its structures, so that nothing is left to evaluate
/// when a solution is compared with the labels (docs/decisions/0007-rows-of-test-structures-are-stored.md). Where
/// `assembly.keep` is "reduced" it makes reduced rows, which say nothing of single structures: prepare_errors() then
/// predicts their labels. The model of these and of the dimers is the potential of the solution; prepare_dimers()
/// writes the dimers of its elements (manager/plan/dimers.h) first.
Result<ReadyPhase> prepare_assembly(const FitDirectory& directory);
Result<ReadyPhase> prepare_errors(const FitDirectory& directory, const std::string& solution);
Result<ReadyPhase> prepare_dimers(const FitDirectory& directory, const std::string& solution);

}  // namespace ipfit
