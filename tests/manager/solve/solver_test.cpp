#include "manager/solve/solver.h"

#include <rapidcheck.h>

#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/support/solver_systems.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

const SolverSpec kQrSpec{.kind = SolverKind::kQr, .lambda = 0.0};

Solution solution(const Rows& rows, const SolverSpec& spec = kQrSpec, const DiagonalPrior& prior = {}) {
  const Result<Solution> result = solve(reduced(rows), spec, prior);
  REQUIRE(result.ok());
  return *result;
}

Rows stacked(const Rows& rows, const Eigen::VectorXd& gamma) {
  Rows out(rows.A.rows() + gamma.size(), rows.A.cols());
  out.A << rows.A, RowMajor(gamma.asDiagonal());
  out.y << rows.y, Eigen::VectorXd::Zero(gamma.size());
  return out;
}

// Two backward stable methods differ by condition times epsilon times the residual's share; 100 for the factors that
// depend on the dimensions. Residuals here are as large as y, hence the square (Golub and Van Loan, section 5.3.7).
double agreement(double condition) {
  return 100 * kEpsilon * condition * condition;
}

// Minimiser of least |D c|, D as in the header: the lengths of the columns rounded to powers of two.
Eigen::VectorXd least_norm_reference(const Rows& rows) {
  Eigen::VectorXd inverse(rows.A.cols());
  for (Eigen::Index k = 0; k < inverse.size(); ++k) {
    const double length = rows.A.col(k).norm();
    inverse[k] = length == 0.0 ? 0.0 : std::exp2(-std::floor(std::log2(length)) - 1.0);
  }
  const Eigen::MatrixXd scaled = rows.A * inverse.asDiagonal();
  Eigen::BDCSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-12);
  return inverse.cwiseProduct(svd.solve(rows.y));
}

}  // namespace

