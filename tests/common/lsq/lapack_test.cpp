#include "common/lsq/lapack.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include "tests/support/least_squares.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Each routine is backward stable: a few epsilon of the size of the matrix.
constexpr double kBackward = 50 * kEpsilon;

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  return random_rows(rows, columns, seed).A;
}

Eigen::MatrixXd upper(const Eigen::MatrixXd& matrix) {
  return matrix.triangularView<Eigen::Upper>();
}

}  // namespace

TEST_CASE("qr and apply_q take a matrix apart and put it together") {
  const auto [rows, columns] = GENERATE(table<int, int>({{1, 1}, {9, 4}, {4, 9}, {70, 70}}));
  const Eigen::MatrixXd A = random_matrix(rows, columns, 1);
  Eigen::MatrixXd factor = A;
  const Eigen::VectorXd scales = lapack::qr(factor);
  for (int k = 0; k < columns; ++k) {
    Eigen::VectorXd column = upper(factor).col(k);
    lapack::apply_q(lapack::Side::kQ, factor.leftCols(scales.size()), scales, column);
    CHECK((column - A.col(k)).norm() <= kBackward * A.norm());
    lapack::apply_q(lapack::Side::kQTransposed, factor.leftCols(scales.size()), scales, column);
    CHECK((column - upper(factor).col(k)).norm() <= kBackward * A.norm());
  }
}

TEST_CASE("a pivoted factorisation puts the columns in order of what they add") {
  Eigen::MatrixXd A = random_matrix(30, 12, 2);
  A.col(5) *= 100.0;
  A.col(8) = 3.0 * A.col(2) - A.col(10);
  Eigen::MatrixXd factor = A;
  const lapack::PivotedQr pivoted = lapack::pivoted_qr(factor);
  CHECK(pivoted.order.front() == 5);
  for (int k = 0; k < 11; ++k) {
    CHECK(std::abs(factor(k, k)) >= std::abs(factor(k + 1, k + 1)));
  }
  CHECK(std::abs(factor(11, 11)) <= kBackward * A.norm());
  for (std::size_t k = 0; k < 12; ++k) {
    Eigen::VectorXd column = upper(factor).col(static_cast<Eigen::Index>(k));
    lapack::apply_q(lapack::Side::kQ, factor, pivoted.scales, column);
    CHECK((column - A.col(pivoted.order[k])).norm() <= kBackward * A.norm());
  }
}

TEST_CASE("triangles are solved as they are and transposed, and what is below the diagonal is not looked at") {
  const Eigen::MatrixXd R = random_matrix(20, 20, 3) + 5.0 * Eigen::MatrixXd::Identity(20, 20);
  const Eigen::VectorXd b = random_matrix(20, 1, 4);
  Eigen::VectorXd x = b;
  lapack::solve_triangle(lapack::Triangle::kUpper, R, x);
  CHECK((upper(R) * x - b).norm() <= kBackward * R.norm() * x.norm());
  x = b;
  lapack::solve_triangle(lapack::Triangle::kUpperTransposed, R, x);
  CHECK((upper(R).transpose() * x - b).norm() <= kBackward * R.norm() * x.norm());
}

TEST_CASE("several right-hand sides are as many single ones") {
  const Eigen::MatrixXd R = random_matrix(20, 20, 8) + 5.0 * Eigen::MatrixXd::Identity(20, 20);
  const Eigen::MatrixXd B = random_matrix(20, 7, 9);
  Eigen::MatrixXd X = B;
  lapack::solve_triangle(lapack::Triangle::kUpper, R, X);
  CHECK((upper(R) * X - B).norm() <= kBackward * R.norm() * X.norm());
  Eigen::MatrixXd factor = random_matrix(20, 5, 10);
  const Eigen::VectorXd scales = lapack::qr(factor);
  Eigen::MatrixXd rotated = B;
  lapack::apply_q(lapack::Side::kQTransposed, factor, scales, rotated);
  CHECK(rotated.norm() == Approx(B.norm()).epsilon(kBackward));
  for (int k = 0; k < 7; ++k) {
    Eigen::VectorXd column = B.col(k);
    lapack::apply_q(lapack::Side::kQTransposed, factor, scales, column);
    CHECK((column - rotated.col(k)).norm() <= kBackward * B.norm());
  }
}

