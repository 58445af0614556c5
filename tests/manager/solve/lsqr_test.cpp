#include "manager/solve/lsqr.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/evidence.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

Solution on_triangle(const Rows& rows, LsqrOptions options) {
  const ReducedSystem system = reduced(rows);
  options.rho = system.rho;
  const Result<Solution> found = lsqr(operator_of(system), system.R.cols(), system.z, options);
  REQUIRE(found.ok());
  return *found;
}

Solution on_rows(const Rows& rows, const LsqrOptions& options) {
  const RowReader reader = reader_of(rows);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows.A.cols());
  const Result<Solution> found = lsqr(operator_of(rows.A.rows(), ones, reader), rows.A.cols(),
                                      *read_targets(rows.A.rows(), rows.A.cols(), reader), options);
  REQUIRE(found.ok());
  return *found;
}

}  // namespace

TEST_CASE(
    "with an accuracy near rounding it comes to the least-squares solution, from the triangle and from the rows") {
  const auto [count, columns] = GENERATE(table<int, int>({{60, 12}, {5000, 7}, {12, 12}}));
  const Rows rows = random_rows(count, columns, 1);
  const Eigen::VectorXd expected = Eigen::MatrixXd(rows.A).householderQr().solve(rows.y);
  const LsqrOptions options{.rtol = 1e-14};
  // The condition number is below 100, its square for large residuals.
  const double margin = 1e4 * 1e-14 * expected.norm();
  const Solution triangle = on_triangle(rows, options);
  CHECK((triangle.coefficients - expected).norm() <= margin);
  CHECK(triangle.residual == Approx(residual(rows, expected)).epsilon(1e-12).margin(1e-12));
  const Solution all = on_rows(rows, options);
  CHECK((all.coefficients - expected).norm() <= margin);
  CHECK(all.residual == Approx(residual(rows, expected)).epsilon(1e-12).margin(1e-12));
}

TEST_CASE("with fewer rows than columns it is the solution of least norm") {
  const Rows rows = random_rows(7, 20, 2);
  const Eigen::VectorXd expected = Eigen::MatrixXd(rows.A).completeOrthogonalDecomposition().solve(rows.y);
  CHECK((on_triangle(rows, {.rtol = 1e-14}).coefficients - expected).norm() <= 1e-11 * expected.norm());
  CHECK((on_rows(rows, {.rtol = 1e-14}).coefficients - expected).norm() <= 1e-11 * expected.norm());
}

TEST_CASE("damping is the penalty of ridge") {
  const double damp = GENERATE(0.01, 1.0, 30.0);
  const Rows rows = random_rows(60, 12, 3);
  const Penalised expected = penalised(rows, Eigen::VectorXd::Constant(12, damp * damp));
  CHECK((on_triangle(rows, {.damp = damp, .rtol = 1e-14}).coefficients - expected.c).norm() <=
        1e-11 * expected.c.norm());
  CHECK((on_rows(rows, {.damp = damp, .rtol = 1e-14}).coefficients - expected.c).norm() <= 1e-11 * expected.c.norm());
}

TEST_CASE("iterates on the triangle and on the rows are the same, and each is the best of its Krylov space") {
  const Rows rows = with_targets(ill_conditioned(80, 15, 1e3, 4), Eigen::VectorXd::Ones(15), 0.01, 7);
  const Eigen::MatrixXd gram = rows.A.transpose() * rows.A;
  for (int iterations = 1; iterations <= 6; ++iterations) {
    const LsqrOptions options{.rtol = 0.0, .iterations = iterations};
    const Solution triangle = on_triangle(rows, options);
    const Solution all = on_rows(rows, options);
    // Rounding errors of the bidiagonalisation grow with the square of the condition number, 1e6, as do those of
    // `gram`.
    CHECK((triangle.coefficients - all.coefficients).norm() <= 1e-8 * all.coefficients.norm());
    // An orthonormal basis of A^T y, A^T A A^T y, ...
    Eigen::MatrixXd krylov(15, iterations);
    Eigen::VectorXd next = rows.A.transpose() * rows.y;
    for (int k = 0; k < iterations; ++k) {
      for (int pass = 0; pass < 2; ++pass) {
        next -= krylov.leftCols(k) * (krylov.leftCols(k).transpose() * next);
      }
      krylov.col(k) = next.normalized();
      next = gram * krylov.col(k);
    }
    const Eigen::VectorXd expected = krylov * Eigen::MatrixXd(rows.A * krylov).colPivHouseholderQr().solve(rows.y);
    CHECK((all.coefficients - expected).norm() <= 1e-8 * expected.norm());
    CHECK(all.rank == iterations);
    CHECK(all.status.starts_with("NOT converged: stopped at the limit of iterations after "));
  }
}

