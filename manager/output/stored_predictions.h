#pragma once

#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/model/model.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"
#include "manager/store/store_reader.h"

namespace ipfit {

/// What a fitted potential says about every row of the assembled system: A c, plus the reference potential that was
/// evaluated with the rows, plus the one-body energies in rows of energies. Evaluates nothing; reads the matrix once,
/// in panels. `structures` are those of the store, in its order. Errors: kRefused where the store is of another basis
/// or repulsion than the potential, or of other structures; kFailed where rows are missing; kStorage where they
/// are damaged.
Result<std::vector<double>> predict_rows(const StoreReader& system, const std::vector<Structure>& structures,
                                         const Model& potential);

/// Keeps them beside the solution, as a store of one column; replaces what was there.
Status keep_predictions(const FitDirectory& directory, const std::string& name, const StoreIdentity& system,
                        const Model& potential, const std::vector<double>& predictions);

}  // namespace ipfit
