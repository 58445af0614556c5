#include "manager/solve/blr.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "manager/solve/committee.h"
#include "tests/support/evidence.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

Rows noisy(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  return with_targets(random_rows(rows, columns, seed), Eigen::VectorXd::LinSpaced(columns, 1.0, -1.0), 0.4, seed + 1);
}

Solution blr(const Rows& rows, int committee = 0, const DiagonalPrior& prior = {}) {
  const Result<Solution> found = solve(reduced(rows), {.kind = SolverKind::kBlr, .committee = committee}, prior);
  REQUIRE(found.ok());
  return *found;
}

}  // namespace

TEST_CASE("mean and covariance are those of the posterior at the precisions that were found") {
  const auto [count, columns] = GENERATE(table<int, int>({{50, 8}, {15, 25}}));
  const Rows rows = noisy(count, columns, 1);
  const Eigen::VectorXd gamma = Eigen::VectorXd::LinSpaced(columns, 0.5, 3.0);
  const Solution found = blr(rows, 0, gamma);
  const double alpha = *found.prior_precision;
  const double beta = *found.noise_precision;
  Eigen::MatrixXd precision = beta * rows.A.transpose() * rows.A;
  precision += (alpha * gamma.cwiseAbs2()).asDiagonal();
  const Eigen::MatrixXd covariance = precision.inverse();
  CHECK((found.covariance_factor * found.covariance_factor.transpose() - covariance).norm() <=
        1e-11 * covariance.norm());  // the condition number of `precision` is below 1e4
  const Eigen::VectorXd mean = beta * covariance * rows.A.transpose() * rows.y;
  CHECK((found.coefficients - mean).norm() <= 1e-11 * mean.norm());
  CHECK(*found.lambda == Approx(std::sqrt(alpha / beta)).epsilon(1e-14));
}

TEST_CASE("no other precisions of noise and prior have more evidence") {
  const auto [count, columns] = GENERATE(table<int, int>({{50, 8}, {30, 25}}));
  const Rows rows = noisy(count, columns, 3);
  const Eigen::VectorXd gamma = Eigen::VectorXd::LinSpaced(columns, 0.5, 3.0);
  const Solution found = blr(rows, 0, gamma);
  const auto evidence = [&](double alpha, double beta) {
    return static_cast<double>(log_marginal_likelihood(rows, alpha * gamma.cwiseAbs2(), beta));
  };
  const double alpha = *found.prior_precision;
  const double beta = *found.noise_precision;
  CHECK(*found.log_evidence == Approx(evidence(alpha, beta)).epsilon(1e-11));
  for (double a = 1e-3; a <= 1e3; a *= 2.1) {
    for (double b = 1e-2; b <= 1e2; b *= 1.7) {
      CHECK(evidence(a * alpha, b * beta) <= *found.log_evidence + 1e-9);
    }
  }
  const double h = 1e-3;
  CHECK(std::abs(evidence(alpha * (1 + h), beta) - evidence(alpha * (1 - h), beta)) / (2 * h) <= 1e-4);
  CHECK(std::abs(evidence(alpha, beta * (1 + h)) - evidence(alpha, beta * (1 - h))) / (2 * h) <= 1e-4);
}

TEST_CASE("the noise is found") {
  // 2000 rows know the variance of their noise, 0.4^2 / 3 of uniform noise, to 1/sqrt(1000).
  const Solution found = blr(noisy(2000, 6, 5));
  CHECK(1.0 / *found.noise_precision == Approx(0.16 / 3.0).epsilon(0.1));
}

TEST_CASE("a committee spreads as the posterior does") {
  const Rows rows = noisy(40, 5, 7);
  const int members = 40000;
  const Solution found = blr(rows, members);
  const Eigen::VectorXd mean = found.committee.rowwise().mean();
  const Eigen::MatrixXd about = found.committee.colwise() - mean;
  const Eigen::MatrixXd sample = about * about.transpose() / (members - 1);
  const Eigen::MatrixXd covariance = found.covariance_factor * found.covariance_factor.transpose();
  // Statistical errors: 1/sqrt(members) of a standard deviation, sqrt(2/members) of a variance; five of each.
  for (Eigen::Index i = 0; i < 5; ++i) {
    CHECK(std::abs(mean[i] - found.coefficients[i]) <= 5.0 * std::sqrt(covariance(i, i) / members));
    for (Eigen::Index j = 0; j < 5; ++j) {
      CHECK(std::abs(sample(i, j) - covariance(i, j)) <=
            5.0 * std::sqrt(2.0 / members * covariance(i, i) * covariance(j, j)));
    }
  }
}

TEST_CASE("members depend on the seed alone, and few are the first of many") {
  const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(4, 0.0, 1.0);
  const Eigen::MatrixXd factor = random_rows(4, 3, 8).A;
  const Eigen::MatrixXd members = draw_committee(mean, factor, 6, 42);
  CHECK(members == draw_committee(mean, factor, 6, 42));
  CHECK(members.leftCols(2) == draw_committee(mean, factor, 2, 42));
  CHECK_FALSE(members == draw_committee(mean, factor, 6, 43));
}

TEST_CASE("a factor without columns makes members without spread") {
  const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(4, 0.0, 1.0);
  const Eigen::MatrixXd members = draw_committee(mean, Eigen::MatrixXd(4, 0), 3, 1);
  CHECK(members == mean.replicate(1, 3));
}

TEST_CASE("normal numbers have the moments of a normal distribution") {
  const Eigen::Index count = 200000;
  const Eigen::ArrayXd xi =
      draw_committee(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Ones(1, 1), count, 7).row(0).transpose();
  const double error =
      5.0 / std::sqrt(static_cast<double>(count));  // five standard deviations, times that of the moment
  CHECK(std::abs(xi.mean()) <= error);
  CHECK(std::abs(xi.square().mean() - 1.0) <= error * std::sqrt(2.0));
  CHECK(std::abs(xi.cube().mean()) <= error * std::sqrt(15.0));
  CHECK(std::abs(xi.pow(4).mean() - 3.0) <= error * std::sqrt(96.0));
  CHECK(std::abs((xi.head(count - 1) * xi.tail(count - 1)).mean()) <= error);
}
