#include "manager/solve/variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/lsq/lapack.h"

namespace ipfit {

using Eigen::Index;

double rounding_tolerance(Index columns) {
  return static_cast<double>(std::max<Index>(columns, 64)) * std::numeric_limits<double>::epsilon();
}

ReducedSystem in_variables(const ReducedSystem& system, const Eigen::VectorXd& scales) {
  ReducedSystem out = system;
  for (Index k = 0; k < scales.size(); ++k) {
    out.R.col(k) /= scales[k];  // a product with 1 / scale would overflow for the smallest ones
  }
  return out;
}

Eigen::VectorXd column_lengths(const ReducedSystem& system) {
  Eigen::VectorXd lengths = system.R.colwise().stableNorm();
  const double longest = lengths.maxCoeff();
  if (longest == 0.0) {
    return Eigen::VectorXd::Ones(lengths.size());
  }
  const double negligible = longest * rounding_tolerance(lengths.size());
  return (lengths.array() <= negligible).select(longest, lengths);
}

ReducedSystem with_columns(const ReducedSystem& system, const Columns& columns) {
  const Index n = system.R.rows();
  const auto k = static_cast<Index>(columns.size());
  Eigen::MatrixXd factor(n, k + 1);
  for (Index j = 0; j < k; ++j) {
    factor.col(j) = system.R.col(columns[static_cast<std::size_t>(j)]);
  }
  factor.col(k) = system.z;
  lapack::qr(factor);
  ReducedSystem out;
  out.R = factor.topLeftCorner(k, k).triangularView<Eigen::Upper>();
  out.z = factor.col(k).head(k);
  out.rho = k < n ? std::hypot(system.rho, factor(k, k)) : system.rho;
  out.rows = system.rows;
  for (Index row = 0; row < k; ++row) {
    if (out.R(row, row) < 0.0) {
      out.R.row(row) *= -1.0;
      out.z[row] *= -1.0;
    }
  }
  return out;
}

std::string listed(Columns columns) {
  constexpr std::size_t kNamed = 10;
  std::ranges::sort(columns);
  const std::size_t named = std::min(columns.size(), kNamed);
  const std::string text =
      fmt::format("{}", fmt::join(columns.begin(), columns.begin() + static_cast<Index>(named), ", "));
  return columns.size() == named ? text : fmt::format("{} and {} more", text, columns.size() - named);
}

}  // namespace ipfit
