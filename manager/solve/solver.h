#pragma once

#include <Eigen/Core>
#include <string>

#include "common/fit/fit_spec.h"
#include "common/lsq/reduced.h"
#include "common/result.h"

namespace ipfit {

/// What a solver found, and how well it could. Rank deficiency is the data's nature, not an error: it is said here.
struct Solution {
  Eigen::VectorXd coefficients;
  std::int64_t rank = 0;   ///< numerical rank of R
  double condition = 0.0;  ///< estimate of cond(R), 1-norm
  double residual = 0.0;   ///< |A c - y|, weighted, without the prior term
  std::string status;      ///< in words: "full rank 30 of 30, condition 2.7e5"
};

/// Diagonal prior: minimise |R c - z|^2 + |gamma .* c|^2. Empty: none.
using DiagonalPrior = Eigen::VectorXd;

/// Solves the reduced problem. Errors (kFailed): no rows, entries that are not finite.
Result<Solution> solve(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior);

}  // namespace ipfit
