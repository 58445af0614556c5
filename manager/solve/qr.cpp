#include "manager/solve/qr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/lsq/lapack.h"

namespace ipfit {
namespace {

using Eigen::Index;
using Columns = std::vector<Index>;

// What counts as zero beside 1: rounding errors of evaluating and reducing rows are some tens of epsilon for few
// columns and grow with their number.
double tolerance(Index columns) {
  return static_cast<double>(std::max<Index>(columns, 64)) * std::numeric_limits<double>::epsilon();
}

/// Columns of R brought to lengths in [1/2, 1) by powers of two, which is exact. `scales` of zero columns are 0.
struct Equilibrated {
  Eigen::MatrixXd R;
  Eigen::VectorXd scales;
  Columns zero;
};

Equilibrated equilibrate(const Eigen::MatrixXd& R) {
  const Eigen::VectorXd lengths = R.colwise().stableNorm();
  const double smallest = lengths.maxCoeff() * tolerance(R.cols());
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

double condition_of(const Eigen::MatrixXd& triangle) {
  return triangle.size() == 0 ? 0.0 : 1.0 / lapack::reciprocal_condition(triangle);
}

/// The solution in scaled unknowns, of least norm where there are many, and which columns were found independent.
struct Found {
  Eigen::VectorXd scaled;
  Columns independent;
  Columns dependent;
  double condition = 0.0;
};

Found solve_full_rank(const Equilibrated& system, const Eigen::MatrixXd& R, const Eigen::VectorXd& z) {
  Found out{z, Columns(static_cast<std::size_t>(R.cols())), {}, condition_of(R)};
  lapack::solve_triangle(lapack::Triangle::kUpper, system.R, out.scaled);
  return out;
}

// R P = Q [R1 R2; 0 0] with R1 of `rank` rows, then [R1 R2]^T = Z [T; 0]: the minimiser of least norm is
// P Z [T^-T (Q^T z)_1; 0] (Golub and Van Loan, Matrix Computations, 4th ed., section 5.5.2).
Found solve_rank_deficient(const Equilibrated& system, const Eigen::VectorXd& z) {
  const Index n = z.size();
  Eigen::MatrixXd factor = system.R;
  const lapack::PivotedQr pivoted = lapack::pivoted_qr(factor);
  Eigen::VectorXd rotated = z;
  lapack::apply_q(lapack::Side::kQTransposed, factor, pivoted.scales, rotated);

  Index rank = 0;
  const double smallest = tolerance(n) * std::abs(factor(0, 0));
  while (rank < n && std::abs(factor(rank, rank)) > smallest) {
    ++rank;
  }
  Found out{Eigen::VectorXd::Zero(n), {}, {}, 0.0};
  out.independent.assign(pivoted.order.begin(), pivoted.order.begin() + rank);
  out.dependent.assign(pivoted.order.begin() + rank, pivoted.order.end());
  if (rank == 0) {
    return out;
  }
  Eigen::MatrixXd unscaled = factor.topLeftCorner(rank, rank);
  for (Index k = 0; k < rank; ++k) {
    unscaled.col(k) /= system.scales[out.independent[static_cast<std::size_t>(k)]];
  }
  out.condition = condition_of(unscaled);

  Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(n, rank);
  wide = factor.topRows(rank).triangularView<Eigen::Upper>().toDenseMatrix().transpose();
  const Eigen::VectorXd scales = lapack::qr(wide);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  x.head(rank) = rotated.head(rank);
  lapack::solve_triangle(lapack::Triangle::kUpperTransposed, wide.topRows(rank), x.head(rank));
  lapack::apply_q(lapack::Side::kQ, wide, scales, x);
  for (Index k = 0; k < n; ++k) {
    out.scaled[pivoted.order[static_cast<std::size_t>(k)]] = x[k];
  }
  return out;
}

// "3, 17, 40 and 12 more"
std::string listed(Columns columns) {
  constexpr std::size_t kNamed = 10;
  std::ranges::sort(columns);
  const std::size_t named = std::min(columns.size(), kNamed);
  const std::string text =
      fmt::format("{}", fmt::join(columns.begin(), columns.begin() + static_cast<Index>(named), ", "));
  return columns.size() == named ? text : fmt::format("{} and {} more", text, columns.size() - named);
}

std::string in_words(const Found& found, const Columns& zero, Index columns) {
  const std::size_t rank = found.independent.size();
  std::string out = found.dependent.empty() ? fmt::format("full rank {} of {}", rank, columns)
                                            : fmt::format("rank {} of {}", rank, columns);
  if (rank > 0) {
    out += fmt::format(", condition {:.1e}", found.condition);
  }
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
      system.zero.empty() && lapack::reciprocal_condition(system.R) > 100.0 * tolerance(R.cols());
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
