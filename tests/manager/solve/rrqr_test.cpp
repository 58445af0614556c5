#include "manager/solve/rrqr.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "manager/solve/least_norm.h"
#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Eigen's pivoted factorisation of all rows, cut and completed in the same way.
Eigen::VectorXd reference(const Rows& rows, double rtol) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(rtol);
  decomposition.compute(rows.A);
  return decomposition.solve(rows.y);
}

}  // namespace

TEST_CASE("columns that add at most rtol are taken to add nothing, and the rest is solved with the least norm") {
  const double rtol = GENERATE(1e-2, 1e-5, 1e-9);
  const Rows rows = with_targets(ill_conditioned(60, 20, 1e12, 1), Eigen::VectorXd::Ones(20), 1e-3, 4);
  const Solution found = solve_rrqr(reduced(rows), rtol);
  const Eigen::VectorXd expected = reference(rows, rtol);
  // Two stable methods differ by the condition of what is kept, at most 100 / rtol, times epsilon.
  CHECK((found.coefficients - expected).norm() <= 1e3 / rtol * kEpsilon * expected.norm());
  CHECK(found.rank < 20);
  CHECK(found.condition <= 100.0 / rtol);
}

TEST_CASE("of a system of full rank it is the least-squares solution") {
  const Rows rows = random_rows(60, 12, 5);
  const Solution found = solve_rrqr(reduced(rows), 1e-9);
  const Eigen::VectorXd expected = Eigen::MatrixXd(rows.A).householderQr().solve(rows.y);
  CHECK((found.coefficients - expected).norm() <= 1e3 * kEpsilon * expected.norm());
  CHECK(found.status.starts_with("rank 12 of 12 at rtol 1.0e-09, condition "));
}

TEST_CASE("an rtol of zero stops at rounding errors") {
  Rows rows = random_rows(60, 12, 6);
  rows.A.col(4) = rows.A.col(1) + rows.A.col(9);
  const Solution found = solve_rrqr(reduced(rows), 0.0);
  CHECK(found.rank == 11);
  CHECK(found.status.find("add less, solution of least norm: columns ") != std::string::npos);
  const Eigen::VectorXd expected = reference(rows, 1e-12);
  CHECK((found.coefficients - expected).norm() <= 1e3 * kEpsilon * expected.norm());
}

TEST_CASE("a triangle of rank zero has a solution of zero and no condition number") {
  const LeastNorm found = least_norm(Eigen::MatrixXd::Zero(3, 3), Eigen::VectorXd::Ones(3), 1e-9);
  CHECK(found.x.isZero(0.0));
  CHECK(found.independent.empty());
  CHECK(triangle_condition(found.triangle) == 0.0);
  CHECK(condition_in_words(0.0).empty());
}
