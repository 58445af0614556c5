#include "manager/solve/lasso.h"

#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Coordinate descent on all rows: each coefficient in turn at its own minimum, until none moves.
Eigen::VectorXd coordinate_descent(const Rows& rows, double penalty) {
  const Eigen::VectorXd lengths = rows.A.colwise().squaredNorm();
  Eigen::VectorXd c = Eigen::VectorXd::Zero(rows.A.cols());
  Eigen::VectorXd r = rows.y;
  for (int sweep = 0; sweep < 100000; ++sweep) {
    double moved = 0.0;
    for (Eigen::Index k = 0; k < c.size(); ++k) {
      const double pull = rows.A.col(k).dot(r) + lengths[k] * c[k];
      const double value = std::copysign(std::max(0.0, std::abs(pull) - penalty), pull) / lengths[k];
      r += (c[k] - value) * rows.A.col(k);
      moved = std::max(moved, std::abs(value - c[k]));
      c[k] = value;
    }
    if (moved <= 1e-15) {
      break;
    }
  }
  return c;
}

Rows unit_columns(Rows rows) {
  rows.A = rows.A * rows.A.colwise().norm().cwiseInverse().asDiagonal();
  return rows;
}

// How far a point is from the optimality conditions: A^T r = penalty sign(c) where c is not 0, at most that elsewhere.
double optimality(const Rows& rows, const Eigen::VectorXd& c, double penalty) {
  const Eigen::VectorXd correlations = rows.A.transpose() * (rows.y - rows.A * c);
  double worst = 0.0;
  for (Eigen::Index k = 0; k < c.size(); ++k) {
    worst = std::max(worst, c[k] != 0.0 ? std::abs(correlations[k] - std::copysign(penalty, c[k]))
                                        : std::abs(correlations[k]) - penalty);
  }
  return worst;
}

}  // namespace

TEST_CASE("at any penalty the path is the minimum that coordinate descent finds on all rows") {
  const auto [count, columns] = GENERATE(table<int, int>({{60, 15}, {100, 40}, {200, 3}}));
  const Rows rows = random_rows(count, columns, 1);
  const LassoPath path = lasso_path(reduced(rows), columns);
  CHECK_FALSE(path.cut);
  const double start = path.knots.front().penalty;
  CHECK(start == Approx((rows.A.transpose() * rows.y).cwiseAbs().maxCoeff()).epsilon(1e-14));
  for (const double share : {1.1, 0.99, 0.8, 0.5, 0.2, 0.05, 0.01, 0.0}) {
    const Eigen::VectorXd expected = coordinate_descent(rows, share * start);
    CHECK((lasso_at(path, share * start, columns) - expected).norm() <= 1e-11 * (1.0 + expected.norm()));
  }
}

TEST_CASE("every corner of the path meets the optimality conditions on all rows") {
  for (const NamedRows& data : awkward_systems()) {
    CAPTURE(data.name);
    Rows rows = data.rows;
    const LassoPath path = lasso_path(reduced(rows), rows.A.cols());
    CHECK_FALSE(path.cut);
    CHECK((path.knots.back().penalty == 0.0 || path.knots.size() == 1));
    for (const LassoKnot& knot : path.knots) {
      const Eigen::VectorXd c = lasso_at(path, knot.penalty, rows.A.cols());
      // Residuals of coefficients c have rounding errors of epsilon |A| |c|, correlations |A| times that.
      const double margin = 1e3 * kEpsilon * rows.A.norm() * (rows.A.norm() * c.norm() + rows.y.norm());
      CHECK(optimality(rows, c, knot.penalty) <= margin);
    }
    for (std::size_t k = 1; k < path.knots.size(); ++k) {
      CHECK(path.knots[k].penalty <= path.knots[k - 1].penalty);
    }
  }
}

