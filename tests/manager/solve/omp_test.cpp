#include "manager/solve/omp.h"

#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// The method by its definition, on all rows: a least-squares solution from scratch after every choice.
struct Pursuit {
  Columns order;
  std::vector<Eigen::VectorXd> coefficients;  // of 1, 2, ... columns
};
Pursuit pursue(const Rows& rows, std::size_t size) {
  Pursuit out;
  Eigen::VectorXd r = rows.y;
  while (out.order.size() < size) {
    Eigen::VectorXd gains = (rows.A.transpose() * r).cwiseAbs();
    for (const Eigen::Index taken : out.order) {
      gains[taken] = -1.0;
    }
    Eigen::Index best = 0;
    gains.maxCoeff(&best);
    out.order.push_back(best);
    const Eigen::MatrixXd chosen = rows.A(Eigen::all, out.order);
    const Eigen::VectorXd values = chosen.colPivHouseholderQr().solve(rows.y);
    Eigen::VectorXd c = Eigen::VectorXd::Zero(rows.A.cols());
    for (std::size_t k = 0; k < out.order.size(); ++k) {
      c[out.order[k]] = values[static_cast<Eigen::Index>(k)];
    }
    r = rows.y - rows.A * c;
    out.coefficients.push_back(c);
  }
  return out;
}

}  // namespace

TEST_CASE("the whole path is that of the definition on all rows") {
  const auto [count, columns, size] = GENERATE(table<int, int, int>({{60, 20, 20}, {15, 40, 15}, {200, 5, 5}}));
  const Rows rows = random_rows(count, columns, 1);
  const OmpPath path = omp_path(reduced(rows), columns);
  const Pursuit expected = pursue(rows, static_cast<std::size_t>(size));
  REQUIRE(path.order == expected.order);
  REQUIRE(path.residual.size() == static_cast<std::size_t>(size) + 1);
  CHECK(path.residual[0] == Approx(rows.y.norm()).epsilon(1e-14));
  for (int k = 1; k <= size; ++k) {
    const Eigen::VectorXd& c = expected.coefficients[static_cast<std::size_t>(k) - 1];
    CHECK(std::abs(path.residual[static_cast<std::size_t>(k)] - residual(rows, c)) <= 1e-13 * rows.y.norm());
    const Solution found = solve_omp(reduced(rows), StrengthRule::kGiven, k, nullptr);
    // Condition numbers of random square matrices of this size stay below 1e4.
    CHECK((found.coefficients - c).norm() <= 1e4 * 100 * kEpsilon * c.norm());
    CHECK(found.rank == k);
  }
}

TEST_CASE("a condition number of 1e8 does not lead it astray") {
  Rows rows = ill_conditioned(100, 30, 1e8, 2);
  rows.A = rows.A * rows.A.colwise().norm().cwiseInverse().asDiagonal();
  rows = with_targets(rows, Eigen::VectorXd::LinSpaced(30, -1.0, 1.0), 1e-4, 3);
  const Pursuit expected = pursue(rows, 15);
  const OmpPath path = omp_path(reduced(rows), 15);
  CHECK(path.order == expected.order);
  CHECK(path.residual.back() == Approx(residual(rows, expected.coefficients.back())).epsilon(1e-9));
}

TEST_CASE("a column equal to one that was taken, or without data, is passed over") {
  Rows rows = random_rows(40, 6, 4);
  rows.A.col(5) = rows.A.col(0);
  rows.A.col(2).setZero();
  const OmpPath path = omp_path(reduced(rows), 6);
  CHECK(path.order.size() == 4);
  CHECK(std::count(path.order.begin(), path.order.end(), 2) == 0);
  CHECK(std::count(path.order.begin(), path.order.end(), 0) + std::count(path.order.begin(), path.order.end(), 5) == 1);
  const Solution found = solve_omp(reduced(rows), StrengthRule::kGiven, 6, nullptr);
  CHECK(found.rank == 4);
  CHECK(found.status.find("no further column adds anything, so there are not 6") != std::string::npos);
}

TEST_CASE("it ends where the targets are met") {
  Eigen::VectorXd truth = Eigen::VectorXd::Zero(12);
  truth[3] = 1.0;
  truth[8] = -5.0;
  const Rows rows = with_targets(random_rows(40, 12, 5), truth, 0.0, 6);
  const Solution found = solve_omp(reduced(rows), StrengthRule::kGiven, 12, nullptr);
  CHECK(found.rank == 2);
  CHECK((found.coefficients - truth).norm() <= 100 * kEpsilon * truth.norm());
}

TEST_CASE("residuals on the validation set are those of the coefficients of each size") {
  const Rows rows = random_rows(40, 12, 7);
  const Rows other = random_rows(25, 12, 8);
  const ReducedSystem validation = reduced(other);
  const Solution found = solve_omp(reduced(rows), StrengthRule::kValidation, 0, &validation);
  REQUIRE(found.path.size() == 13);
  CHECK(*found.path[0].validation == Approx(other.y.norm()).epsilon(1e-13));
  for (int k = 1; k <= 12; ++k) {
    const Solution size = solve_omp(reduced(rows), StrengthRule::kGiven, k, nullptr);
    CHECK(*found.path[static_cast<std::size_t>(k)].validation ==
          Approx(residual(other, size.coefficients)).epsilon(1e-12));
  }
}

TEST_CASE("a limit on the size holds for chosen sizes as well") {
  const Rows rows = with_targets(random_rows(100, 12, 9), Eigen::VectorXd::Ones(12), 0.01, 10);
  CHECK(solve_omp(reduced(rows), StrengthRule::kGcv, 0, nullptr).rank == 12);
  CHECK(solve_omp(reduced(rows), StrengthRule::kGcv, 5, nullptr).rank == 5);
}
