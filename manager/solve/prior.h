#pragma once

#include <Eigen/Core>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/model/column_factors.h"

namespace ipfit {

/// Diagonal prior: |gamma .* c|^2 is what a penalty weighs, gamma_k > 0. Empty: none, which is gamma = 1.
using DiagonalPrior = Eigen::VectorXd;

/// The smoothness prior of a basis, from the degrees of the factors of each column (docs/explanation/solvers.md):
///   algebraic    sum over factors of (l/wl)^power + (n/wn)^power
///   exponential  exp of the sum over factors of l/wl + n/wn
///   gaussian     exp of the sum over factors of (l/wl)^2 + (n/wn)^2
/// At most 1e100, so that products with it stay finite. Empty for kNone.
DiagonalPrior prior_scales(const PriorSpec& prior, const std::vector<std::vector<ColumnFactor>>& columns);

}  // namespace ipfit
