#include "manager/solve/qr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/lsq/lapack.h"
#include "manager/solve/least_norm.h"

namespace ipfit {
namespace {

using Eigen::Index;

/// Columns of R brought to lengths in [1/2, 1) by powers of two, which is exact. `scales` of zero columns are 0.
struct Equilibrated {
  Eigen::MatrixXd R;
  Eigen::VectorXd scales;
  Columns zero;
};

Equilibrated equilibrate(const Eigen::MatrixXd& R) {
  const Eigen::VectorXd lengths = R.colwise().stableNorm();
  const double smallest = lengths.maxCoeff() * rounding_tolerance(R.cols());
  Equilibrated out{R, Eigen::VectorXd::Zero(R.cols()), {}};
  for (Index k = 0; k < R.cols(); ++k) {
    if (lengths[k] <= smallest) {
      out.zero.push_back(k);
    } else {
      int exponent = 0;
      std::frexp(lengths[k], &exponent);
      out.scales[k] = std::ldexp(1.0, -exponent);
    }
    out.R.col(k) *= out.scales[k];
  }
  return out;
}

/// The solution in scaled unknowns, of least norm where there are many, and which columns were found independent.
struct Found {
  Eigen::VectorXd scaled;
  Columns independent;
  Columns dependent;
  double condition = 0.0;
};

Found solve_full_rank(const Equilibrated& system, const Eigen::MatrixXd& R, const Eigen::VectorXd& z) {
  Found out{z, Columns(static_cast<std::size_t>(R.cols())), {}, triangle_condition(R)};
  lapack::solve_triangle(lapack::Triangle::kUpper, system.R, out.scaled);
  return out;
}

Found solve_rank_deficient(const Equilibrated& system, const Eigen::VectorXd& z) {
  LeastNorm found = least_norm(system.R, z, rounding_tolerance(z.size()));
  for (Index k = 0; k < found.triangle.cols(); ++k) {
    found.triangle.col(k) /= system.scales[found.independent[static_cast<std::size_t>(k)]];
  }
  return {std::move(found.x), std::move(found.independent), std::move(found.dependent),
          triangle_condition(found.triangle)};
}

std::string in_words(const Found& found, const Columns& zero, Index columns) {
  const std::size_t rank = found.independent.size();
  std::string out = found.dependent.empty() ? fmt::format("full rank {} of {}", rank, columns)
                                            : fmt::format("rank {} of {}", rank, columns);
  out += condition_in_words(found.condition);
  if (!zero.empty()) {
    out += fmt::format("; zero in the data, coefficient 0: columns {}", listed(zero));
  }
  Columns dependent;
  std::ranges::copy_if(found.dependent, std::back_inserter(dependent),
                       [&](Index k) { return std::ranges::find(zero, k) == zero.end(); });
  if (!dependent.empty()) {
    out += fmt::format("; combinations of other columns, solution of least norm: columns {}", listed(dependent));
  }
  return zero.empty() && dependent.empty() ? out : out + " (counted from 0)";
}

}  // namespace

Solution solve_qr(const Eigen::MatrixXd& R, const Eigen::VectorXd& z) {
  const Equilibrated system = equilibrate(R);
  // The estimate may be a few times too large, and |R_kk| of a pivoted factorisation a few times the smallest singular
  // value: with a margin of 100 both ways agree on the rank where they meet.
  const bool clearly_full_rank =
      system.zero.empty() && lapack::reciprocal_condition(system.R) > 100.0 * rounding_tolerance(R.cols());
  const Found found = clearly_full_rank ? solve_full_rank(system, R, z) : solve_rank_deficient(system, z);
  Solution out;
  out.coefficients = found.scaled.cwiseProduct(system.scales);
  out.rank = static_cast<std::int64_t>(found.independent.size());
  out.condition = found.condition;
  out.residual = (R.triangularView<Eigen::Upper>() * out.coefficients - z).stableNorm();
  out.status = in_words(found, system.zero, R.cols());
  return out;
}

}  // namespace ipfit
