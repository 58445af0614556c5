#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"
#include "common/lsq/observation.h"
#include "common/model/model.h"
#include "common/result.h"
#include "manager/plan/dataset_index.h"
#include "manager/store/store_reader.h"

namespace ipfit {

/// A set of rows (common/lsq/row_sets.h) of a task as it lies in a store of reduced rows.
struct StoredSet {
  RowRange kept;  ///< rows of the store
  DataSet set = DataSet::kTrain;
  std::string group;
  Kind kind = Kind::kEnergy;
  bool own = false;  ///< its structures bring weights, which are in the rows already
};

/// The sets in a store of reduced rows, in the order of their rows. Errors: kRefused where the store was not made of
/// these structures and this model, or by a version of ipfit that cut tasks otherwise.
Result<std::vector<StoredSet>> stored_sets(std::span<const StructureInfo> structures,
                                           std::span<const Structure> contents, const Model& model,
                                           const StoreReader& store);

/// What the rows of a set are multiplied by in a solution with these weights.
double weight_of(const StoredSet& set, const WeightsSpec& weights);

}  // namespace ipfit
