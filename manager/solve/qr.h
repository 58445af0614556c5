#pragma once

#include "common/lsq/reduced.h"
#include "manager/solve/solver.h"

namespace ipfit {

/// Minimises |R c - z|^2. Columns are compared after scaling them to the same length, so that the unit or the size of a
/// basis function does not matter; columns shorter than the rounding errors of the longest one count as zero.
/// Full rank: the solution. Otherwise, of all minimisers, the one with the least |D c|, D = diag(length of column
/// rounded to a power of two): columns that are multiples of each other share the work, zero columns get exactly 0. All
/// numbers are finite. `residual` is |R c - z|.
Solution solve_qr(const Eigen::MatrixXd& R, const Eigen::VectorXd& z);

}  // namespace ipfit
