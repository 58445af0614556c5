#include "manager/solve/ridge.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "manager/solve/penalty_choice.h"
#include "tests/support/evidence.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

Spectrum spectrum(const Rows& rows) {
  const Result<Spectrum> found = spectrum_of(reduced(rows));
  REQUIRE(found.ok());
  return *found;
}

// rows |(1 - H) y|^2 / tr(1 - H)^2 with H = A (A^T A + lambda^2)^-1 A^T, from the definition, on all rows.
double gcv(const Rows& rows, double lambda) {
  const Penalised ridge = penalised(rows, Eigen::VectorXd::Constant(rows.A.cols(), lambda * lambda));
  const auto count = static_cast<double>(rows.A.rows());
  return count * std::pow(residual(rows, ridge.c) / (count - ridge.trace), 2);
}

double evidence(const Rows& rows, double lambda) {
  const Eigen::VectorXd ratios = Eigen::VectorXd::Constant(rows.A.cols(), lambda * lambda);
  const double beta = best_beta(rows, ratios);
  return static_cast<double>(log_marginal_likelihood(rows, beta * ratios, beta));
}

Rows noisy(Eigen::Index rows, Eigen::Index columns, double condition) {
  return with_targets(ill_conditioned(rows, columns, condition, 1), Eigen::VectorXd::LinSpaced(columns, 1.0, -1.0),
                      0.03, 4);
}

const Rows& problem(int which) {
  static const Rows problems[] = {noisy(40, 10, 1e2), noisy(40, 10, 1e6), noisy(12, 20, 1e3),
                                  with_targets(random_rows(50, 30, 5), Eigen::VectorXd::Ones(30), 3.0, 6)};
  return problems[which];
}

}  // namespace

TEST_CASE("a spectrum holds the whole problem") {
  for (const NamedRows& data : awkward_systems()) {
    CAPTURE(data.name);
    const Spectrum found = spectrum(data.rows);
    const Eigen::VectorXd c = Eigen::VectorXd::LinSpaced(data.rows.A.cols(), -2.0, 1.0);
    const double missed = std::hypot((found.s.cwiseProduct(found.V.transpose() * c) - found.z).norm(), found.rho);
    CHECK(std::abs(missed - residual(data.rows, c)) <=
          100 * kEpsilon * (data.rows.A.norm() * c.norm() + data.rows.size()));
  }
}

TEST_CASE("ridge in closed form is the solution of the penalised normal equations in extended precision") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const double lambda = GENERATE(1e-3, 0.1, 3.0);
  const Spectrum found = spectrum(rows);
  const Filtered ridge = filtered(found, lambda);
  const Penalised expected = penalised(rows, Eigen::VectorXd::Constant(rows.A.cols(), lambda * lambda));
  // The stacked matrix has a condition number of at most |A| / lambda < 1e4.
  CHECK((found.V * ridge.directions - expected.c).norm() <= 1e4 * 100 * kEpsilon * expected.c.norm());
  CHECK(ridge.kept.sum() == Approx(expected.trace).epsilon(1e-12));
  CHECK((ridge.kept + ridge.lost - Eigen::VectorXd::Ones(rows.A.cols())).norm() <= 10 * kEpsilon);
}

TEST_CASE("the evidence is the density of the targets under their Gaussian distribution") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  // Below, the covariance of the definition has a condition number, |A|^2 / lambda^2, that costs more than 11 digits.
  const double lambda = GENERATE(1e-3, 1e-2, 1.0, 100.0);
  const double found = log_evidence(spectrum(rows), std::log(lambda)).value;
  CHECK(std::abs(found - evidence(rows, lambda)) <= 1e-11 * std::abs(found));  // rows log E: a few digits are lost
  const Eigen::VectorXd ratios = Eigen::VectorXd::Constant(rows.A.cols(), lambda * lambda);
  const double beta = best_noise_precision(spectrum(rows), lambda);
  CHECK(beta == Approx(best_beta(rows, ratios)).epsilon(1e-11));
  // No other noise precision is better.
  for (const double factor : {0.999, 1.001}) {
    CHECK(log_marginal_likelihood(rows, factor * beta * ratios, factor * beta) <= found);
  }
}

TEST_CASE("the cross-validation function is the one of the definition") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const double lambda = GENERATE(1e-3, 1e-2, 1.0, 100.0);
  CHECK(log_gcv(spectrum(rows), std::log(lambda)).value ==
        Approx(std::log(gcv(rows, lambda))).epsilon(1e-10).margin(1e-10));
}

TEST_CASE("slopes are those of the values") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const Spectrum found = spectrum(rows);
  const ReducedSystem validation = reduced(random_rows(30, rows.A.cols(), 9));
  const double x = std::log(GENERATE(1e-2, 0.3, 10.0));
  const double h = 1e-4;
  const auto check = [&](const auto& f) {
    const double difference = (f(x + h).value - f(x - h).value) / (2.0 * h);
    // Truncation h^2 of a function whose third derivative is as large as itself, and rounding epsilon / h.
    const double margin = 1e-7 * (1.0 + std::abs(f(x).value));
    CHECK(std::abs(f(x).derivative - difference) <= margin);
  };
  check([&](double at) { return log_evidence(found, at); });
  check([&](double at) { return log_gcv(found, at); });
  check([&](double at) { return validation_residual(found, validation, at); });
}

