#include "manager/solve/active_qr.h"

#include <rapidcheck.h>

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

TEST_CASE("after any columns came and went the factorisation is that of those which are there") {
  REQUIRE(rc::check([] {
    const Eigen::MatrixXd X = random_rows(20, 12, *rc::gen::inRange<std::uint64_t>(0, 1000)).A;
    ActiveQr active(20, 12);
    const auto moves = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
    for (const int move : moves) {
      const Eigen::Index column = move % 12;
      const Columns& there = active.columns();
      const auto found = std::find(there.begin(), there.end(), column);
      if (found != there.end()) {
        active.remove(found - there.begin());
      } else {
        RC_ASSERT(active.append(column, X.col(column), 1e-10));
      }
      const Eigen::MatrixXd Q = active.Q();
      const Eigen::MatrixXd T = active.T();
      const Eigen::MatrixXd chosen = X(Eigen::all, active.columns());
      RC_ASSERT((Q * T - chosen).norm() <= 1e3 * kEpsilon * X.norm());  // a rounding error a move
      RC_ASSERT((Q.transpose() * Q - Eigen::MatrixXd::Identity(active.size(), active.size())).norm() <= 1e3 * kEpsilon);
      RC_ASSERT(T.isUpperTriangular(0.0));
    }
  }));
}

TEST_CASE("columns that are combinations of those that are there are not taken") {
  const Eigen::MatrixXd X = random_rows(20, 3, 1).A;
  ActiveQr active(20, 5);
  CHECK(active.append(0, X.col(0), 1e-12));
  CHECK(active.append(1, X.col(1), 1e-12));
  CHECK_FALSE(active.append(7, X.col(0) - 3.0 * X.col(1), 1e-12));
  CHECK(active.append(2, X.col(0) - 3.0 * X.col(1) + 1e-6 * X.col(2), 1e-12));
  CHECK_FALSE(active.append(8, Eigen::VectorXd::Zero(20), 1e-12));
  CHECK(active.columns() == Columns{0, 1, 2});
}
