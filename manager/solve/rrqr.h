#pragma once

#include "manager/solve/solver.h"

namespace ipfit {

/// Rank-revealing QR: the minimiser of least norm of a system whose columns that add at most `rtol` are taken to add
/// nothing (least_norm.h). Columns are compared as they are given.
Solution solve_rrqr(const ReducedSystem& system, double rtol);

}  // namespace ipfit
