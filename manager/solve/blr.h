#pragma once

#include "manager/solve/solver.h"

namespace ipfit {

/// Bayesian linear regression: targets y = A c + noise of variance 1/beta, prior c ~ N(0, 1/alpha), both precisions at
/// the largest evidence (penalty_choice.h). The coefficients are the mean of the posterior; its covariance is
/// (beta A^T A + alpha)^-1 = F F^T with the n x n factor F = V diag(1 / sqrt(beta s^2 + alpha)).
/// Source: MacKay, Neural Computation 4, 415 (1992). Error: no convergence of the decomposition (kFailed).
Result<Solution> solve_blr(const ReducedSystem& system);

}  // namespace ipfit