TEST_CASE("scales divide the columns of rows that are read in panels") {
  const Rows rows = random_rows(5000, 6, 8);  // three panels
  const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(6, 0.1, 30.0);
  const Bidiagonaliser A = operator_of(5000, scales, reader_of(rows));
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(6, -1.0, 2.0);
  Eigen::VectorXd u = rows.y;
  const Eigen::VectorXd product = *A(v, 0.5, u);
  const Eigen::MatrixXd scaled = rows.A * scales.cwiseInverse().asDiagonal();
  const Eigen::VectorXd expected = scaled * v - 0.5 * rows.y;
  CHECK((u - expected).norm() <= 100 * kEpsilon * expected.norm());
  CHECK((product - scaled.transpose() * expected).norm() <= 1e4 * kEpsilon * product.norm());
}

TEST_CASE("a condition of 1e12 stops it early, with a residual as small as the accuracy asks for") {
  const Rows rows = with_targets(ill_conditioned(70, 15, 1e12, 9), Eigen::VectorXd::Ones(15), 1e-3, 10);
  const Solution found = on_triangle(rows, {.rtol = 1e-9});
  const Eigen::VectorXd expected = Eigen::MatrixXd(rows.A).colPivHouseholderQr().solve(rows.y);
  const double least = residual(rows, expected);
  CHECK(found.residual >= least * (1.0 - 1e-12));
  // It solves exactly a problem whose matrix differs by 1e-9 |A|.
  CHECK(found.residual <= least + 1e-9 * rows.A.norm() * expected.norm());
  CHECK(found.coefficients.norm() < 1e6);  // the least-squares solution has 1e9
}

TEST_CASE("a limit on the condition number is kept, and said") {
  const Rows rows = with_targets(ill_conditioned(70, 15, 1e12, 9), Eigen::VectorXd::Ones(15), 1e-3, 10);
  const Solution found = on_triangle(rows, {.rtol = 1e-14, .condition_limit = 1e3});
  CHECK(found.status.starts_with("stopped at the limit of the condition number after "));
}

TEST_CASE("targets that are zero, or orthogonal to every column, have coefficients zero") {
  Rows rows = random_rows(20, 4, 11);
  rows.y.setZero();
  CHECK(on_triangle(rows, {}).coefficients.isZero(0.0));
  CHECK(on_rows(rows, {}).coefficients.isZero(0.0));
  rows.A.setZero();
  rows.y.setOnes();
  const Solution found = on_rows(rows, {});
  CHECK(found.coefficients.isZero(0.0));
  CHECK(found.residual == Approx(std::sqrt(20.0)));
  CHECK(found.status.starts_with("no column can reach the targets"));
}

TEST_CASE("an error in reading is handed on") {
  const RowReader broken = [](std::int64_t first, std::int64_t, std::span<double> a, std::span<double> y) -> Status {
    if (first > 0) {
      return Error{ErrorKind::kStorage, "blocks.f64", "cannot be read", ""};
    }
    std::fill(a.begin(), a.end(), 1.0);
    std::fill(y.begin(), y.end(), 1.0);
    return Done{};
  };
  CHECK(read_targets(5000, 3, broken).error().where == "blocks.f64");
  const Result<Solution> found =
      lsqr(operator_of(5000, Eigen::VectorXd::Ones(3), broken), 3, Eigen::VectorXd::Ones(5000), {});
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().kind == ErrorKind::kStorage);
}
