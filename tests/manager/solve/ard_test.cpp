#include "manager/solve/ard.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "manager/solve/variables.h"
#include "tests/support/evidence.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Some columns matter much, some a little, most not at all.
Rows sparse(Eigen::Index rows, Eigen::Index columns, double condition, std::uint64_t seed) {
  Eigen::VectorXd truth = Eigen::VectorXd::Zero(columns);
  for (Eigen::Index k = 0; k < columns; k += 4) {
    truth[k] = k % 8 == 0 ? 2.0 : -0.3;
  }
  Rows out = condition > 1.0 ? ill_conditioned(rows, columns, condition, seed) : random_rows(rows, columns, seed);
  out.A = out.A * out.A.colwise().norm().cwiseInverse().asDiagonal();
  return with_targets(out, truth, 0.02, seed + 3);
}

Solution ard(const Rows& rows) {
  const Result<Solution> found = solve_ard(reduced(rows));
  REQUIRE(found.ok());
  CHECK(found->status.find("; converged in ") != std::string::npos);
  return *found;
}

// The evidence by its definition, with the columns that are not pruned.
double evidence(const Rows& rows, const Eigen::VectorXd& precisions, double beta) {
  Columns active;
  for (Eigen::Index k = 0; k < precisions.size(); ++k) {
    if (std::isfinite(precisions[k])) {
      active.push_back(k);
    }
  }
  const Rows used(rows.A(Eigen::all, active), rows.y);
  return static_cast<double>(log_marginal_likelihood(used, precisions(active), beta));
}

const Rows& problem(int which) {
  static const Rows problems[] = {sparse(60, 16, 1.0, 1), sparse(80, 24, 1e4, 5), sparse(20, 40, 1.0, 9),
                                  sparse(90, 30, 1e8, 13)};
  return problems[which];
}

}  // namespace

TEST_CASE("coefficients and covariance are those of the posterior at the precisions that were found") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const Solution found = ard(rows);
  const Eigen::VectorXd prior_variance = found.precisions.cwiseInverse();  // 0 where pruned
  // The posterior of a Gaussian process: no inverse of an infinite precision is needed.
  const double beta = *found.noise_precision;
  LongMatrix C = (rows.A * prior_variance.asDiagonal() * rows.A.transpose()).cast<long double>();
  C.diagonal().array() += 1.0L / beta;
  const Eigen::LDLT<LongMatrix> factor(C);
  const Eigen::MatrixXd gain = prior_variance.asDiagonal() * rows.A.transpose();
  const Eigen::VectorXd mean = gain * factor.solve(rows.y.cast<long double>()).cast<double>();
  const Eigen::MatrixXd covariance = Eigen::MatrixXd(prior_variance.asDiagonal()) -
                                     gain * factor.solve(gain.transpose().cast<long double>()).cast<double>();
  CHECK((found.coefficients - mean).norm() <= 1e-8 * mean.norm());
  CHECK((found.covariance_factor * found.covariance_factor.transpose() - covariance).norm() <=
        1e-8 * prior_variance.maxCoeff());  // of which the data take away most
  for (Eigen::Index k = 0; k < prior_variance.size(); ++k) {
    CHECK((found.coefficients[k] == 0.0) == (prior_variance[k] == 0.0));
  }
}

TEST_CASE("the evidence of ard is the density of the targets") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const Solution found = ard(rows);
  CHECK(*found.log_evidence == Approx(evidence(rows, found.precisions, *found.noise_precision)).epsilon(1e-10));
}

TEST_CASE("no change of one precision raises the evidence, nor pruning a column, nor bringing one back") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const Solution found = ard(rows);
  const double beta = *found.noise_precision;
  const double here = evidence(rows, found.precisions, beta);
  for (Eigen::Index k = 0; k < found.precisions.size(); ++k) {
    CAPTURE(k, found.precisions[k]);
    Eigen::VectorXd other = found.precisions;
    if (std::isfinite(found.precisions[k])) {
      for (const double factor : {0.5, 0.9, 1.1, 2.0, 1e3}) {
        other[k] = factor * found.precisions[k];
        CHECK(evidence(rows, other, beta) <= here + 1e-6);
      }
      const double h = 1e-3;
      other[k] = found.precisions[k] * (1.0 + h);
      const double above = evidence(rows, other, beta);
      other[k] = found.precisions[k] * (1.0 - h);
      CHECK(std::abs(above - evidence(rows, other, beta)) / (2.0 * h) <= 2e-6);  // it stops at a slope of 5e-7
      other[k] = std::numeric_limits<double>::infinity();
      CHECK(evidence(rows, other, beta) <= here + 1e-6);
    } else {
      for (double alpha = 1e-4; alpha < 1e8; alpha *= 10.0) {
        other[k] = alpha;
        CHECK(evidence(rows, other, beta) <= here + 1e-5);  // the gain it takes for nothing, 1e-6, and rounding
      }
    }
  }
  for (const double factor : {0.9, 1.1}) {
    CHECK(evidence(rows, found.precisions, factor * beta) <= here + 1e-6);
  }
}

TEST_CASE("it has at least the evidence of one precision for all") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const Result<Solution> blr = solve(reduced(rows), {.kind = SolverKind::kBlr}, {});
  CHECK(*ard(rows).log_evidence >= *blr->log_evidence);
}

TEST_CASE("columns that matter are kept, most others are pruned") {
  const Solution found = ard(problem(0));
  for (Eigen::Index k = 0; k < 16; k += 8) {
    CHECK(found.coefficients[k] == Approx(2.0).epsilon(0.05));
  }
  CHECK(found.rank >= 4);
  CHECK(found.rank <= 8);
  CHECK(*found.effective_parameters <= static_cast<double>(found.rank));
}

TEST_CASE("the scale of the columns changes neither evidence nor predictions") {
  const Rows& rows = problem(0);
  const Eigen::VectorXd unit = Eigen::ArrayXd::LinSpaced(16, -3.0, 3.0).exp();
  const Rows scaled(rows.A * unit.asDiagonal(), rows.y);
  const Solution expected = ard(rows);
  const Solution found = ard(scaled);
  CHECK(*found.log_evidence == Approx(*expected.log_evidence).epsilon(1e-10));
  CHECK((found.coefficients.cwiseProduct(unit) - expected.coefficients).norm() <=
        1e-5 * expected.coefficients.norm());  // slopes of 1e-6 at curvatures that may be small
}

TEST_CASE("equal columns do not hold up the search") {
  Rows rows = problem(0);
  rows.A.col(5) = rows.A.col(0);
  rows.A.col(9) = 2.0 * rows.A.col(8);
  const Solution found = ard(rows);
  CHECK(found.coefficients[0] + found.coefficients[5] == Approx(2.0).epsilon(0.05));
}

TEST_CASE("where no column is relevant all are pruned") {
  Rows rows = random_rows(200, 5, 30);
  rows.y -= rows.A * Eigen::MatrixXd(rows.A).householderQr().solve(rows.y);
  rows.y += 1e-3 * rows.A.col(0);  // far below the noise
  const Solution found = ard(rows);
  CHECK(found.coefficients.isZero(0.0));
  CHECK(found.rank == 0);
  CHECK(found.covariance_factor.cols() == 0);
  CHECK(*found.noise_precision == Approx(200.0 / rows.y.squaredNorm()).epsilon(1e-12));
}
