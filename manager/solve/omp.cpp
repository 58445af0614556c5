#include "manager/solve/omp.h"

#include <fmt/format.h>

#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <utility>

#include "common/lsq/lapack.h"
#include "manager/solve/least_norm.h"
#include "manager/solve/size_choice.h"

namespace ipfit {
namespace {

using Eigen::Index;

/// The factorisation under way: the first `taken` columns are triangular, the rows below hold what is left of the
/// others and of the targets.
struct Work {
  Eigen::MatrixXd W;
  Eigen::VectorXd z;
  Eigen::VectorXd lengths;
  Columns order;
  Index taken = 0;
};

// The place of the column to be taken next, or -1 where no column can add anything.
Index next_column(const Work& work) {
  const Index n = work.z.size();
  const Index left = n - work.taken;
  const double tolerance = rounding_tolerance(n);
  Index best = -1;
  double most = 0.0;
  for (Index j = work.taken; j < n; ++j) {
    const auto rest = work.W.col(j).tail(left);
    const double gain = std::abs(rest.dot(work.z.tail(left)));
    const bool better =
        gain > most || (gain == most && best >= 0 &&
                        work.order[static_cast<std::size_t>(j)] < work.order[static_cast<std::size_t>(best)]);
    if (better && rest.norm() > tolerance * work.lengths[j]) {
      best = j;
      most = gain;
    }
  }
  return best;
}

void take(Work& work, Index place) {
  const Index k = work.taken;
  const Index left = work.z.size() - k;
  work.W.col(k).swap(work.W.col(place));
  std::swap(work.lengths[k], work.lengths[place]);
  std::swap(work.order[static_cast<std::size_t>(k)], work.order[static_cast<std::size_t>(place)]);
  double tau = 0.0;
  double beta = 0.0;
  Eigen::VectorXd essential(left - 1);
  work.W.col(k).tail(left).makeHouseholder(essential, tau, beta);
  Eigen::VectorXd scratch(left);
  work.W.bottomRightCorner(left, left - 1).applyHouseholderOnTheLeft(essential, tau, scratch.data());
  work.z.tail(left).applyHouseholderOnTheLeft(essential, tau, scratch.data());
  work.W(k, k) = beta;
  ++work.taken;
}

// Residuals on other rows. Leading parts of the inverse of a triangle are inverses of its leading parts, so with
// G = (validation columns) T^-1 the prediction of k columns is that of k - 1 plus z_k times column k of G.
void validate(const OmpPath& path, const ReducedSystem& validation, std::vector<PathPoint>& points) {
  const Index k = path.T.cols();
  Eigen::MatrixXd transposed(k, validation.R.rows());
  for (Index j = 0; j < k; ++j) {
    transposed.row(j) = validation.R.col(path.order[static_cast<std::size_t>(j)]).transpose();
  }
  lapack::solve_triangle(lapack::Triangle::kUpperTransposed, path.T, transposed);
  Eigen::VectorXd missed = -validation.z;
  points[0].validation = std::hypot(missed.stableNorm(), validation.rho);
  for (Index j = 0; j < k; ++j) {
    missed += path.z[j] * transposed.row(j).transpose();
    points[static_cast<std::size_t>(j) + 1].validation = std::hypot(missed.stableNorm(), validation.rho);
  }
}

}  // namespace

OmpPath omp_path(const ReducedSystem& system, Index most) {
  const Index n = system.z.size();
  Work work{system.R, system.z, system.R.colwise().stableNorm(), {}, 0};
  for (Index j = 0; j < n; ++j) {
    work.order.push_back(j);
  }
  OmpPath path;
  path.residual.push_back(std::hypot(system.z.stableNorm(), system.rho));
  const double negligible = rounding_tolerance(n) * path.residual.front();
  while (work.taken < std::min(most, n) && work.z.tail(n - work.taken).stableNorm() > negligible) {
    const Index next = next_column(work);
    if (next < 0) {
      break;
    }
    take(work, next);
    path.residual.push_back(std::hypot(work.z.tail(n - work.taken).stableNorm(), system.rho));
  }
  path.order.assign(work.order.begin(), work.order.begin() + work.taken);
  path.T = work.W.topLeftCorner(work.taken, work.taken).triangularView<Eigen::Upper>();
  path.z = work.z.head(work.taken);
  return path;
}

Solution solve_omp(const ReducedSystem& system, StrengthRule rule, std::int64_t size, const ReducedSystem* validation) {
  const Index n = system.z.size();
  const OmpPath path = omp_path(system, size == 0 ? n : size);
  Solution out;
  for (std::size_t k = 0; k < path.residual.size(); ++k) {
    out.path.push_back({static_cast<std::int64_t>(k), path.residual[k], {}});
  }
  if (validation != nullptr) {
    validate(path, *validation, out.path);
  }
  out.rank = rule == StrengthRule::kGiven ? path.T.cols() : out.path[best_size(out.path, rule, system.rows)].columns;
  const Eigen::MatrixXd triangle = path.T.topLeftCorner(out.rank, out.rank);
  Eigen::VectorXd values = path.z.head(out.rank);
  lapack::solve_triangle(lapack::Triangle::kUpper, triangle, values);
  out.coefficients = Eigen::VectorXd::Zero(n);
  for (Index k = 0; k < out.rank; ++k) {
    out.coefficients[path.order[static_cast<std::size_t>(k)]] = values[k];
  }
  out.condition = triangle_condition(triangle);
  out.status =
      fmt::format("{} of {} columns by {}{}", out.rank, n, rule_in_words(rule), condition_in_words(out.condition));
  if (rule == StrengthRule::kGiven && out.rank < size) {
    out.status += fmt::format("; no further column adds anything, so there are not {}", size);
  }
  return out;
}

}  // namespace ipfit
