#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/lsq/reduced.h"
#include "common/result.h"
#include "manager/solve/prior.h"

namespace ipfit {

/// A size that a selection of columns went through.
struct PathPoint {
  std::int64_t columns = 0;          ///< that are used
  double residual = 0.0;             ///< |A c - y| of the least squares on these columns
  std::optional<double> validation;  ///< the same on the validation set, where there is one
};

/// What a solver found, and how well it could. Rank deficiency, and a search that ended at a limit, are the data's
/// nature, not errors: `status` says so. What a solver does not compute is empty.
struct Solution {
  Eigen::VectorXd coefficients;  ///< all finite
  std::int64_t rank = 0;         ///< number of independent directions or columns that the coefficients come from
  double condition = 0.0;        ///< estimate of the condition number of what was solved: in the 1-norm (qr, rrqr, omp,
                                 ///< lasso, ridge with a given lambda) or the 2-norm; with a prior in the variables
                                 ///< gamma .* c, penalty included; 0 for rank 0
  double residual = 0.0;         ///< |A c - y|, weighted, without the prior term
  std::string status;            ///< in words: "full rank 30 of 30, condition 2.7e5"

  std::optional<double> lambda;                ///< ridge, blr, damped lsqr: sqrt(prior precision / noise precision)
  std::optional<double> effective_parameters;  ///< trace of the matrix that takes targets to predictions
  std::optional<double> log_evidence;          ///< log of the marginal likelihood of the weighted targets
  std::optional<double> noise_precision;       ///< beta: 1 / variance of the weighted targets about A c
  std::optional<double> prior_precision;       ///< alpha: gamma .* c has the variance 1 / alpha
  Eigen::VectorXd precisions;                  ///< ard: 1 / prior variance of each coefficient; infinite where pruned
  Eigen::VectorXd singular_values;             ///< of R, with a prior of R diag(1 / gamma); descending
  Eigen::MatrixXd covariance_factor;           ///< n x k: F F^T is the posterior covariance of the coefficients
  Eigen::MatrixXd committee;                   ///< n x members: coefficients drawn from the posterior
  std::vector<PathPoint> path;                 ///< tsvd, omp, lasso: what was there to choose from
};

/// Solves the reduced problem. A prior makes c~ = gamma .* c the variables of which norm, size and rank are judged;
/// without one they are c (tsvd, ridge, blr, damped lsqr) or c times the lengths of the columns (all others).
/// `validation`: rows that were not fitted to, weighted alike, for StrengthRule::kValidation; may be null.
/// Deterministic: same input, same bits.
/// Errors: no rows, entries that are not finite, a solution that overflows, a decomposition that does not converge
/// (kFailed); options out of range or that do not fit the solver (kInput).
Result<Solution> solve(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior,
                       const ReducedSystem* validation = nullptr);

}  // namespace ipfit
