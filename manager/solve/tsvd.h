#pragma once

#include "manager/solve/solver.h"

namespace ipfit {

/// Truncated singular value decomposition: least squares in the directions of the largest singular values alone.
/// kGiven: those above rtol times the largest. kGcv: as many as make rows |A c - y|^2 / (rows - directions)^2 least.
/// kValidation: as many as make the residual on `validation` least. Never directions below rounding errors.
/// Error: no convergence of the decomposition (kFailed).
Result<Solution> solve_tsvd(const ReducedSystem& system, StrengthRule rule, double rtol,
                            const ReducedSystem* validation);

}  // namespace ipfit
