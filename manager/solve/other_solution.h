#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/result.h"

namespace ipfit {

/// What a person wants to be different in another solution of the same rows.
struct SolutionChanges {
  std::string from;                   ///< path of a whole fit file: its weights, solver and one-body energies
  std::string weights;                ///< path of a file of sections [weights.NAME]
  std::optional<std::string> solver;  ///< solver.kind
  std::optional<double> lambda;       ///< solver.lambda
  std::optional<int> functions;       ///< solver.functions
  std::vector<std::string> only;      ///< groups to be fitted to; empty: all
  std::vector<std::string> without;   ///< groups not to be fitted to

  bool any() const {
    return !from.empty() || !weights.empty() || solver || lambda || functions || !only.empty() || !without.empty();
  }
};

/// The fit file of that solution: `spec`, the resolved one of the fit directory, with the changes. Groups that are not
/// fitted to have weight 0. `groups` are those of the training data. Errors: files that cannot be read or contradict
/// what was assembled, groups that there are not, a solver that needs what is not given, all weights 0.
Result<FitSpec> with_changes(const FitSpec& spec, const SolutionChanges& changes, const std::set<std::string>& groups);

}  // namespace ipfit
