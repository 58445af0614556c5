#pragma once

#include <Eigen/Core>
#include <utility>

#include "manager/solve/search.h"
#include "manager/solve/spectrum.h"

namespace ipfit {

// What may decide on the penalty of a ridge. All are functions of log lambda; each call costs O(n) (validation:
// O(n^2)).

/// The log of the marginal likelihood p(y | alpha, beta) of the weighted targets, c ~ N(0, 1/alpha), noise of variance
/// 1/beta, lambda^2 = alpha / beta, at the beta that is best for this lambda, and its slope.
/// Source: MacKay, Neural Computation 4, 415 (1992); with beta eliminated: docs/explanation/solvers.md.
Slope log_evidence(const Spectrum& spectrum, double log_lambda);

/// beta of the maximum: rows / (|A c - y|^2 + lambda^2 |c|^2). Infinite where all targets are zero.
double best_noise_precision(const Spectrum& spectrum, double lambda);

/// The log of the generalised cross-validation function rows |A c - y|^2 / (rows - effective parameters)^2.
/// Source: Golub, Heath and Wahba, Technometrics 21, 215 (1979).
Slope log_gcv(const Spectrum& spectrum, double log_lambda);

/// Squared residual of the ridge solution on other rows, given as a system in the same variables.
Slope validation_residual(const Spectrum& spectrum, const ReducedSystem& validation, double log_lambda);

/// The values of lambda among which is searched: from rounding errors of the largest singular value to a thousand times
/// that value, where less than 1e-6 of any coefficient is left. The largest singular value is > 0.
std::pair<double, double> lambda_range(const Spectrum& spectrum);

/// lambda with the least `objective(log lambda)` in that range.
double best_lambda(const Spectrum& spectrum, const std::function<Slope(double)>& objective);

}  // namespace ipfit
