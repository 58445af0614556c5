#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>

#include "common/result.h"

namespace ipfit {

/// A least-squares problem |A c - y|^2 of any number of rows, reduced without loss: A = Q R, z = Q^T y,
/// rho^2 = |y|^2 - |z|^2, so that |A c - y|^2 = |R c - z|^2 + rho^2 for every c (docs/explanation/least-squares.md).
/// Entries of A or y that are not finite show up as entries that are not finite here.
struct ReducedSystem {
  Eigen::MatrixXd R;  ///< n x n upper triangular, n = columns, no negative number on the diagonal; zero rows where
                      ///< there were fewer rows than columns
  Eigen::VectorXd z;  ///< n
  double rho = 0.0;   ///< >= 0, norm of the part of y that no c can reach
  std::int64_t rows = 0;
};

/// No rows: every c has residual 0.
ReducedSystem empty_system(std::int64_t columns);

/// The reduced form of the rows of A, row-major, y.size() x columns. 2 rows columns^2 flops.
ReducedSystem reduce(std::span<const double> a, std::span<const double> y, std::int64_t columns);

/// The reduced form of both sets of rows together; both have the same number of columns. Deterministic; not symmetric
/// in rounding: keep the order fixed. 2/3 columns^3 flops.
ReducedSystem merge(const ReducedSystem& first, const ReducedSystem& second);

/// Reads rows [first, first+count) of the weighted system: fills a (count x columns, row-major) and y (count).
using RowReader =
    std::function<Status(std::int64_t first, std::int64_t count, std::span<double> a, std::span<double> y)>;

/// Reduces a system that is too large for memory: panels of fixed height through a fixed tree, so that the bits of the
/// result depend on the data alone, not on `threads`. `reader` is called from several threads at once, for 256 KiB and
/// at most 744 rows at a time, in order within each of a few stretches of rows; when it fails nothing more is read, and
/// its errors are returned.
/// Memory: per thread a panel (744 x columns) and about two columns x columns factors; 8 more factors.
Result<ReducedSystem> reduce_rows(std::int64_t rows, std::int64_t columns, const RowReader& reader, int threads);

/// About how many bytes reduce_rows takes, the most at any time.
double reduction_bytes(std::int64_t rows, std::int64_t columns, int threads);

}  // namespace ipfit
