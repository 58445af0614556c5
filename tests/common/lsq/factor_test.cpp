#include "common/lsq/factor.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/least_squares.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Backward stable: exact for rows changed by a few epsilon of their length; sums of a thousand rows, and squares of
// both sides are compared.
constexpr double kBackward = 100 * kEpsilon;

Panel panel_of(const Eigen::MatrixXd& rows) {
  Panel out(rows.rows(), rows.cols());
  out.matrix() = rows;
  return out;
}

Factor factor_of(const Eigen::MatrixXd& rows, const ColumnKernel& kernel) {
  Factor out(rows.cols());
  Panel panel = panel_of(rows);
  absorb_rows(out, panel, rows.rows(), kernel);
  return out;
}

/// Upper trapezoidal as `filled` says, and with the inner products of the columns of A.
void check(Factor& factor, const Eigen::MatrixXd& A) {
  const Eigen::MatrixXd U = factor.u.matrix();
  CHECK(factor.rows == A.rows());
  CHECK(factor.filled == std::min(A.rows(), A.cols()));
  CHECK(U.isUpperTriangular(0.0));
  CHECK(U.bottomRows(U.rows() - factor.filled).isZero(0.0));
  const double difference = (U.transpose() * U - A.transpose() * A).norm();
  CHECK(difference <= kBackward * A.squaredNorm());
}

}  // namespace

TEST_CASE("a factor has the inner products of all rows that it absorbed") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  // Around the widths of leaves (8), panels (48) and strips, and around their numbers of rows.
  const int columns = GENERATE(1, 7, 8, 9, 31, 48, 49, 61, 150);
  const std::vector<int> heights =
      GENERATE(values<std::vector<int>>({{1}, {5, 1, 3}, {60, 200}, {8, 40, 16}, {744}, {50, 7, 100, 49}, {13, 300}}));
  CAPTURE(kernel->name, columns, heights);
  const int rows = std::accumulate(heights.begin(), heights.end(), 0);
  const Eigen::MatrixXd A = random_rows(rows, columns, 1).A;

  Factor factor(columns);
  Eigen::Index first = 0;
  for (const int height : heights) {
    Panel panel = panel_of(A.middleRows(first, height));
    absorb_rows(factor, panel, height, *kernel);
    first += height;
  }
  check(factor, A);
}

TEST_CASE("a factor that absorbs another one has the inner products of both") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  const int columns = GENERATE(1, 9, 48, 130);
  const int first = GENERATE(0, 1, 5, 50, 300);
  const int second = GENERATE(0, 3, 47, 200);
  CAPTURE(kernel->name, columns, first, second);
  const Eigen::MatrixXd A = random_rows(first + second, columns, 2).A;
  Factor factor = factor_of(A.topRows(first), *kernel);
  absorb_factor(factor, factor_of(A.bottomRows(second), *kernel), *kernel);
  check(factor, A);
}

TEST_CASE("the triangle is that of LAPACK but for signs") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  CAPTURE(kernel->name);
  const Eigen::MatrixXd A = random_rows(1500, 131, 3).A;
  Factor factor = factor_of(A, *kernel);
  const Eigen::MatrixXd U = factor.u.matrix();
  Eigen::MatrixXd R = Eigen::HouseholderQR<Eigen::MatrixXd>(A).matrixQR().topRows(131).triangularView<Eigen::Upper>();
  const Eigen::VectorXd signs = U.diagonal().cwiseProduct(R.diagonal()).cwiseSign();
  R = signs.asDiagonal() * R;
  // A tall random matrix has a condition number of about 2: errors of U are a few times those of the rows.
  CHECK((U - R).norm() <= 4 * kBackward * A.norm());
}

TEST_CASE("columns may be of any size, and their errors are of their own size") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  CAPTURE(kernel->name);
  const int columns = 24;
  const Eigen::MatrixXd A = random_rows(200, columns, 4).A;
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(columns);
  const std::vector<int> exponents{-900, 900, -500, 300, -80, 80, -150, 0, 960, -960, 40};
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    sizes[static_cast<Eigen::Index>(2 * k + 1)] = std::ldexp(1.0, exponents[k]);
  }
  Factor plain = factor_of(A, *kernel);
  Factor scaled = factor_of(A * sizes.asDiagonal(), *kernel);
  // Powers of two change no digit of a column, so but for the order of roundings the factor is the same.
  const Eigen::MatrixXd back = scaled.u.matrix() * sizes.cwiseInverse().asDiagonal();
  for (int j = 0; j < columns; ++j) {
    CAPTURE(j, sizes[j]);
    CHECK((back.col(j) - plain.u.matrix().col(j)).norm() <= kBackward * A.col(j).norm());
  }
}

TEST_CASE("columns of zeros stay zero, and rows after them are not lost") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  CAPTURE(kernel->name);
  Eigen::MatrixXd A = random_rows(70, 60, 5).A;
  for (const int zero : {0, 7, 8, 30, 31, 59}) {
    A.col(zero).setZero();
  }
  Factor factor = factor_of(A.topRows(40), *kernel);
  absorb_factor(factor, factor_of(A.bottomRows(30), *kernel), *kernel);
  check(factor, A);
  for (const int zero : {0, 7, 8, 30, 31, 59}) {
    CHECK(factor.u.matrix().col(zero).isZero(0.0));
  }
}

TEST_CASE("numbers that are not finite are not lost in a factor") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  const double bad = GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity());
  const int row = GENERATE(0, 99, 250);
  const int column = GENERATE(0, 11, 59);
  CAPTURE(kernel->name, bad, row, column);
  Eigen::MatrixXd A = random_rows(300, 60, 6).A;
  A(row, column) = bad;
  Factor factor = factor_of(A.topRows(100), *kernel);
  absorb_factor(factor, factor_of(A.bottomRows(200), *kernel), *kernel);
  CHECK_FALSE(factor.u.matrix().allFinite());
}

TEST_CASE("rows are transposed into columns, whatever their number and length") {
  const auto* kernel = GENERATE(from_range(usable_column_kernels()));
  const int rows = GENERATE(1, 7, 8, 20, 33);
  const int columns = GENERATE(1, 8, 13, 40);
  CAPTURE(kernel->name, rows, columns);
  const RowMajor A = random_rows(rows, columns, 7).A;
  Panel out(rows, columns);
  kernel->transpose(rows, columns, A.data(), out.from(0, 0));
  CHECK(out.matrix() == Eigen::MatrixXd(A));
}
