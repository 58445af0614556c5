#include "common/model/ace/default_cutoff.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/atoms/bond_length.h"
#include "common/atoms/element.h"

using namespace ipfit;

namespace {
std::uint8_t z(const char* symbol) {
  return *atomic_number(symbol);
}
}  // namespace

TEST_CASE("usual elements get usual cutoffs") {
  CHECK(default_cutoff(z("Si"), z("Si")) == 5.5);
  CHECK(default_cutoff(z("Cu"), z("Cu")) == 6.0);
  CHECK(default_cutoff(z("W"), z("W")) == 6.4);
  CHECK(default_cutoff(z("Al"), z("Al")) == 6.7);
  CHECK(default_cutoff(z("C"), z("C")) == 5.0);
  CHECK(default_cutoff(z("H"), z("O")) == 5.0);
}

TEST_CASE("the default cutoff holds the second shell of neighbours") {
  // Distances of the second shell, in those of the first.
  const std::vector<std::pair<const char*, double>> structures{
      {"Si", std::sqrt(8.0 / 3.0)}, {"C", std::sqrt(8.0 / 3.0)}, {"Fe", 2.0 / std::sqrt(3.0)},
      {"Cs", 2.0 / std::sqrt(3.0)}, {"Pb", std::sqrt(2.0)},      {"Mg", std::sqrt(2.0)},
      {"Po", std::sqrt(2.0)},       {"Ar", std::sqrt(2.0)}};
  for (const auto& [symbol, ratio] : structures) {
    CAPTURE(symbol);
    CHECK(default_cutoff(z(symbol), z(symbol)) > 1.1 * ratio * bond_length(z(symbol)));
  }
}

TEST_CASE("default cutoffs are multiples of 0.1 Å between 5 and 13 Å, symmetric, for every element") {
  for (int a = 1; a <= kLargestAtomicNumber; ++a) {
    for (int b = 1; b <= kLargestAtomicNumber; ++b) {
      const double cutoff = default_cutoff(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
      REQUIRE(cutoff == default_cutoff(static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(a)));
      REQUIRE(cutoff == std::round(10.0 * cutoff) / 10.0);
      REQUIRE(cutoff >= 5.0);
      REQUIRE(cutoff <= 13.0);
    }
  }
}