TEST_CASE("a system of full rank has the solution of a factorisation of all its rows") {
  const auto [rows, columns] = GENERATE(table<int, int>({{1, 1}, {6, 6}, {50, 10}, {3000, 40}, {900, 300}}));
  CAPTURE(rows, columns);
  const Rows problem = random_rows(rows, columns, 1);
  const Solution found = solution(problem);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(problem.A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const double condition = svd.singularValues()[0] / svd.singularValues()[columns - 1];
  const Eigen::VectorXd expected = Eigen::MatrixXd(problem.A).colPivHouseholderQr().solve(problem.y);
  CHECK((found.coefficients - expected).norm() <= agreement(condition) * expected.norm());
  CHECK(found.rank == columns);
  CHECK(std::abs(found.residual - residual(problem, expected)) <= 100 * kEpsilon * condition * problem.y.norm());
  CHECK(found.status.starts_with("full rank " + std::to_string(columns) + " of " + std::to_string(columns) +
                                 ", condition "));
}

TEST_CASE("the condition estimate is that of the weighted matrix, in the 1-norm, up to a small factor") {
  const Rows problem = ill_conditioned(200, 20, GENERATE(1e1, 1e5), 2);
  const ReducedSystem system = reduced(problem);
  const auto norm = [](const Eigen::MatrixXd& matrix) { return matrix.cwiseAbs().colwise().sum().maxCoeff(); };
  const double exact = norm(system.R) * norm(system.R.inverse());
  const double estimate = solution(problem).condition;
  CAPTURE(exact, estimate);
  CHECK(estimate <= exact * (1.0 + 1e-9));  // the reference loses up to five of sixteen digits
  CHECK(estimate >= exact / 3.0);
}

TEST_CASE("any partition into blocks gives the same coefficients and residual") {
  REQUIRE(rc::check([] {
    const auto columns = *rc::gen::inRange<Eigen::Index>(1, 12);
    const auto rows = *rc::gen::inRange<Eigen::Index>(3 * columns, 150);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    auto cuts = *rc::gen::container<std::vector<Eigen::Index>>(rc::gen::inRange<Eigen::Index>(0, rows + 1));
    cuts.push_back(rows);
    std::sort(cuts.begin(), cuts.end());
    const Rows problem = random_rows(rows, columns, seed);
    ReducedSystem merged = empty_system(columns);
    Eigen::Index first = 0;
    for (const Eigen::Index cut : cuts) {
      merged = merge(merged, reduced(problem.part(first, cut - first)));
      first = cut;
    }
    const Solution blocks = *solve(merged, kQrSpec, {});
    const Solution whole = *solve(reduced(problem), kQrSpec, {});
    RC_PRE(whole.condition < 1e3);
    RC_ASSERT((blocks.coefficients - whole.coefficients).norm() <=
              agreement(whole.condition) * (whole.coefficients.norm() + problem.y.norm() / problem.A.norm()));
    RC_ASSERT(std::abs(blocks.residual - whole.residual) <= 100 * kEpsilon * whole.condition * problem.y.norm());
    RC_ASSERT(blocks.rank == whole.rank);
  }));
}

TEST_CASE("with more columns than rows every row is met, by the coefficients of least norm") {
  const auto [rows, columns] = GENERATE(table<int, int>({{1, 5}, {7, 8}, {20, 90}}));
  CAPTURE(rows, columns);
  const Rows problem = random_rows(rows, columns, 4);
  const Solution found = solution(problem);
  const Eigen::VectorXd expected = least_norm_reference(problem);
  CHECK(found.rank == rows);
  CHECK((found.coefficients - expected).norm() <= 1e5 * kEpsilon * expected.norm());  // condition below 1e3
  CHECK(found.residual <= 1e5 * kEpsilon * problem.y.norm());
  CHECK(found.status.starts_with("rank " + std::to_string(rows) + " of " + std::to_string(columns)));
}

TEST_CASE("columns that are combinations of others are found, and the residual is the least possible") {
  const double unit = GENERATE(1.0, 1e-6, 1e9);
  CAPTURE(unit);
  Rows problem = random_rows(400, 12, 5);
  problem.A.col(7) = 2.0 * problem.A.col(1) - problem.A.col(4);
  problem.A.col(9) = problem.A.col(2);
  problem.A.rightCols(3) *= unit;
  problem.A.col(1) *= unit;
  const Solution found = solution(problem);
  const Eigen::VectorXd expected = least_norm_reference(problem);
  CHECK(found.rank == 10);
  CHECK(found.status.starts_with("rank 10 of 12, condition "));
  CHECK(found.status.find("combinations of other columns, solution of least norm: columns ") != std::string::npos);
  CHECK(std::isfinite(found.condition));
  CHECK(std::abs(found.residual - residual(problem, expected)) <= 1e4 * kEpsilon * problem.y.norm());
  for (Eigen::Index k = 0; k < 12; ++k) {
    const double length = problem.A.col(k).norm();
    CHECK(std::abs(found.coefficients[k] - expected[k]) * length <= 1e5 * kEpsilon * problem.y.norm());
  }
}

TEST_CASE("equal columns share their coefficient") {
  Rows problem = random_rows(100, 5, 6);
  problem.A.col(4) = problem.A.col(0);
  const Solution found = solution(problem);
  CHECK(found.coefficients[4] == Approx(found.coefficients[0]).epsilon(1e-12));
}

TEST_CASE("columns without data, or with rounding errors only, get the coefficient zero and are named") {
  Rows problem = random_rows(300, 6, 7);
  problem.A.col(2).setZero();
  problem.A.col(5) *= 1e-17;
  const Solution found = solution(problem);
  CHECK(found.coefficients[2] == 0.0);
  CHECK(found.coefficients[5] == 0.0);
  CHECK(found.rank == 4);
  CHECK(found.status.find("zero in the data, coefficient 0: columns 2, 5 (counted from 0)") != std::string::npos);
}

TEST_CASE("the size of a column does not matter") {
  const Rows problem = random_rows(300, 6, 8);
  Rows rescaled = problem;
  rescaled.A.col(3) *= 1e-9;
  const Solution expected = solution(problem);
  const Solution found = solution(rescaled);
  CHECK(found.rank == 6);
  CHECK(found.coefficients[3] * 1e-9 == Approx(expected.coefficients[3]).epsilon(1e-12));
  CHECK(found.coefficients[0] == Approx(expected.coefficients[0]).epsilon(1e-12));
}

TEST_CASE("at condition 1e12 all columns count and the residual is the least possible") {
  const Rows problem = ill_conditioned(2000, 30, 1e12, 9);
  const Solution found = solution(problem);
  CHECK(found.rank == 30);
  // Coefficients of two good methods share few digits here, but both minimise the residual of a matrix that differs
  // from A by some epsilon |A|: the residual is above the least one by at most that times |c|.
  const Eigen::VectorXd expected =
      Eigen::MatrixXd(problem.A).bdcSvd(Eigen::ComputeThinU | Eigen::ComputeThinV).solve(problem.y);
  const double margin = 100 * kEpsilon * (problem.A.norm() * expected.norm() + problem.y.norm());
  CHECK(residual(problem, found.coefficients) <= residual(problem, expected) + margin);
  CHECK(std::abs(found.residual - residual(problem, found.coefficients)) <= margin);
}

TEST_CASE("small systems of every kind are solved") {
  SECTION("one row, one column") {
    Rows problem(1, 1);
    problem.A(0, 0) = -4.0;
    problem.y[0] = 2.0;
    CHECK(solution(problem).coefficients[0] == -0.5);
    CHECK(solution(problem).residual == 0.0);
  }
  SECTION("energies only: fewer rows than columns, two of them equal") {
    Rows problem = random_rows(8, 20, 10);
    problem.A.row(5) = problem.A.row(2);
    problem.y[5] = problem.y[2];
    CHECK(solution(problem).rank == 7);
    CHECK(solution(problem).residual <= 1e5 * kEpsilon * problem.y.norm());
  }
  SECTION("all weights zero") {
    Rows problem(10, 3);
    problem.A.setZero();
    problem.y.setZero();
    const Solution found = solution(problem);
    CHECK(found.coefficients.isZero(0.0));
    CHECK(found.rank == 0);
    CHECK(found.status == "rank 0 of 3; zero in the data, coefficient 0: columns 0, 1, 2 (counted from 0)");
  }
}

TEST_CASE("a prior is rows below the system") {
  const auto [rows, columns] = GENERATE(table<int, int>({{200, 15}, {4, 15}}));
  CAPTURE(rows, columns);
  const Rows problem = random_rows(rows, columns, 11);
  const Eigen::VectorXd gamma = random_rows(columns, 1, 12).y.cwiseAbs() + Eigen::VectorXd::Constant(columns, 0.1);
  const Eigen::VectorXd expected =
      Eigen::MatrixXd(stacked(problem, gamma).A).colPivHouseholderQr().solve(stacked(problem, gamma).y);
  const Solution found = solution(problem, kQrSpec, gamma);
  CHECK((found.coefficients - expected).norm() <= agreement(100.0) * expected.norm());  // condition below 100
  CHECK(found.rank == columns);
  CHECK(std::abs(found.residual - residual(problem, expected)) <= agreement(100.0) * problem.y.norm());
}

TEST_CASE("ridge adds lambda^2 |c|^2, or lambda^2 |gamma .* c|^2 with a prior") {
  const Rows problem = random_rows(60, 8, 13);
  const Eigen::VectorXd gamma = Eigen::VectorXd::LinSpaced(8, 0.5, 4.0);
  const SolverSpec ridge{.kind = SolverKind::kRidge, .lambda = 3.0};
  const auto reference = [&](const Eigen::VectorXd& diagonal) -> Eigen::VectorXd {
    return Eigen::MatrixXd(stacked(problem, diagonal).A).colPivHouseholderQr().solve(stacked(problem, diagonal).y);
  };
  const Eigen::VectorXd plain = reference(Eigen::VectorXd::Constant(8, 3.0));
  CHECK((solution(problem, ridge).coefficients - plain).norm() <= agreement(10.0) * plain.norm());
  const Eigen::VectorXd shaped = reference(3.0 * gamma);
  CHECK((solution(problem, ridge, gamma).coefficients - shaped).norm() <= agreement(10.0) * shaped.norm());
}

TEST_CASE("a ridge of zero is no ridge, and a large one takes the coefficients to zero") {
  const Rows problem = random_rows(60, 8, 14);
  const Solution free = solution(problem);
  CHECK((solution(problem, {.kind = SolverKind::kRidge, .lambda = 0.0}).coefficients - free.coefficients).norm() <=
        agreement(10.0) * free.coefficients.norm());
  double last = free.coefficients.norm();
  double last_residual = free.residual;
  for (const double lambda : {1.0, 10.0, 1e3, 1e6}) {
    const Solution found = solution(problem, {.kind = SolverKind::kRidge, .lambda = lambda});
    CHECK(found.coefficients.norm() < last);
    CHECK(found.residual > last_residual);
    last = found.coefficients.norm();
    last_residual = found.residual;
  }
  CHECK(last <= 1e-10);
  CHECK(last_residual == Approx(problem.y.norm()).epsilon(1e-9));
}

TEST_CASE("a ridge gives a dependent system full rank") {
  Rows problem = random_rows(60, 8, 15);
  problem.A.col(3) = problem.A.col(6);
  const Solution found = solution(problem, {.kind = SolverKind::kRidge, .lambda = 1e-3});
  CHECK(found.rank == 8);
  CHECK(found.coefficients[3] == Approx(found.coefficients[6]).epsilon(1e-6));  // condition 1e4, its square in c
}

namespace {

Error refusal(const ReducedSystem& system, const SolverSpec& spec = kQrSpec, const DiagonalPrior& prior = {}) {
  const Result<Solution> result = solve(system, spec, prior);
  REQUIRE_FALSE(result.ok());
  return result.error();
}

}  // namespace

TEST_CASE("a system without rows is refused") {
  CHECK(refusal(empty_system(3)).kind == ErrorKind::kFailed);
  CHECK(refusal(empty_system(3)).what == "the least-squares system has no rows");
}

TEST_CASE("a system with entries that are not finite is refused") {
  ReducedSystem bad = reduced(random_rows(20, 3, 16));
  const double value = GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  const int place = GENERATE(0, 1, 2);
  (place == 0 ? bad.R(0, 2) : place == 1 ? bad.z[1] : bad.rho) = value;
  CHECK(refusal(bad).kind == ErrorKind::kFailed);
  CHECK(refusal(bad).what == "the least-squares system has entries that are not finite");
}

TEST_CASE("strengths that are negative or not finite are refused") {
  const ReducedSystem system = reduced(random_rows(20, 3, 17));
  const double bad = GENERATE(-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  CHECK(refusal(system, {.kind = SolverKind::kRidge, .lambda = bad}).where == "solver.lambda");
  CHECK(refusal(system, kQrSpec, Eigen::Vector3d(1.0, bad, 1.0)).where == "solver.prior");
}
