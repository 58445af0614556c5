#pragma once

#include "common/lsq/reduced.h"
#include "manager/solve/solver.h"
#include "manager/solve/spectrum.h"

namespace ipfit {

/// The system whose |A c - y|^2 is that of `system` plus |gamma .* c|^2: one more row, gamma_k c_k = 0, for each
/// column. As rows of a QR factorisation, never as A^T A + gamma^2, so the condition number is not squared. gamma has
/// one entry per column, >= 0.
ReducedSystem with_prior(const ReducedSystem& system, const DiagonalPrior& gamma);

/// Minimises |A c - y|^2 + lambda^2 |c|^2 for the given lambda >= 0, by QR.
Solution solve_ridge(const ReducedSystem& system, double lambda);

/// The same with the lambda that `rule` chooses (not kGiven), by singular values (penalty_choice.h). kEvidence also
/// gives noise and prior precision. `validation` is read for kValidation only. Error: no convergence (kFailed).
Result<Solution> solve_ridge(const ReducedSystem& system, StrengthRule rule, const ReducedSystem* validation);

/// Ridge at the largest evidence, lambda > 0; `found` is its spectrum. Where no target can be reached all coefficients
/// and the precisions are 0 or absent.
Solution evidence_ridge(const Spectrum& spectrum);

}  // namespace ipfit
