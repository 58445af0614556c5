#include "manager/solve/least_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "common/lsq/lapack.h"

namespace ipfit {

using Eigen::Index;

// R P = Q [R1 R2; 0 0] with R1 of `rank` rows, then [R1 R2]^T = Z [T; 0]: the minimiser of least norm is
// P Z [T^-T (Q^T z)_1; 0].
LeastNorm least_norm(const Eigen::MatrixXd& R, const Eigen::VectorXd& z, double rtol) {
  const Index n = z.size();
  Eigen::MatrixXd factor = R;
  const lapack::PivotedQr pivoted = lapack::pivoted_qr(factor);
  Eigen::VectorXd rotated = z;
  lapack::apply_q(lapack::Side::kQTransposed, factor, pivoted.scales, rotated);

  Index rank = 0;
  const double smallest = rtol * std::abs(factor(0, 0));
  while (rank < n && std::abs(factor(rank, rank)) > smallest) {
    ++rank;
  }
  LeastNorm out{Eigen::VectorXd::Zero(n), {}, {}, {}};
  out.independent.assign(pivoted.order.begin(), pivoted.order.begin() + rank);
  out.dependent.assign(pivoted.order.begin() + rank, pivoted.order.end());
  out.triangle = factor.topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  if (rank == 0) {
    return out;
  }
  Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(n, rank);
  wide = factor.topRows(rank).triangularView<Eigen::Upper>().toDenseMatrix().transpose();
  const Eigen::VectorXd scales = lapack::qr(wide);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  x.head(rank) = rotated.head(rank);
  lapack::solve_triangle(lapack::Triangle::kUpperTransposed, wide.topRows(rank), x.head(rank));
  lapack::apply_q(lapack::Side::kQ, wide, scales, x);
  for (Index k = 0; k < n; ++k) {
    out.x[pivoted.order[static_cast<std::size_t>(k)]] = x[k];
  }
  return out;
}

double triangle_condition(const Eigen::MatrixXd& triangle) {
  return triangle.size() == 0 ? 0.0 : 1.0 / lapack::reciprocal_condition(triangle);
}

std::string condition_in_words(double condition) {
  return condition == 0.0 ? "" : fmt::format(", condition {:.1e}", condition);
}

}  // namespace ipfit
