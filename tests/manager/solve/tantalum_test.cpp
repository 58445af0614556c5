#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>
#include <vector>

#include "manager/solve/solver.h"
#include "tests/support/data.h"
#include "tests/support/least_squares.h"
#include "tests/support/npy.h"

// A published linear problem: the SNAP potential of tantalum of Thompson et al., J. Comput. Phys. 285, 316 (2015), as
// FitSNAP sets it up: 15213 weighted rows of energies, forces and stresses, 31 columns, condition number 2.66e5.
using namespace ipfit;
using namespace ipfit::test;

namespace {

struct Reference {
  Rows rows;
  Eigen::VectorXd coefficients;
};

Reference read_reference(const std::filesystem::path& folder) {
  const Eigen::MatrixXd descriptors = read_npy(folder / "Descriptors.npy");
  const Eigen::MatrixXd truth = read_npy(folder / "Truth-Ref.npy");
  const Eigen::MatrixXd weights = read_npy(folder / "Weights.npy");
  Reference out{Rows(descriptors.rows(), descriptors.cols()), Eigen::VectorXd(descriptors.cols())};
  out.rows.A = weights.col(0).asDiagonal() * descriptors;
  out.rows.y = weights.col(0).cwiseProduct(truth.col(0));
  std::ifstream file(folder / "reference_coefficients.txt");
  Eigen::Index found = 0;
  for (std::string line; std::getline(file, line);) {
    Eigen::Index column = 0;
    double value = 0.0;
    if (std::istringstream(line) >> column >> value) {
      out.coefficients[column] = value;
      ++found;
    }
  }
  REQUIRE(found == out.coefficients.size());
  return out;
}

// Condition number 2.66e5 times epsilon is 6e-11, and the residual, 21.6 of |y|, adds little: 1e-10 leaves no room for
// a method that squares the condition number.
constexpr double kTolerance = 1e-10;

void check_solution(const ReducedSystem& system, const Reference& reference) {
  const Result<Solution> found = solve(system, {.kind = SolverKind::kQr, .lambda = 0.0}, {});
  REQUIRE(found.ok());
  CHECK(system.rows == 15213);
  CHECK(found->rank == 31);
  CHECK((found->coefficients - reference.coefficients).cwiseQuotient(reference.coefficients).cwiseAbs().maxCoeff() <=
        kTolerance);
  CHECK(std::abs(found->residual / 21.5706103988 - 1.0) <= kTolerance);
  CHECK(std::abs(residual(reference.rows, found->coefficients) / 21.5706103988 - 1.0) <= kTolerance);
  // In the 2-norm it is 2.66e5; the 1-norm differs by at most the number of columns, the estimate by a factor of 3.
  CHECK(found->condition > 2.66e5 / 93.0);
  CHECK(found->condition < 2.66e5 * 31.0);
}

}  // namespace

TEST_CASE("the tantalum potential of the literature comes out, solved whole") {
  IPFIT_DATA_OR_SKIP(folder);
  const Reference reference = read_reference(folder / "ta_fitsnap");
  check_solution(reduced(reference.rows), reference);
}

TEST_CASE("the tantalum potential of the literature comes out, merged from any blocks") {
  IPFIT_DATA_OR_SKIP(folder);
  const Reference reference = read_reference(folder / "ta_fitsnap");
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<Eigen::Index> anywhere(0, reference.rows.A.rows());
  std::vector<Eigen::Index> cuts(50);
  std::generate(cuts.begin(), cuts.end(), [&] { return anywhere(generator); });
  cuts.push_back(reference.rows.A.rows());
  std::sort(cuts.begin(), cuts.end());
  std::vector<ReducedSystem> blocks;
  Eigen::Index first = 0;
  for (const Eigen::Index cut : cuts) {
    blocks.push_back(reduced(reference.rows.part(first, cut - first)));
    first = cut;
  }
  std::shuffle(blocks.begin(), blocks.end(), generator);
  ReducedSystem merged = empty_system(31);
  for (const ReducedSystem& block : blocks) {
    merged = merge(merged, block);
  }
  check_solution(merged, reference);
}

