#include "manager/solve/variables.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

TEST_CASE("in other variables the residual is the same function") {
  const Rows rows = random_rows(40, 6, 1);
  const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(6, 0.1, 30.0);
  const ReducedSystem scaled = in_variables(reduced(rows), scales);
  const Eigen::VectorXd c = Eigen::VectorXd::LinSpaced(6, -1.0, 2.0);
  CHECK(residual(scaled, scales.cwiseProduct(c)) == Approx(residual(rows, c)).epsilon(1e-14));
  CHECK(scaled.rows == 40);
}

TEST_CASE("by their lengths columns become as long as each other, but rounding errors stay negligible") {
  Rows rows = random_rows(40, 5, 2);
  rows.A.col(1) *= 1e-9;
  rows.A.col(3) *= 1e-17;
  rows.A.col(4).setZero();
  const ReducedSystem system = reduced(rows);
  const ReducedSystem scaled = in_variables(system, column_lengths(system));
  CHECK(scaled.R.col(0).norm() == Approx(1.0).epsilon(1e-14));
  CHECK(scaled.R.col(1).norm() == Approx(1.0).epsilon(1e-14));
  CHECK(scaled.R.col(3).norm() < 1e-16);
  CHECK(scaled.R.col(4).norm() == 0.0);
  CHECK(column_lengths(reduced(Rows(RowMajor::Zero(3, 2), Eigen::VectorXd::Ones(3)))) == Eigen::VectorXd::Ones(2));
}

TEST_CASE("the system of some columns is the reduction of those columns") {
  const auto [count, columns] = GENERATE(table<int, int>({{40, 6}, {4, 6}, {6, 6}}));
  const Rows rows = random_rows(count, columns, 3);
  const Columns chosen = GENERATE(Columns{4, 1, 2}, Columns{0}, Columns{5, 4, 3, 2, 1, 0}, Columns{});
  Rows part(count, static_cast<Eigen::Index>(chosen.size()));
  part.A = rows.A(Eigen::all, chosen);
  part.y = rows.y;
  const ReducedSystem found = with_columns(reduced(rows), chosen);
  const ReducedSystem expected = reduced(part);
  CHECK(found.R.isUpperTriangular(0.0));
  CHECK((found.R - expected.R).norm() <= 100 * kEpsilon * rows.A.norm());
  CHECK((found.z - expected.z).norm() <= 100 * kEpsilon * rows.y.norm());
  CHECK(std::abs(found.rho - expected.rho) <= 100 * kEpsilon * rows.y.norm());
  CHECK(found.rows == count);
}

TEST_CASE("long lists of columns are cut") {
  CHECK(listed({7, 3, 5}) == "3, 5, 7");
  CHECK(listed({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
  CHECK(listed({}).empty());
}