TEST_CASE("columns leave where their coefficient comes back to zero") {
  // Neighbouring columns resemble each other: one may first stand for several, and later be replaced by them.
  bool somebody_left = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rows rows = unit_columns(random_rows(30, 12, seed));
    for (Eigen::Index k = 1; k < 12; ++k) {
      rows.A.col(k) += 0.9 * rows.A.col(k - 1);
    }
    const LassoPath path = lasso_path(reduced(rows), 12);
    for (std::size_t k = 1; k < path.knots.size(); ++k) {
      somebody_left = somebody_left || path.knots[k].columns.size() < path.knots[k - 1].columns.size();
      const Eigen::VectorXd c = lasso_at(path, path.knots[k].penalty, 12);
      CHECK(optimality(rows, c, path.knots[k].penalty) <= 1e-12 * rows.y.norm() * rows.A.norm());
    }
  }
  CHECK(somebody_left);
}

TEST_CASE("the end of the path is the least-squares solution") {
  const Rows rows = random_rows(60, 15, 3);
  const LassoPath path = lasso_path(reduced(rows), 15);
  const Eigen::VectorXd expected = Eigen::MatrixXd(rows.A).householderQr().solve(rows.y);
  CHECK((lasso_at(path, 0.0, 15) - expected).norm() <= 1e3 * kEpsilon * expected.norm());
  CHECK(path.knots.back().residual == Approx(residual(rows, expected)).epsilon(1e-13));
}

TEST_CASE("each corner has the least squares of its columns") {
  const Rows rows = random_rows(60, 15, 4);
  for (const LassoKnot& knot : lasso_path(reduced(rows), 15).knots) {
    if (knot.columns.empty()) {
      continue;
    }
    const Eigen::MatrixXd chosen = rows.A(Eigen::all, knot.columns);
    const Eigen::VectorXd expected = chosen.householderQr().solve(rows.y);
    CHECK((knot.least_squares - expected).norm() <= 1e3 * kEpsilon * expected.norm());
    CHECK(knot.residual == Approx((chosen * expected - rows.y).norm()).epsilon(1e-13));
  }
}

TEST_CASE("a size selects the columns before one more comes in, and solves the least squares on them") {
  const Rows rows = unit_columns(random_rows(60, 15, 5));
  const int size = GENERATE(1, 4, 9, 15);
  const Solution found = solve_lasso(reduced(rows), StrengthRule::kGiven, size, nullptr);
  Columns used;
  for (Eigen::Index k = 0; k < 15; ++k) {
    if (found.coefficients[k] != 0.0) {
      used.push_back(k);
    }
  }
  REQUIRE(used.size() == static_cast<std::size_t>(size));
  const Eigen::VectorXd values = Eigen::MatrixXd(rows.A(Eigen::all, used)).householderQr().solve(rows.y);
  for (std::size_t k = 0; k < used.size(); ++k) {
    CHECK(found.coefficients[used[k]] == Approx(values[static_cast<Eigen::Index>(k)]).epsilon(1e-11));
  }
  CHECK(found.rank == size);
  CHECK(found.status.starts_with(std::to_string(size) + " of 15 columns by the given number, condition "));
}

TEST_CASE("equal columns: one of them is used") {
  Rows rows = unit_columns(random_rows(60, 6, 6));
  rows.A.col(4) = rows.A.col(1);
  const LassoPath path = lasso_path(reduced(rows), 6);
  CHECK_FALSE(path.cut);
  CHECK(path.knots.back().columns.size() == 5);
  const Solution found = solve_lasso(reduced(rows), StrengthRule::kGiven, 6, nullptr);
  CHECK(found.rank == 5);
  CHECK(found.status.find("no further column adds anything, so there are not 6") != std::string::npos);
}

TEST_CASE("a path that is cut ends before one column too many") {
  const Rows rows = unit_columns(random_rows(60, 15, 7));
  const LassoPath whole = lasso_path(reduced(rows), 15);
  const LassoPath part = lasso_path(reduced(rows), 6);
  CHECK(part.cut);
  REQUIRE(part.knots.size() <= whole.knots.size());
  for (std::size_t k = 0; k < part.knots.size(); ++k) {
    CHECK(part.knots[k].penalty == Approx(whole.knots[k].penalty).epsilon(1e-13));
    CHECK(part.knots[k].columns.size() <= 6);
  }
  CHECK(part.knots.back().penalty > 0.0);
}
