#include <rapidcheck.h>

#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "manager/solve/solver.h"
#include "tests/support/solver_systems.h"

// What holds for every solver, whatever the data. What each of them minimises is tested beside it.
using namespace ipfit;
using namespace ipfit::test;

namespace {

struct Case {
  const char* name;
  SolverSpec options;
};

std::vector<Case> all_solvers() {
  return {
      {"qr", {}},
      {"rrqr", {.kind = SolverKind::kRrqr}},
      {"tsvd", {.kind = SolverKind::kTsvd, .rtol = 1e-6}},
      {"tsvd gcv", {.kind = SolverKind::kTsvd, .strength = StrengthRule::kGcv}},
      {"tsvd validation", {.kind = SolverKind::kTsvd, .strength = StrengthRule::kValidation}},
      {"ridge", {.kind = SolverKind::kRidge, .lambda = 1e-3}},
      {"ridge evidence", {.kind = SolverKind::kRidge, .strength = StrengthRule::kEvidence}},
      {"ridge gcv", {.kind = SolverKind::kRidge, .strength = StrengthRule::kGcv}},
      {"ridge validation", {.kind = SolverKind::kRidge, .strength = StrengthRule::kValidation}},
      {"blr", {.kind = SolverKind::kBlr, .committee = 3}},
      {"ard", {.kind = SolverKind::kArd, .committee = 3}},
      {"omp", {.kind = SolverKind::kOmp, .size = 4}},
      {"omp gcv", {.kind = SolverKind::kOmp, .strength = StrengthRule::kGcv}},
      {"omp validation", {.kind = SolverKind::kOmp, .strength = StrengthRule::kValidation}},
      {"lasso", {.kind = SolverKind::kLasso, .size = 4}},
      {"lasso gcv", {.kind = SolverKind::kLasso, .strength = StrengthRule::kGcv}},
      {"lasso validation", {.kind = SolverKind::kLasso, .strength = StrengthRule::kValidation}},
      {"lsqr", {.kind = SolverKind::kLsqr}},
      {"lsqr damped", {.kind = SolverKind::kLsqr, .lambda = 1e-2}},
  };
}

Rows validation_for(const Rows& rows) {
  return with_targets(random_rows(30, rows.A.cols(), 99), Eigen::VectorXd::Ones(rows.A.cols()), 0.1, 98);
}

Solution solved(const Rows& rows, const SolverSpec& options, const DiagonalPrior& prior = {}) {
  const ReducedSystem validation = reduced(validation_for(rows));
  const bool wanted = options.strength == StrengthRule::kValidation;
  const Result<Solution> found = solve(reduced(rows), options, prior, wanted ? &validation : nullptr);
  REQUIRE(found.ok());
  return *found;
}

}  // namespace

TEST_CASE("every solver says what it found, whatever the data are like") {
  for (const NamedRows& data : awkward_systems()) {
    for (const auto& [name, options] : all_solvers()) {
      for (const bool with_prior : {false, true}) {
        CAPTURE(data.name, name, with_prior);
        const Eigen::Index columns = data.rows.A.cols();
        const Eigen::VectorXd prior = Eigen::VectorXd::LinSpaced(columns, 1.0, 100.0);
        const Solution found = solved(data.rows, options, with_prior ? prior : DiagonalPrior{});
        CAPTURE(found.status);
        REQUIRE(found.coefficients.size() == columns);
        CHECK(found.coefficients.allFinite());
        CHECK_FALSE(found.status.empty());
        CHECK(found.rank >= 0);
        CHECK(found.rank <= columns);
        CHECK(found.condition >= 0.0);
        // R stands for A to some epsilon of its size, and the coefficients may be large.
        const double margin = 100 * kEpsilon * (data.rows.A.norm() * found.coefficients.norm() + data.rows.y.norm());
        CHECK(std::abs(found.residual - residual(data.rows, found.coefficients)) <= margin);
        CHECK(found.residual <= data.rows.y.norm() * (1.0 + 1e-9) + margin);
        if (options.committee > 0) {
          REQUIRE(found.committee.rows() == columns);
          CHECK(found.committee.cols() == options.committee);
          CHECK(found.committee.allFinite());
        }
      }
    }
  }
}

