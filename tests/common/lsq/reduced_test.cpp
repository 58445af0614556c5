#include "common/lsq/reduced.h"

#include <rapidcheck.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "tests/support/least_squares.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Householder factorisations are backward stable: R and z are exact for rows changed by a few epsilon of their size; a
// chain of panels and merges adds up. Residuals differ by as much, relative to |A||c| + |y|.
constexpr double kBackward = 100 * kEpsilon;

Eigen::VectorXd random_vector(Eigen::Index size, std::uint64_t seed) {
  return random_rows(size, 1, seed).y;
}

bool same_residuals(const Rows& rows, const ReducedSystem& system, std::uint64_t seed) {
  for (std::uint64_t k = 0; k < 3; ++k) {
    const Eigen::VectorXd c = random_vector(rows.A.cols(), seed + k);
    if (!(std::abs(residual(rows, c) - residual(system, c)) <=
          kBackward * (rows.A.norm() * c.norm() + rows.y.norm()))) {
      return false;
    }
  }
  return true;
}

bool is_canonical(const ReducedSystem& system) {
  const Eigen::MatrixXd lower = system.R.triangularView<Eigen::StrictlyLower>();
  return lower.isZero(0.0) && (system.R.diagonal().array() >= 0.0).all() && system.rho >= 0.0;
}

bool same_bits(const ReducedSystem& a, const ReducedSystem& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() &&
           std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(double)) == 0;
  };
  return same(a.R, b.R) && same(a.z, b.z) && std::memcmp(&a.rho, &b.rho, sizeof(double)) == 0 && a.rows == b.rows;
}

}  // namespace

TEST_CASE("a reduced system has the residual of all its rows for every coefficient vector") {
  const auto [rows, columns] = GENERATE(table<int, int>({{0, 3},
                                                         {1, 1},
                                                         {1, 6},
                                                         {5, 6},
                                                         {6, 6},
                                                         {7, 6},
                                                         {100, 1},
                                                         {400, 30},
                                                         {511, 8},
                                                         {512, 8},
                                                         {513, 8},
                                                         {3000, 40},
                                                         {700, 650},
                                                         {1500, 600}}));
  CAPTURE(rows, columns);
  const Rows problem = random_rows(rows, columns, 17);
  const ReducedSystem system = reduced(problem);
  CHECK(system.rows == rows);
  CHECK(is_canonical(system));
  CHECK(same_residuals(problem, system, 18));
}

TEST_CASE("R, z and rho are those of a factorisation of the whole matrix") {
  const Rows problem = random_rows(2000, 25, 3);
  const ReducedSystem system = reduced(problem);

  const Eigen::HouseholderQR<Eigen::MatrixXd> whole{Eigen::MatrixXd(problem.A)};
  Eigen::MatrixXd R = whole.matrixQR().topRows(25).triangularView<Eigen::Upper>();
  const Eigen::VectorXd rotated = whole.householderQ().transpose() * problem.y;
  Eigen::VectorXd z = rotated.head(25);
  const Eigen::VectorXd signs = R.diagonal().cwiseSign();
  R = signs.asDiagonal() * R;
  z = signs.cwiseProduct(z);
  // A tall random matrix has a condition number below 2; R and z change by that times the backward errors of both.
  CHECK((system.R - R).norm() <= 4 * kBackward * R.norm());
  CHECK((system.z - z).norm() <= 4 * kBackward * problem.y.norm());
  CHECK(std::abs(system.rho - rotated.tail(1975).norm()) <= 4 * kBackward * problem.y.norm());
}

TEST_CASE("rows that are missing are exactly zero, not rounding errors") {
  const Rows problem = random_rows(5, 9, 4);
  ReducedSystem system = reduced(problem);
  CHECK(system.R.bottomRows(4).isZero(0.0));
  CHECK(system.z.tail(4).isZero(0.0));
  CHECK(system.rho == 0.0);

  system = merge(reduced(problem.part(0, 2)), reduced(problem.part(2, 3)));
  CHECK(system.R.bottomRows(4).isZero(0.0));
  CHECK(system.z.tail(4).isZero(0.0));
  CHECK(system.rho == 0.0);
  CHECK(same_residuals(problem, system, 5));
}

TEST_CASE("a column of zeros stays exactly zero") {
  Rows problem = random_rows(1200, 7, 6);
  problem.A.col(3).setZero();
  CHECK(reduced(problem).R.col(3).isZero(0.0));
}

TEST_CASE("the part of y that no coefficients reach is as small as the rounding errors of y") {
  Rows problem = random_rows(4000, 20, 7);
  problem.y = 1e6 * problem.A * random_vector(20, 8);
  CHECK(reduced(problem).rho <= kBackward * problem.y.norm());
}

