#include "manager/solve/solver.h"

#include <cmath>

#include "manager/solve/qr.h"
#include "manager/solve/ridge.h"

namespace ipfit {
namespace {

Status check(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior) {
  if (system.rows == 0) {
    return Error{ErrorKind::kFailed, "solve", "the least-squares system has no rows",
                 "check that the training data have labels and that not all weights are 0"};
  }
  if (!system.R.allFinite() || !system.z.allFinite() || !std::isfinite(system.rho)) {
    return Error{ErrorKind::kFailed, "solve", "the least-squares system has entries that are not finite",
                 "check labels and weights for absurd numbers"};
  }
  if (!(options.lambda >= 0.0) || !std::isfinite(options.lambda)) {
    return Error{ErrorKind::kInput, "solver.lambda",
                 "is " + std::to_string(options.lambda) + ", expected a number >= 0", ""};
  }
  if (!(prior.array() >= 0.0).all() || !prior.allFinite()) {
    return Error{ErrorKind::kInput, "solver.prior", "has entries that are negative or not finite", ""};
  }
  return Done{};
}

}  // namespace

Result<Solution> solve(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior) {
  if (Status status = check(system, options, prior); !status) {
    return status.errors();
  }
  const DiagonalPrior gamma =
      options.kind == SolverKind::kRidge ? ridge_prior(options.lambda, prior, system.R.cols()) : prior;
  const ReducedSystem solved = gamma.size() == 0 ? system : with_prior(system, gamma);
  Solution out = solve_qr(solved.R, solved.z);
  if (!out.coefficients.allFinite()) {
    return Error{ErrorKind::kFailed, "solve", "the coefficients overflow: " + out.status,
                 "use a ridge, or fewer basis functions"};
  }
  out.residual =
      std::hypot((system.R.triangularView<Eigen::Upper>() * out.coefficients - system.z).stableNorm(), system.rho);
  return out;
}

}  // namespace ipfit
