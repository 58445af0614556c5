#pragma once

#include <cstdint>
#include <string>

#include "common/fit/fit_spec.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// What a person wants to know of a solution.
struct SolveSummary {
  std::int64_t rows = 0;  ///< that had a say
  std::int64_t columns = 0;
  std::string status;    ///< of the solver, in words
  std::string one_body;  ///< note on the one-body energies; may be empty
  double seconds = 0.0;
  bool was_there = false;  ///< the same problem had been solved before: nothing was done
};

/// Solves the assembled system of a fit directory with the weights, the solver and the one-body energies of `spec`, and
/// writes the solution: its fit.toml, coefficients.json, potential.json, and files for LAMMPS where it knows the basis.
/// Evaluates nothing. Does nothing where the same problem has been solved under this name. Memory: targets and weights
/// of all rows and a few panels; the matrix itself stays on disk. Errors: kFailed where rows are missing, the system
/// cannot be solved, or there is not enough memory for it; kRefused where `spec` has another basis or repulsion than
/// the rows.
Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name, const FitSpec& spec);

/// The same as the fit.toml of the directory says.
Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name);

}  // namespace ipfit
