#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
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
