#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "common/fit/fit_spec.h"
#include "common/lsq/reduced.h"
#include "common/result.h"

namespace ipfit {

/// What a solver found, and how well it could. Rank deficiency is the data's nature, not an error: it is said here.
struct Solution {
  Eigen::VectorXd coefficients;  ///< all finite
  std::int64_t rank = 0;         ///< numerical rank of what was solved: R, with the prior's rows below it
  double condition = 0.0;  ///< estimate of its condition number in the 1-norm; of `rank` independent columns where
                           ///< it has fewer than all; 0 for rank 0
  double residual = 0.0;   ///< |A c - y|, weighted, without the prior term
  std::string status;      ///< in words: "full rank 30 of 30, condition 2.7e5"
};

/// Diagonal prior: minimise |R c - z|^2 + |gamma .* c|^2. Empty: none.
using DiagonalPrior = Eigen::VectorXd;

/// Solves the reduced problem. kQr: with the prior as it is. kRidge: with lambda times the prior, or lambda^2 |c|^2
/// where there is none.
/// Errors: no rows, entries that are not finite, a solution that overflows (kFailed); lambda or gamma negative or not
/// finite (kInput).
Result<Solution> solve(const ReducedSystem& system, const SolverSpec& options, const DiagonalPrior& prior);

}  // namespace ipfit
