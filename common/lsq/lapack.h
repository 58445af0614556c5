#pragma once

#include <Eigen/Core>
#include <vector>

/// Typed, checked calls of LAPACK: the one place that meets LAPACKE. Matrices are column-major, as Eigen's are. Safe to
/// call from several threads. Entries that are not finite pass through: callers check what comes out. An illegal
/// argument is a bug of the caller: std::logic_error. Without memory for OpenBLAS's buffer: std::bad_alloc.
namespace ipfit::lapack {

using Matrix = Eigen::Ref<Eigen::MatrixXd>;
using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using Vector = Eigen::Ref<Eigen::VectorXd>;

/// A = Q R: `a` becomes R in and above its diagonal and the reflectors of Q below it, whose scales are returned
/// (dgeqrf).
Eigen::VectorXd qr(Matrix a);

/// A P = Q R with |R_00| >= |R_11| >= ...: `a` as for qr(). Column k of A P is column `order[k]` of A (dgeqp3).
struct PivotedQr {
  Eigen::VectorXd scales;
  std::vector<Eigen::Index> order;
};
PivotedQr pivoted_qr(Matrix a);

/// c becomes Q c or Q^T c, for the Q that qr() left in `a` (dormqr).
enum class Side { kQ, kQTransposed };
void apply_q(Side side, ConstMatrix a, const Eigen::VectorXd& scales, Vector c);

/// x becomes R^-1 x or R^-T x for the upper triangle of square `r`, whose diagonal has no zero (dtrtrs).
enum class Triangle { kUpper, kUpperTransposed };
void solve_triangle(Triangle triangle, const ConstMatrix& r, Vector x);

/// Estimate of 1 / (|R|_1 |R^-1|_1) for the upper triangle of square `r`; 0 where R is singular (dtrcon). The true
/// value is at most a small factor lower.
double reciprocal_condition(const ConstMatrix& r);

}  // namespace ipfit::lapack