TEST_CASE("ridge by evidence and by cross-validation take the best lambda of a fine grid, from the definitions") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const ReducedSystem system = reduced(rows);
  const double by_evidence = *solve_ridge(system, StrengthRule::kEvidence, nullptr)->lambda;
  const double by_gcv = *solve_ridge(system, StrengthRule::kGcv, nullptr)->lambda;
  const double highest = evidence(rows, by_evidence);
  const double lowest = gcv(rows, by_gcv);
  for (double lambda = 1e-4; lambda < 1e3; lambda *= 1.07) {
    CAPTURE(lambda, by_evidence, by_gcv);
    CHECK(evidence(rows, lambda) <= highest + 1e-9);
    CHECK(gcv(rows, lambda) >= lowest * (1.0 - 1e-9));
  }
}

TEST_CASE("the evidence is at a maximum: to both sides it falls, and its slope is zero") {
  const Rows& rows = problem(GENERATE(0, 1, 3));
  const Spectrum found = spectrum(rows);
  const Solution solution = evidence_ridge(found);
  const double x = std::log(*solution.lambda);
  CHECK(std::abs(log_evidence(found, x).derivative) <= 1e-9);
  const double h = 1e-3;
  CHECK(log_evidence(found, x - h).value < *solution.log_evidence);
  CHECK(log_evidence(found, x + h).value < *solution.log_evidence);
  // MacKay's conditions: gamma = alpha |c|^2, rows - gamma = beta |A c - y|^2.
  const double gamma = *solution.effective_parameters;
  CHECK(*solution.prior_precision * solution.coefficients.squaredNorm() == Approx(gamma).epsilon(1e-8));
  CHECK(*solution.noise_precision * std::pow(residual(rows, solution.coefficients), 2) ==
        Approx(static_cast<double>(rows.A.rows()) - gamma).epsilon(1e-8));
}

TEST_CASE("a given lambda is solved by QR, with the same result as in closed form") {
  const Rows& rows = problem(GENERATE(0, 1, 2, 3));
  const double lambda = GENERATE(1e-3, 0.1);
  const Spectrum found = spectrum(rows);
  const Eigen::VectorXd closed = found.V * filtered(found, lambda).directions;
  CHECK((solve_ridge(reduced(rows), lambda).coefficients - closed).norm() <= 1e4 * 100 * kEpsilon * closed.norm());
}

TEST_CASE("without noise the evidence takes as little penalty as rounding errors allow, and says so") {
  const Rows rows = with_targets(random_rows(50, 8, 15), Eigen::VectorXd::LinSpaced(8, -1.0, 2.0), 0.0, 16);
  const Solution found = *solve_ridge(reduced(rows), StrengthRule::kEvidence, nullptr);
  CHECK((found.coefficients - Eigen::VectorXd::LinSpaced(8, -1.0, 2.0)).norm() <= 1e3 * kEpsilon);
  CHECK(found.status.find("as little as rounding errors allow") != std::string::npos);
}

TEST_CASE("targets that the columns do not explain get coefficients near zero, and the status says so") {
  // Every column is orthogonal to the targets but for a trace.
  Rows rows = random_rows(80, 6, 17);
  rows.y -= 0.999 * (rows.A * Eigen::MatrixXd(rows.A).colPivHouseholderQr().solve(rows.y));
  const StrengthRule rule = GENERATE(StrengthRule::kEvidence, StrengthRule::kGcv);
  const Solution found = *solve_ridge(reduced(rows), rule, nullptr);
  CHECK(found.coefficients.norm() <= 1e-6);
  CHECK(found.status.find("the columns explain nothing of the targets") != std::string::npos);
}

TEST_CASE("targets of zero have coefficients of exactly zero") {
  Rows rows = random_rows(20, 5, 18);
  rows.y.setZero();
  const StrengthRule rule = GENERATE(StrengthRule::kEvidence, StrengthRule::kGcv);
  CHECK(solve_ridge(reduced(rows), rule, nullptr)->coefficients.isZero(0.0));
}

TEST_CASE("the evidence counts all rows, also those that were reduced away") {
  // The same rows with noise of the same size beside them: more certainty of the noise, less of the prior.
  const Rows rows = problem(0);
  const double expected = evidence(rows, 0.05);
  ReducedSystem merged = empty_system(rows.A.cols());
  for (Eigen::Index i = 0; i < rows.A.rows(); ++i) {
    merged = merge(merged, reduced(rows.part(i, 1)));
  }
  CHECK(merged.rows == rows.A.rows());
  CHECK(log_evidence(*spectrum_of(merged), std::log(0.05)).value == Approx(expected).epsilon(1e-11));
}
