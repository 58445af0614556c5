#include "worker/row_checks.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "common/model/ace/ace_rule.h"
#include "tests/support/random_structures.h"
#include "worker/evaluate.h"

using namespace ipfit;
using namespace ipfit::test;

TEST_CASE("the first number that is infinite or none is found") {
  std::vector<double> numbers(100, 1e308);
  REQUIRE_FALSE(first_not_finite(numbers));
  REQUIRE_FALSE(first_not_finite({}));
  numbers[70] = std::numeric_limits<double>::quiet_NaN();
  REQUIRE(first_not_finite(numbers) == 70);
  numbers[40] = -std::numeric_limits<double>::infinity();
  REQUIRE(first_not_finite(numbers) == 40);
}

TEST_CASE("a single wrong entry of the forces is found, with its column and axis") {
  const Structure s = RandomStructures(23).structure(CellKind::kTriclinic, 12, {14, 8});
  const RowMask all{true, true, true};
  Evaluator evaluator({PairSpec{{14, 8}, 5.0, 6}, {}, {}});
  const std::int64_t n = evaluator.columns();
  std::vector<double> out(static_cast<std::size_t>(row_count(s.size(), all) * n));
  REQUIRE(evaluator.evaluate(s, all, out).ok());
  const Rows rows{out.data(), out.data() + n, out.data() + n * (1 + 3 * s.size()), n};
  std::vector<double> scratch;
  REQUIRE_FALSE(find_imbalance(s.size(), rows, scratch));
  for (std::int64_t row = 0; row < 3 * s.size(); ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      double& entry = rows.forces[row * n + column];
      const double right = entry;
      entry = right * (1.0 + 1e-5);
      // An entry that is itself next to nothing in its column may be a little wrong unnoticed.
      if (std::abs(right) > 1e-3) {
        const auto found = find_imbalance(s.size(), rows, scratch);
        REQUIRE(found);
        REQUIRE(found->column == column);
        REQUIRE(found->axis == row % 3);
      }
      entry = right;
    }
  }
}

TEST_CASE("a column in which symmetry makes energy, forces and virial zero is in order") {
  // Every atom of two is a centre of inversion, so functions with a single factor of degree 1 per element vanish: what
  // is left of them is rounding.
  AceRule rule;
  rule.elements = {6, 14};
  rule.cutoff = 4.5;
  rule.choice = AceChoice::kLists;
  rule.n_max = {2, 2};
  rule.l_max = {0, 1};
  Evaluator evaluator({make_ace_spec(rule).value(), {}, {}});
  RandomStructures random(29);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Structure s;
    s.cell = random.cell(CellKind::kTriclinic);
    s.pbc = {true, true, true};
    s.species = {6, 14};
    s.positions = {Vec3(0.1, 0.2, 0.3), Vec3(0.1, 0.2, 0.3) + 0.5 * s.cell.colwise().sum().transpose()};
    std::vector<double> out(static_cast<std::size_t>(row_count(2, {true, true, true}) * evaluator.columns()));
    const Status status = evaluator.evaluate(s, {true, true, true}, out);
    INFO((status ? "" : status.error().text()));
    REQUIRE(status.ok());
  }
}