TEST_CASE("every solver gives the same bits for the same input") {
  const Rows rows = with_targets(ill_conditioned(50, 12, 1e8, 20), Eigen::VectorXd::Ones(12), 1e-2, 21);
  for (const auto& [name, options] : all_solvers()) {
    CAPTURE(name);
    const Solution first = solved(rows, options);
    const Solution second = solved(rows, options);
    CHECK(first.coefficients == second.coefficients);
    CHECK(first.committee == second.committee);
    CHECK(first.status == second.status);
  }
}

TEST_CASE("no solver depends on how the rows were divided and merged") {
  const Rows rows = with_targets(random_rows(120, 10, 22), Eigen::VectorXd::LinSpaced(10, -1.0, 1.0), 0.2, 23);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<Eigen::Index> anywhere(0, rows.A.rows());
  std::vector<Eigen::Index> cuts(7);
  std::generate(cuts.begin(), cuts.end(), [&] { return anywhere(generator); });
  cuts.push_back(rows.A.rows());
  std::sort(cuts.begin(), cuts.end());
  ReducedSystem merged = empty_system(10);
  Eigen::Index first = 0;
  for (const Eigen::Index cut : cuts) {
    merged = merge(merged, reduced(rows.part(first, cut - first)));
    first = cut;
  }
  const ReducedSystem validation = reduced(validation_for(rows));
  for (const auto& [name, options] : all_solvers()) {
    CAPTURE(name);
    const Solution whole = *solve(reduced(rows), options, {}, &validation);
    const Solution parts = *solve(merged, options, {}, &validation);
    // Conditions are below 10. Of lambda half the digits are found where its objective is flat (ridge, blr, ard), and
    // lsqr stops at 1e-9.
    CHECK((whole.coefficients - parts.coefficients).norm() <= 1e-8 * whole.coefficients.norm());
    CHECK(whole.rank == parts.rank);
  }
}

TEST_CASE("a prior is a change of variables: solving for gamma .* c and going back") {
  const Rows rows = with_targets(random_rows(60, 9, 24), Eigen::VectorXd::LinSpaced(9, -1.0, 1.0), 0.2, 25);
  const Eigen::VectorXd gamma = Eigen::VectorXd::LinSpaced(9, 0.5, 40.0);
  Rows scaled = rows;
  scaled.A = rows.A * gamma.cwiseInverse().asDiagonal();
  for (const auto& [name, options] : all_solvers()) {
    if (options.strength == StrengthRule::kValidation || options.kind == SolverKind::kQr) {
      continue;  // the validation set would have to be scaled too; a prior is a penalty of its own in qr
    }
    CAPTURE(name);
    const Solution with_prior = *solve(reduced(rows), options, gamma);
    const Solution by_hand = *solve(reduced(scaled), options, Eigen::VectorXd::Ones(9));
    CHECK((with_prior.coefficients.cwiseProduct(gamma) - by_hand.coefficients).norm() <=
          1e-8 * by_hand.coefficients.norm());  // as above
  }
}

TEST_CASE("the size of columns has no influence where it must not") {
  const Rows rows = with_targets(random_rows(60, 9, 26), Eigen::VectorXd::LinSpaced(9, -1.0, 1.0), 0.2, 27);
  const Eigen::VectorXd unit = Eigen::ArrayXd::LinSpaced(9, -12.0, 9.0).exp();
  Rows scaled = rows;
  scaled.A = rows.A * unit.asDiagonal();
  for (const auto& [name, options] : all_solvers()) {
    const SolverKind kind = options.kind;
    const bool invariant = kind == SolverKind::kQr || kind == SolverKind::kRrqr || kind == SolverKind::kArd ||
                           kind == SolverKind::kOmp || kind == SolverKind::kLasso ||
                           (kind == SolverKind::kLsqr && options.lambda == 0.0);
    if (!invariant || options.strength == StrengthRule::kValidation) {
      continue;
    }
    CAPTURE(name);
    const Solution expected = solved(rows, options);
    const Solution found = solved(scaled, options);
    CHECK((found.coefficients.cwiseProduct(unit) - expected.coefficients).norm() <=
          1e-8 * expected.coefficients.norm());  // as above
    CHECK(found.rank == expected.rank);
  }
}

