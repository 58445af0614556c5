#include "manager/solve/tsvd.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// From the singular vectors of all rows.
Eigen::VectorXd truncated(const Rows& rows, Eigen::Index count) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows.A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixV().leftCols(count) *
         (svd.matrixU().leftCols(count).transpose() * rows.y).cwiseQuotient(svd.singularValues().head(count));
}

}  // namespace

TEST_CASE("singular values up to rtol of the largest are left out") {
  const Rows rows = with_targets(ill_conditioned(60, 13, 1e12, 1), Eigen::VectorXd::Ones(13), 1e-3, 4);
  // One in each decade: at 10^-(k + 1/2) the first k + 1 are kept.
  const int k = GENERATE(0, 3, 6, 9);
  const Solution found = *solve_tsvd(reduced(rows), StrengthRule::kGiven, std::pow(10.0, -k - 0.5), nullptr);
  const Eigen::VectorXd expected = truncated(rows, k + 1);
  CHECK(found.rank == k + 1);
  // A direction is known to epsilon beside the gap to its neighbours, a factor of ten: its error is 10^k epsilon.
  CHECK((found.coefficients - expected).norm() <= std::pow(10.0, k) * 1e3 * kEpsilon * expected.norm());
  CHECK(found.condition == Approx(std::pow(10.0, k)).epsilon(1e-3));
  CHECK(*found.effective_parameters == k + 1);
  CHECK(found.status.starts_with(std::to_string(k + 1) + " of 13 singular values by rtol "));
  CHECK(found.status.find(", condition 1.0e+") != std::string::npos);
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(rows.A).singularValues();
  CHECK((found.singular_values - values).cwiseAbs().maxCoeff() <= 100 * kEpsilon);
}

TEST_CASE("directions below rounding errors are never taken") {
  Rows rows = random_rows(40, 6, 5);
  rows.A.col(2) = rows.A.col(4);
  const Solution found = *solve_tsvd(reduced(rows), StrengthRule::kGiven, 0.0, nullptr);
  CHECK(found.rank == 5);
  const Eigen::VectorXd expected = truncated(rows, 5);
  CHECK((found.coefficients - expected).norm() <= 1e3 * kEpsilon * expected.norm());
}

TEST_CASE("the path holds the residual of every number of directions") {
  const Rows rows = random_rows(40, 6, 6);
  const Rows other = random_rows(30, 6, 7);
  const ReducedSystem validation = reduced(other);
  const Solution found = *solve_tsvd(reduced(rows), StrengthRule::kGiven, 0.0, &validation);
  REQUIRE(found.path.size() == 7);
  for (Eigen::Index k = 0; k <= 6; ++k) {
    const PathPoint& point = found.path[static_cast<std::size_t>(k)];
    const Eigen::VectorXd c = k == 0 ? Eigen::VectorXd::Zero(6) : truncated(rows, k);
    CHECK(point.columns == k);
    CHECK(point.residual == Approx(residual(rows, c)).epsilon(1e-13));
    CHECK(*point.validation == Approx(residual(other, c)).epsilon(1e-13));
  }
}

TEST_CASE("cross-validation takes the number of directions with the least residual beside the freedom that is left") {
  const Rows rows = with_targets(ill_conditioned(30, 12, 1e5, 8), Eigen::VectorXd::Ones(12), 0.03, 11);
  const Solution found = *solve_tsvd(reduced(rows), StrengthRule::kGcv, 0.0, nullptr);
  Eigen::Index best = 0;
  double least = rows.y.norm() / 30.0;
  for (Eigen::Index k = 1; k <= 12; ++k) {
    const double score = residual(rows, truncated(rows, k)) / static_cast<double>(30 - k);
    if (score < least) {
      least = score;
      best = k;
    }
  }
  CHECK(best > 0);
  CHECK(best < 12);
  CHECK(found.rank == best);
}

TEST_CASE("with fewer rows than columns cross-validation does not divide by the freedom that is not there") {
  const Solution found = *solve_tsvd(reduced(random_rows(7, 20, 12)), StrengthRule::kGcv, 0.0, nullptr);
  CHECK(found.rank < 7);
  CHECK(found.coefficients.allFinite());
}
