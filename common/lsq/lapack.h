#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

/// Typed, checked calls of LAPACK: the one place that meets LAPACKE. Matrices are column-major, as Eigen's are. Safe to
/// call from several threads. Entries that are not finite pass through: callers check what comes out. An illegal
/// argument is a bug of the caller: std::logic_error. Without memory for OpenBLAS's buffer: std::bad_alloc.
namespace ipfit::lapack {

using Matrix = Eigen::Ref<Eigen::MatrixXd>;
using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;

/// A = Q R: `a` becomes R in and above its diagonal and the reflectors of Q below it, whose scales are returned
/// (dgeqrf).
Eigen::VectorXd qr(Matrix a);

/// A P = Q R with |R_00| >= |R_11| >= ...: `a` as for qr(). Column k of A P is column `order[k]` of A (dgeqp3).
struct PivotedQr {
  Eigen::VectorXd scales;
  std::vector<Eigen::Index> order;
};
PivotedQr pivoted_qr(Matrix a);

/// The columns of c become Q c or Q^T c, for the Q that qr() left in `a` (dormqr).
enum class Side { kQ, kQTransposed };
void apply_q(Side side, ConstMatrix a, const Eigen::VectorXd& scales, Matrix c);

/// The columns of x become R^-1 x or R^-T x for the upper triangle of square `r`, whose diagonal has no zero (dtrtrs).
enum class Triangle { kUpper, kUpperTransposed };
void solve_triangle(Triangle triangle, const ConstMatrix& r, Matrix x);

/// The upper triangle of square `r`, whose diagonal has no zero, becomes its inverse (dtrtri).
void invert_triangle(Matrix r);

/// Estimate of 1 / (|R|_1 |R^-1|_1) for the upper triangle of square `r`; 0 where R is singular (dtrcon). The true
/// value is at most a small factor lower.
double reciprocal_condition(const ConstMatrix& r);

/// A = U diag(values) V^T for square A, values descending (dgesdd, or dgesvd where that does not converge). Every value
/// has an error of some epsilon of the largest one. Nothing where neither converges, as with entries that are not
/// finite. About 20 n^3 flops.
struct Svd {
  Eigen::MatrixXd U;
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
std::optional<Svd> svd(const ConstMatrix& a);

}  // namespace ipfit::lapack
