#pragma once

#include "common/lsq/reduced.h"
#include "manager/solve/solver.h"

namespace ipfit {

/// The system whose |A c - y|^2 is that of `system` plus |gamma .* c|^2: one more row, gamma_k c_k = 0, for each
/// column. As rows of a QR factorisation, never as A^T A + gamma^2, so the condition number is not squared. gamma has
/// one entry per column, >= 0.
ReducedSystem with_prior(const ReducedSystem& system, const DiagonalPrior& gamma);

/// The diagonal of what ridge adds: lambda times the prior, or lambda for every column where there is none.
DiagonalPrior ridge_prior(double lambda, const DiagonalPrior& prior, std::int64_t columns);

}  // namespace ipfit