TEST_CASE("a triangle is inverted in its place, and what is below the diagonal stays") {
  const Eigen::MatrixXd R = random_matrix(20, 20, 11) + 5.0 * Eigen::MatrixXd::Identity(20, 20);
  Eigen::MatrixXd inverse = R;
  lapack::invert_triangle(inverse);
  CHECK((upper(R) * upper(inverse) - Eigen::MatrixXd::Identity(20, 20)).norm() <= kBackward * R.norm());
  CHECK(inverse.triangularView<Eigen::StrictlyLower>().toDenseMatrix() ==
        R.triangularView<Eigen::StrictlyLower>().toDenseMatrix());
}

TEST_CASE("a singular value decomposition puts a square matrix together again") {
  const Eigen::Index size = GENERATE(1, 2, 30, 90);
  Eigen::MatrixXd A = upper(random_matrix(size, size, 12));
  A.col(size - 1) *= 1e-9;
  const auto found = lapack::svd(A);
  REQUIRE(found);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
  CHECK((found->U * found->values.asDiagonal() * found->V.transpose() - A).norm() <= kBackward * A.norm());
  CHECK((found->U.transpose() * found->U - identity).norm() <= kBackward * std::sqrt(double(size)));
  CHECK((found->V.transpose() * found->V - identity).norm() <= kBackward * std::sqrt(double(size)));
  const Eigen::VectorXd expected = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
  CHECK((found->values - expected).cwiseAbs().maxCoeff() <= kBackward * A.norm());
  CHECK(found->values.minCoeff() >= 0.0);
}

TEST_CASE("a matrix of zeros has singular values zero, one with entries that are not finite has none") {
  const auto zero = lapack::svd(Eigen::MatrixXd::Zero(5, 5));
  REQUIRE(zero);
  CHECK(zero->values.isZero(0.0));
  Eigen::MatrixXd bad = random_matrix(5, 5, 13);
  bad(2, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(lapack::svd(bad));
}

TEST_CASE("a triangle with a zero on its diagonal is refused by solve and has no condition number") {
  Eigen::MatrixXd R = Eigen::MatrixXd::Identity(3, 3);
  R(1, 1) = 0.0;
  Eigen::VectorXd x = Eigen::VectorXd::Ones(3);
  CHECK_THROWS_WITH(lapack::solve_triangle(lapack::Triangle::kUpper, R, x), "LAPACK: dtrtrs returned 2");
  CHECK(lapack::reciprocal_condition(R) == 0.0);
}

TEST_CASE("the condition estimate is at most the condition number, and near it") {
  const Eigen::Index size = GENERATE(1, 2, 10, 60);
  const double smallest = GENERATE(1.0, 1e-3, 1e-9);
  Eigen::MatrixXd R = upper(random_matrix(size, size, 5));
  R.diagonal().array() += 3.0;
  R(size - 1, size - 1) = smallest;
  const auto norm = [](const Eigen::MatrixXd& matrix) { return matrix.cwiseAbs().colwise().sum().maxCoeff(); };
  const double exact = norm(R) * norm(R.inverse());
  const double estimate = 1.0 / lapack::reciprocal_condition(R);
  CAPTURE(size, smallest, exact, estimate);
  CHECK(estimate <= exact * (1.0 + 1e-6));  // the inverse of the reference loses up to 9 digits
  CHECK(estimate >= exact / 3.0);           // Higham, ACM TOMS 14, 381 (1988): rarely off by more than a factor 3
}
