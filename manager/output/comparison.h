#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/json.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// A solution as its files say.
struct SolutionSummary {
  std::string name;
  std::int64_t functions = 0;  ///< whose coefficient is not 0
  Json solver;                 ///< as in coefficients.json
  std::string status;
  std::vector<std::string> changes;  ///< of weights and one-body energies, from the fit file of the directory
  Json errors;                       ///< errors.json; null where there is none
};

/// All solutions of a fit directory, "default" first, the others in alphabetical order. Errors: kInput where there is
/// no solution, or a file that is damaged.
Result<std::vector<SolutionSummary>> read_solutions(const FitDirectory& directory);

/// What `own` weighs in another way than `base`: "without liquid", "bulk energy_sigma = 0.01", "one_body". Groups that
/// follow the default are not named.
std::vector<std::string> weight_changes(const FitSpec& base, const FitSpec& own);

/// "ridge, lambda = 0.001"
std::string solver_in_words(const Json& solver);

/// Tables for people: the solutions, then for each set of structures their errors in total; the smallest number of a
/// column has a star where there are several.
std::string comparison_text(const std::vector<SolutionSummary>& solutions);

/// The same for programs (docs/reference/ipfit.md).
std::string comparison_json(const std::vector<SolutionSummary>& solutions);

}  // namespace ipfit