TEST_CASE("any partition into blocks, merged in any order, is the same problem") {
  REQUIRE(rc::check([] {
    const auto columns = *rc::gen::inRange<int>(1, 40);
    const auto rows = *rc::gen::inRange<int>(0, 200);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    auto cuts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, rows + 1));
    cuts.push_back(0);
    cuts.push_back(rows);
    std::sort(cuts.begin(), cuts.end());

    const Rows problem = random_rows(rows, columns, seed);
    std::vector<ReducedSystem> blocks{empty_system(columns)};
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      blocks.push_back(reduced(problem.part(cuts[k - 1], cuts[k] - cuts[k - 1])));
    }
    while (blocks.size() > 1) {
      const auto first = *rc::gen::inRange<std::size_t>(0, blocks.size());
      std::swap(blocks[first], blocks.back());
      const ReducedSystem taken = blocks.back();
      blocks.pop_back();
      const auto second = *rc::gen::inRange<std::size_t>(0, blocks.size());
      blocks[second] = merge(blocks[second], taken);
    }
    RC_ASSERT(blocks[0].rows == rows);
    RC_ASSERT(is_canonical(blocks[0]));
    RC_ASSERT(same_residuals(problem, blocks[0], seed));
  }));
}

TEST_CASE("merging with no rows changes no bit") {
  const ReducedSystem system = reduced(random_rows(GENERATE(3, 300), 12, 9));
  CHECK(same_bits(merge(system, empty_system(12)), system));
  CHECK(same_bits(merge(empty_system(12), system), system));
}

TEST_CASE("rows of weight zero count for nothing") {
  const Rows problem = random_rows(600, 10, 10);
  Rows weighted = random_rows(1200, 10, 11);
  for (Eigen::Index k = 0; k < 600; ++k) {
    weighted.A.row(2 * k) = problem.A.row(k);
    weighted.y[2 * k] = problem.y[k];
    weighted.A.row(2 * k + 1) *= 0.0;
    weighted.y[2 * k + 1] *= 0.0;
  }
  CHECK(same_residuals(problem, reduced(weighted), 12));
}

TEST_CASE("numbers that are not finite are not lost") {
  const double bad = GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  const bool in_target = GENERATE(false, true);
  Rows problem = random_rows(1500, 10, 13);
  (in_target ? problem.y[1400] : problem.A(700, 4)) = bad;
  const ReducedSystem system = merge(reduced(problem.part(0, 1000)), reduced(problem.part(1000, 500)));
  CHECK_FALSE((system.R.allFinite() && system.z.allFinite() && std::isfinite(system.rho)));
}

TEST_CASE("the bits of a reduced system do not depend on the number of threads") {
  const auto [rows, columns] =
      GENERATE(table<int, int>({{0, 4}, {1, 4}, {300, 4}, {20011, 5}, {9000, 60}, {6000, 130}}));
  CAPTURE(rows, columns);
  const Rows problem = random_rows(rows, columns, 14);
  const auto one = reduce_rows(rows, columns, reader_of(problem), 1);
  REQUIRE(one.ok());
  CHECK(one->rows == rows);
  CHECK(same_residuals(problem, *one, 15));
  for (const int threads : {2, 3, 7}) {
    CAPTURE(threads);
    const auto many = reduce_rows(rows, columns, reader_of(problem), threads);
    REQUIRE(many.ok());
    CHECK(same_bits(*one, *many));
  }
}

TEST_CASE("the bits of a reduced system do not depend on where memory lies") {
  const Rows problem = random_rows(700, 23, 16);
  const ReducedSystem expected = reduced(problem);
  std::vector<std::vector<char>> in_the_way;
  for (std::size_t k = 1; k < 40; ++k) {
    in_the_way.emplace_back(8 * k);
    std::vector<double> a(static_cast<std::size_t>(problem.A.size()) + k % 8);
    std::copy_n(problem.A.data(), problem.A.size(), a.begin() + static_cast<std::ptrdiff_t>(k % 8));
    const ReducedSystem moved = reduce(std::span(a).subspan(k % 8), std::span(problem.y.data(), 700), 23);
    CHECK(same_bits(expected, moved));
  }
}

TEST_CASE("every row is read exactly once") {
  const int threads = GENERATE(1, 3);
  constexpr std::int64_t kRows = 20011;
  std::vector<std::atomic<int>> read(kRows);
  const RowReader reader = [&](std::int64_t first, std::int64_t count, std::span<double> a,
                               std::span<double> y) -> Status {
    for (std::int64_t k = first; k < first + count; ++k) {
      ++read[static_cast<std::size_t>(k)];
    }
    std::fill(a.begin(), a.end(), 1.0);
    std::fill(y.begin(), y.end(), 1.0);
    return Done{};
  };
  REQUIRE(reduce_rows(kRows, 3, reader, threads).ok());
  CHECK(std::all_of(read.begin(), read.end(), [](int times) { return times == 1; }));
}

TEST_CASE("when rows cannot be read, reading stops and the reason is returned") {
  const int threads = GENERATE(1, 4);
  const Error damaged{ErrorKind::kStorage, "blocks.f64", "input/output error at row 3000", "copy the directory away"};
  std::atomic<int> reads = 0;
  const RowReader reader = [&](std::int64_t first, std::int64_t count, std::span<double> a,
                               std::span<double> y) -> Status {
    ++reads;
    if (first <= 3000 && 3000 < first + count) {
      return damaged;
    }
    std::fill(a.begin(), a.end(), 1.0);
    std::fill(y.begin(), y.end(), 1.0);
    return Done{};
  };
  const auto result = reduce_rows(200000, 3, reader, threads);
  REQUIRE_FALSE(result.ok());
  CHECK(result.errors() == std::vector{damaged});
  // Row 3000 is among the fifth 744. With more threads the others may have read all before the one that fails got to
  // run.
  CHECK((threads > 1 || reads == 5));
}