TEST_CASE("the tantalum potential of the literature comes out, read in panels by several threads") {
  IPFIT_DATA_OR_SKIP(folder);
  const Reference reference = read_reference(folder / "ta_fitsnap");
  const Result<ReducedSystem> system = reduce_rows(15213, 31, reader_of(reference.rows), GENERATE(1, 3));
  REQUIRE(system.ok());
  check_solution(*system, reference);
}

namespace {

double evidence_at(const Reference& reference, const Solution& solution) {
  // log N(y | 0, 1/beta + A A^T / alpha) with the determinant and the inverse of the 31 x 31 side (matrix determinant
  // lemma, Woodbury) in extended precision, from the rows themselves.
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const LongMatrix A = reference.rows.A.cast<long double>();
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> y = reference.rows.y.cast<long double>();
  const long double beta = *solution.noise_precision;
  const long double alpha = *solution.prior_precision;
  LongMatrix G = A.transpose() * A;
  G.diagonal().array() += alpha / beta;
  const Eigen::LDLT<LongMatrix> factor(G);
  const auto c = factor.solve(A.transpose() * y).eval();
  const long double energy = (y - A * c).squaredNorm() + alpha / beta * c.squaredNorm();
  const auto rows = static_cast<long double>(y.size());
  const auto columns = static_cast<long double>(c.size());
  return static_cast<double>(0.5L *
                             (rows * std::log(beta / (2.0L * std::numbers::pi_v<long double>)) +
                              columns * std::log(alpha / beta) - factor.vectorD().array().log().sum() - beta * energy));
}

}  // namespace

TEST_CASE("Bayesian regression of the tantalum potential has the evidence of the definition, at its maximum") {
  IPFIT_DATA_OR_SKIP(folder);
  const Reference reference = read_reference(folder / "ta_fitsnap");
  const Result<Solution> found = solve(reduced(reference.rows), {.kind = SolverKind::kBlr}, {});
  REQUIRE(found.ok());
  // 15213 rows of log N: 1e-10 of it is 2e-6.
  CHECK(*found->log_evidence == Approx(evidence_at(reference, *found)).epsilon(1e-10));
  for (const double factor : {0.5, 0.99, 1.01, 2.0}) {
    Solution other = *found;
    other.prior_precision = factor * *found->prior_precision;
    CHECK(evidence_at(reference, other) <= *found->log_evidence + 1e-5);
    other = *found;
    other.noise_precision = factor * *found->noise_precision;
    CHECK(evidence_at(reference, other) <= *found->log_evidence + 1e-5);
  }
}

TEST_CASE("every solver fits the tantalum rows as well as they can be fitted, or says how much it gave up") {
  IPFIT_DATA_OR_SKIP(folder);
  const ReducedSystem system = reduced(read_reference(folder / "ta_fitsnap").rows);
  const double least = 21.5706103988;
  const auto fitted = [&](const SolverSpec& options) {
    const Result<Solution> found = solve(system, options, {});
    REQUIRE(found.ok());
    CHECK(found->residual >= least * (1.0 - 1e-11));
    return found->residual / least;
  };
  // With 15213 rows for 31 columns no rule wants to give up more than a trace.
  CHECK(fitted({.kind = SolverKind::kRrqr}) <= 1.0 + 1e-10);
  CHECK(fitted({.kind = SolverKind::kTsvd}) <= 1.0 + 1e-10);
  CHECK(fitted({.kind = SolverKind::kLsqr}) <= 1.0 + 1e-6);
  CHECK(fitted({.kind = SolverKind::kBlr}) <= 1.01);
  CHECK(fitted({.kind = SolverKind::kArd}) <= 1.01);
  CHECK(fitted({.kind = SolverKind::kRidge, .strength = StrengthRule::kGcv}) <= 1.01);
  CHECK(fitted({.kind = SolverKind::kTsvd, .strength = StrengthRule::kGcv}) <= 1.01);
  CHECK(fitted({.kind = SolverKind::kOmp, .size = 31}) <= 1.0 + 1e-10);
  CHECK(fitted({.kind = SolverKind::kLasso, .strength = StrengthRule::kGcv}) <= 1.01);
}
