#include "common/model/ace/gauss_legendre.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace ipfit;

namespace {
constexpr long double kEpsilon = std::numeric_limits<long double>::epsilon();
}

TEST_CASE("a rule of n nodes integrates powers up to 2 n - 1 exactly") {
  for (const int count : {1, 2, 3, 8, 31}) {
    const std::vector<QuadratureNode> rule = gauss_legendre(count);
    REQUIRE(rule.size() == static_cast<std::size_t>(count));
    for (int power = 0; power < 2 * count; ++power) {
      long double sum = 0.0L;
      for (const QuadratureNode& node : rule) {
        sum += node.weight * std::pow(node.x, power);
      }
      const long double integral = power % 2 == 0 ? 2.0L / (power + 1) : 0.0L;
      // A node wrong by an epsilon changes its power by `power` epsilons.
      CHECK(std::fabs(sum - integral) < 4 * (power + 1) * kEpsilon);
    }
  }
}

TEST_CASE("large rules are accurate as well") {
  const std::vector<QuadratureNode> rule = gauss_legendre(512);
  long double sum = 0.0L;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    if (i > 0) {
      REQUIRE(rule[i].x > rule[i - 1].x);
    }
    sum += rule[i].weight * std::cos(300.0L * rule[i].x);
  }
  // The argument 300 x is rounded to 300 epsilon.
  CHECK(std::fabs(sum - 2.0L * std::sin(300.0L) / 300.0L) < 300 * kEpsilon);
}
