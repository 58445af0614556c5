#pragma once

#include "manager/solve/solver.h"
#include "manager/solve/variables.h"

namespace ipfit {

/// Orthogonal matching pursuit: starting from none, takes the column with the largest |a_j^T r|, r the residual of the
/// least squares on the columns taken so far (of equals the first). Columns are compared as they are given. It passes
/// over columns that are combinations of those taken, and ends after `most` columns, or where what is left of the
/// targets is rounding error. Source: Pati, Rezaiifar and Krishnaprasad, Asilomar Conference 27, 40 (1993). The
/// coefficients of the first k columns are T_k^-1 z_k, leading parts of T and z. About 4/3 n^3 flops for all.
struct OmpPath {
  Columns order;
  Eigen::MatrixXd T;             ///< triangle of the columns in this order
  Eigen::VectorXd z;             ///< the targets in its rows
  std::vector<double> residual;  ///< |A c - y| with 0, 1, ... columns: one more than columns
};
OmpPath omp_path(const ReducedSystem& system, Eigen::Index most);

/// The solution with `size` columns of the path, or with all where there are fewer. With another rule than kGiven the
/// size is chosen among all up to `size`; 0 means no limit.
Solution solve_omp(const ReducedSystem& system, StrengthRule rule, std::int64_t size, const ReducedSystem* validation);

}  // namespace ipfit
