#pragma once

#include <cstdint>
#include <string>

#include "common/result.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// What a person wants to know of a solution.
struct SolveSummary {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::string status;    ///< of the solver, in words
  std::string one_body;  ///< note on the one-body energies; may be empty
  double seconds = 0.0;
  bool was_there = false;  ///< the same problem had been solved before: nothing was done
};

/// About how many bytes of memory it takes to solve a system, the most at any time: for the targets and weights of the
/// rows, and for reducing them or for the solver, whichever is more.
double solve_bytes(std::int64_t rows, std::int64_t columns, int threads);

/// Solves the assembled system of a fit directory as its fit.toml says, and writes coefficients.json and potential.json
/// of the solution. Evaluates nothing. Does nothing where the same problem has been solved under this name. Memory:
/// targets and weights of all rows and a few panels; the matrix itself stays on disk. Errors: kFailed where rows are
/// missing, the system cannot be solved, or there is not enough memory for it.
Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name);

}  // namespace ipfit
