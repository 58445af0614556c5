#include "manager/solve/prior.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ipfit;

namespace {

// Factors (n, l) of three functions: rank 1, rank 2 with l = 1, rank 3.
const std::vector<std::vector<ColumnFactor>> kColumns = {{{1, 0}}, {{2, 1}, {3, 1}}, {{1, 2}, {1, 2}, {4, 0}}};

}  // namespace

TEST_CASE("no prior is an empty one") {
  CHECK(prior_scales({}, kColumns).size() == 0);
}

TEST_CASE("the algebraic prior adds powers of the degrees of all factors") {
  const DiagonalPrior gamma =
      prior_scales({.kind = PriorKind::kAlgebraic, .power = 4.0, .wl = 2.0 / 3.0, .wn = 1.0}, kColumns);
  REQUIRE(gamma.size() == 3);
  CHECK(gamma[0] == 1.0);
  CHECK(gamma[1] == Approx(std::pow(1.5, 4) + 16.0 + std::pow(1.5, 4) + 81.0).epsilon(1e-14));
  CHECK(gamma[2] == Approx(2.0 * (std::pow(3.0, 4) + 1.0) + 256.0).epsilon(1e-14));
}

TEST_CASE("the exponential and the Gaussian prior multiply over the factors") {
  const DiagonalPrior exponential = prior_scales({.kind = PriorKind::kExponential, .wl = 2.0, .wn = 0.5}, kColumns);
  CHECK(exponential[0] == Approx(std::exp(2.0)).epsilon(1e-14));
  CHECK(exponential[1] == Approx(std::exp(0.5 + 4.0) * std::exp(0.5 + 6.0)).epsilon(1e-14));
  const DiagonalPrior gaussian = prior_scales({.kind = PriorKind::kGaussian, .wl = 2.0, .wn = 4.0}, kColumns);
  CHECK(gaussian[1] == Approx(std::exp(0.25 + 0.25) * std::exp(0.25 + 9.0 / 16.0)).epsilon(1e-14));
  CHECK(gaussian[2] == Approx(std::exp(2.0 * (1.0 + 1.0 / 16.0) + 1.0)).epsilon(1e-14));
}

TEST_CASE("every prior grows with every degree, and stays finite and above zero") {
  const PriorKind kind = GENERATE(PriorKind::kAlgebraic, PriorKind::kExponential, PriorKind::kGaussian);
  const PriorSpec prior{.kind = kind};
  const std::vector<std::vector<ColumnFactor>> rising = {
      {{1, 0}}, {{2, 0}}, {{2, 1}}, {{2, 1}, {1, 1}}, {{3, 2}, {1, 2}}};
  const DiagonalPrior gamma = prior_scales(prior, rising);
  for (Eigen::Index k = 1; k < gamma.size(); ++k) {
    CHECK(gamma[k] > gamma[k - 1]);
  }
  const DiagonalPrior largest = prior_scales(prior, {std::vector<ColumnFactor>(6, {99, 10})});
  CHECK(std::isfinite(largest[0]));
  CHECK(gamma.minCoeff() > 0.0);
}

TEST_CASE("all couplings of a multiset and all elements share gamma: only n and l count") {
  const DiagonalPrior gamma = prior_scales({.kind = PriorKind::kAlgebraic}, {{{2, 1}, {3, 1}}, {{2, 1}, {3, 1}}});
  CHECK(gamma[0] == gamma[1]);
}
