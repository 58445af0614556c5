#include "manager/solve/joint_one_body.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <utility>

#include "common/lsq/lapack.h"

namespace ipfit {

using Eigen::Index;

OneBodyColumns one_body_columns(std::vector<std::uint8_t> elements, std::span<const double> compositions) {
  // As for the energies that the fit starts from (common/lsq/one_body.cpp).
  constexpr double kSameComposition = 1e-10;
  const auto width = static_cast<std::int64_t>(elements.size());
  const std::vector<double> no_targets(compositions.size() / elements.size(), 0.0);
  const ReducedSystem system = reduce(compositions, no_targets, width);
  if (!system.R.allFinite()) {
    return {std::move(elements), Eigen::MatrixXd(width, 0)};
  }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(system.R, Eigen::ComputeFullV);
  svd.setThreshold(kSameComposition);
  return {std::move(elements), svd.matrixV().leftCols(svd.rank())};
}

Eliminated eliminate_first(const ReducedSystem& system, Index k) {
  const Index n = system.R.cols() - k;
  Eliminated out{system.R.topLeftCorner(k, k), system.R.topRightCorner(k, n), system.z.head(k), {}};
  out.others.R = system.R.bottomRightCorner(n, n);
  out.others.z = system.z.tail(n);
  out.others.rho = system.rho;
  out.others.rows = system.rows - k;
  return out;
}

Eigen::VectorXd minimiser(const Eliminated& eliminated, const Eigen::VectorXd& coefficients) {
  const Eigen::VectorXd rest = eliminated.z - eliminated.S * coefficients;
  return eliminated.R.triangularView<Eigen::Upper>().solve(rest);
}

ReducedSystem with_minimiser(const ReducedSystem& system, const Eliminated& eliminated) {
  const Index k = eliminated.z.size();
  const Index n = system.R.cols() - k;
  // R_e e + R_c c - z with e = R^-1 (z - S c) put in, for all k + n rows of the triangle.
  const auto triangle = eliminated.R.triangularView<Eigen::Upper>();
  Eigen::MatrixXd factor(k + n, n + 1);
  factor.leftCols(n) = system.R.rightCols(n) - system.R.leftCols(k) * triangle.solve(eliminated.S);
  factor.col(n) = system.z - system.R.leftCols(k) * triangle.solve(eliminated.z);
  const Index height = factor.rows();
  lapack::qr(factor);
  ReducedSystem out = empty_system(n);
  const Index filled = std::min(height, n);
  out.R.topRows(filled) = Eigen::MatrixXd(factor.topLeftCorner(filled, n).triangularView<Eigen::Upper>());
  out.z.head(filled) = factor.col(n).head(filled);
  out.rho = height > n ? std::hypot(system.rho, factor(n, n)) : system.rho;
  out.rows = system.rows;
  return out;
}

std::map<std::uint8_t, double> moved(std::map<std::uint8_t, double> energies, const OneBodyColumns& columns,
                                     const Eigen::VectorXd& found) {
  const Eigen::VectorXd change = columns.directions * found;
  for (Index i = 0; i < change.size(); ++i) {
    energies[columns.elements[static_cast<std::size_t>(i)]] += change[i];
  }
  return energies;
}

}  // namespace ipfit