TEST_CASE("with a validation set the strength with the least residual on it is taken") {
  // Few rows, much noise: anything but strong regularisation fits the noise.
  const Eigen::VectorXd truth = Eigen::ArrayXd::LinSpaced(30, 0.0, -8.0).exp();
  const Rows training = with_targets(random_rows(40, 30, 28), truth, 1.0, 29);
  const Rows other = with_targets(random_rows(500, 30, 30), truth, 1.0, 31);
  const ReducedSystem system = reduced(training);
  const ReducedSystem validation = reduced(other);
  const auto missed = [&](const SolverSpec& options) {
    const Result<Solution> found = solve(system, options, {}, &validation);
    REQUIRE(found.ok());
    return residual(other, found->coefficients);
  };
  SECTION("ridge") {
    const double best = missed({.kind = SolverKind::kRidge, .strength = StrengthRule::kValidation});
    for (double lambda = 1e-3; lambda < 1e3; lambda *= 1.1) {
      CHECK(best <= missed({.kind = SolverKind::kRidge, .lambda = lambda}) * (1.0 + 1e-12));
    }
  }
  SECTION("tsvd") {
    const double best = missed({.kind = SolverKind::kTsvd, .strength = StrengthRule::kValidation});
    for (double rtol = 1e-3; rtol < 1.0; rtol *= 1.02) {
      CHECK(best <= missed({.kind = SolverKind::kTsvd, .rtol = rtol}) * (1.0 + 1e-12));
    }
  }
  SECTION("omp and lasso") {
    const SolverKind kind = GENERATE(SolverKind::kOmp, SolverKind::kLasso);
    const double best = missed({.kind = kind, .strength = StrengthRule::kValidation});
    for (int size = 1; size <= 30; ++size) {
      CHECK(best <= missed({.kind = kind, .size = size}) * (1.0 + 1e-12));
    }
    const Solution found = *solve(system, {.kind = kind, .strength = StrengthRule::kValidation}, {}, &validation);
    for (const PathPoint& point : found.path) {
      CHECK(*point.validation >= best * (1.0 - 1e-12));
    }
  }
}

namespace {

Error refusal(const SolverSpec& options, const DiagonalPrior& prior = {}, const ReducedSystem* validation = nullptr) {
  const Result<Solution> found = solve(reduced(random_rows(20, 3, 32)), options, prior, validation);
  REQUIRE_FALSE(found.ok());
  return found.error();
}

}  // namespace

TEST_CASE("options out of range, or that the solver does not have, are refused by name") {
  CHECK(refusal({.kind = SolverKind::kTsvd, .rtol = 1.0}).where == "solver.rtol");
  CHECK(refusal({.kind = SolverKind::kTsvd, .rtol = -1e-3}).where == "solver.rtol");
  CHECK(refusal({.kind = SolverKind::kOmp}).where == "solver.size");
  CHECK(refusal({.kind = SolverKind::kLasso, .size = -1}).where == "solver.size");
  CHECK(refusal({.kind = SolverKind::kBlr, .committee = -1}).where == "solver.committee");
  CHECK(refusal({.kind = SolverKind::kQr, .committee = 2}).where == "solver.committee");
  CHECK(refusal({.kind = SolverKind::kQr, .strength = StrengthRule::kGcv}).where == "solver.kind");
  CHECK(refusal({.kind = SolverKind::kTsvd, .strength = StrengthRule::kEvidence}).where == "solver.kind");
  CHECK(refusal({}, Eigen::Vector2d(1.0, 1.0)).where == "solver.prior");
  CHECK(refusal({}, Eigen::Vector3d(1.0, 0.0, 1.0)).where == "solver.prior");
}

TEST_CASE("a choice by validation needs a validation set that fits") {
  const SolverSpec options{.kind = SolverKind::kRidge, .strength = StrengthRule::kValidation};
  CHECK(refusal(options).what == "is to choose by validation, but there is no validation set");
  const ReducedSystem other = reduced(random_rows(20, 4, 33));
  CHECK(refusal(options, {}, &other).kind == ErrorKind::kFailed);
  const ReducedSystem empty = empty_system(3);
  CHECK(refusal(options, {}, &empty).kind == ErrorKind::kFailed);
}

TEST_CASE("a prior so small that the columns overflow is refused in words") {
  Rows rows = random_rows(20, 3, 34);
  rows.A *= 1e10;
  const Result<Solution> found = solve(reduced(rows), {}, Eigen::Vector3d(1.0, 1e-300, 1.0));
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().what == "the columns overflow when they are divided by the prior");
}
