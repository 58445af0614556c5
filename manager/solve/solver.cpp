#include "manager/solve/solver.h"

#include <fmt/format.h>

#include <cmath>

#include "manager/solve/ard.h"
#include "manager/solve/blr.h"
#include "manager/solve/committee.h"
#include "manager/solve/lasso.h"
#include "manager/solve/lsqr.h"
#include "manager/solve/omp.h"
#include "manager/solve/qr.h"
#include "manager/solve/ridge.h"
#include "manager/solve/rrqr.h"
#include "manager/solve/tsvd.h"
#include "manager/solve/variables.h"

namespace ipfit {
namespace {

Error wrong_option(const char* key, std::string what) {
  return {ErrorKind::kInput, key, std::move(what), ""};
}

bool all_finite(const ReducedSystem& system) {
  return system.R.allFinite() && system.z.allFinite() && std::isfinite(system.rho);
}

Status check_system(const ReducedSystem& system, const DiagonalPrior& prior) {
  if (system.rows == 0 || system.R.cols() == 0) {
    return Error{ErrorKind::kFailed, "solve", "the least-squares system has no rows",
                 "check that the training data have labels and that not all weights are 0"};
  }
  if (!all_finite(system)) {
    return Error{ErrorKind::kFailed, "solve", "the least-squares system has entries that are not finite",
                 "check labels and weights for absurd numbers"};
  }
  if (prior.size() != 0 && prior.size() != system.R.cols()) {
    return wrong_option("solver.prior", fmt::format("has {} entries for {} columns", prior.size(), system.R.cols()));
  }
  if (!(prior.array() > 0.0).all() || !prior.allFinite()) {
    return wrong_option("solver.prior", "has entries that are not above 0 or not finite");
  }
  return Done{};
}

bool rule_fits(SolverKind kind, StrengthRule rule) {
  switch (rule) {
    case StrengthRule::kGiven:
      return true;
    case StrengthRule::kEvidence:
      return kind == SolverKind::kRidge;
    case StrengthRule::kGcv:
    case StrengthRule::kValidation:
      return kind == SolverKind::kRidge || kind == SolverKind::kTsvd || kind == SolverKind::kOmp ||
             kind == SolverKind::kLasso;
  }
  return false;
}

Status check_options(const SolverSpec& options) {
  if (!(options.lambda >= 0.0) || !std::isfinite(options.lambda)) {
    return wrong_option("solver.lambda", fmt::format("is {}, expected a number >= 0", options.lambda));
  }
  if (!(options.rtol >= 0.0 && options.rtol < 1.0)) {
    return wrong_option("solver.rtol", fmt::format("is {}, expected a number >= 0 and < 1", options.rtol));
  }
  const bool selects = options.kind == SolverKind::kOmp || options.kind == SolverKind::kLasso;
  if (options.size < 0 || (selects && options.strength == StrengthRule::kGiven && options.size == 0)) {
    return wrong_option("solver.size", fmt::format("is {}, expected at least 1", options.size));
  }
  if (options.committee < 0) {
    return wrong_option("solver.committee", fmt::format("is {}, expected at least 0", options.committee));
  }
  if (options.committee > 0 && options.kind != SolverKind::kBlr && options.kind != SolverKind::kArd) {
    return wrong_option("solver.committee", "needs a posterior to draw from, as blr and ard have");
  }
  if (!rule_fits(options.kind, options.strength)) {
    return wrong_option("solver.kind", "cannot choose its strength by this rule");
  }
  return Done{};
}

Status check_validation(const ReducedSystem& system, const SolverSpec& options, const ReducedSystem* validation) {
  if (validation == nullptr) {
    return options.strength == StrengthRule::kValidation
               ? Status(wrong_option("solver", "is to choose by validation, but there is no validation set"))
               : Status(Done{});
  }
  if (validation->R.cols() != system.R.cols() || validation->rows == 0 || !all_finite(*validation)) {
    return Error{ErrorKind::kFailed, "solve",
                 "the validation set has no rows, other columns than the training set, or entries that are not finite",
                 "check its labels and weights"};
  }
  return Done{};
}

/// What the variables of the solver are: `scales` .* c.
Eigen::VectorXd scales_of(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior) {
  if (prior.size() != 0) {
    return prior;
  }
  switch (options.kind) {
    case SolverKind::kRrqr:
    case SolverKind::kArd:
    case SolverKind::kOmp:
    case SolverKind::kLasso:
      return column_lengths(system);
    case SolverKind::kLsqr:  // without a penalty only the speed depends on the scales
      return options.lambda == 0.0 ? column_lengths(system) : Eigen::VectorXd::Ones(system.R.cols());
    case SolverKind::kQr:
    case SolverKind::kTsvd:
    case SolverKind::kRidge:
    case SolverKind::kBlr:
      break;
  }
  return Eigen::VectorXd::Ones(system.R.cols());
}

Result<Solution> solve_scaled(const ReducedSystem& system, const SolverSpec& options, bool has_prior,
                              const ReducedSystem* validation) {
  switch (options.kind) {
    case SolverKind::kQr:
      return has_prior ? solve_ridge(system, 1.0) : solve_qr(system.R, system.z);
    case SolverKind::kRrqr:
      return solve_rrqr(system, options.rtol);
    case SolverKind::kTsvd:
      return solve_tsvd(system, options.strength, options.rtol, validation);
    case SolverKind::kRidge:
      return options.strength == StrengthRule::kGiven ? solve_ridge(system, options.lambda)
                                                      : solve_ridge(system, options.strength, validation);
    case SolverKind::kBlr:
      return solve_blr(system);
    case SolverKind::kArd:
      return solve_ard(system);
    case SolverKind::kOmp:
      return solve_omp(system, options.strength, options.size, validation);
    case SolverKind::kLasso:
      return solve_lasso(system, options.strength, options.size, validation);
    case SolverKind::kLsqr:
      return lsqr(operator_of(system), system.R.cols(), system.z,
                  {.damp = options.lambda, .rtol = options.rtol, .rho = system.rho});
  }
  return Error{ErrorKind::kInternal, "solve", "unknown kind of solver", ""};
}

// From the variables of the solver to coefficients.
void unscale(Solution& solution, const Eigen::VectorXd& scales) {
  solution.coefficients = solution.coefficients.cwiseQuotient(scales);
  if (solution.covariance_factor.size() != 0) {
    solution.covariance_factor.array().colwise() /= scales.array();
  }
  if (solution.precisions.size() != 0) {
    solution.precisions.array() *= scales.array().square();
  }
}

}  // namespace

Result<Solution> solve(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior,
                       const ReducedSystem* validation) {
  for (const Status& status :
       {check_system(system, prior), check_options(options), check_validation(system, options, validation)}) {
    if (!status) {
      return status.errors();
    }
  }
  const Eigen::VectorXd scales = scales_of(system, options, prior);
  const ReducedSystem scaled = in_variables(system, scales);
  if (!all_finite(scaled)) {
    return Error{ErrorKind::kFailed, "solve", "the columns overflow when they are divided by the prior",
                 "raise the widths of the prior"};
  }
  const ReducedSystem scaled_validation = validation == nullptr ? ReducedSystem{} : in_variables(*validation, scales);
  Result<Solution> found =
      solve_scaled(scaled, options, prior.size() != 0, validation == nullptr ? nullptr : &scaled_validation);
  if (!found) {
    return found;
  }
  unscale(*found, scales);
  if (!found->coefficients.allFinite()) {
    return Error{ErrorKind::kFailed, "solve", "the coefficients overflow: " + found->status,
                 "use a ridge, or fewer basis functions"};
  }
  found->residual =
      std::hypot((system.R.triangularView<Eigen::Upper>() * found->coefficients - system.z).stableNorm(), system.rho);
  if (options.committee > 0) {
    found->committee = draw_committee(found->coefficients, found->covariance_factor, options.committee,
                                      static_cast<std::uint64_t>(options.seed));
  }
  return found;
}

}  // namespace ipfit
