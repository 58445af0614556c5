#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"
#include "manager/store/store_reader.h"

namespace ipfit {

/// The stored predictions of a solution. Errors: kRefused where they belong to another potential than the one beside
/// them; kFailed where some are missing.
Result<StoreReader> open_predictions(const FitDirectory& directory, const std::string& name);

/// The structures, by their number in dataset.bin, that were set aside while rows were evaluated or while they were
/// predicted.
std::set<std::size_t> set_aside(const FitDirectory& directory, const StoreReader& predictions);

/// A structure with what it should be and what the potential says: its rows in row order (eV, eV/Å, eV).
struct Compared {
  const Structure& structure;
  RowMask mask;
  std::span<const double> labels;
  std::span<const double> predictions;
};

/// Visits the structures of dataset.bin that were not set aside, in order. Errors: predictions that cannot be read.
Status for_each_compared(const std::vector<Structure>& structures, const StoreReader& predictions,
                         const std::set<std::size_t>& aside, const std::function<void(const Compared&)>& visit);

}  // namespace ipfit
