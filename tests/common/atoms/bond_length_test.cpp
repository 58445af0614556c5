#include "common/atoms/bond_length.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/atoms/element.h"

using namespace ipfit;

namespace {
double length(const char* symbol) {
  return bond_length(*atomic_number(symbol));
}
}  // namespace

TEST_CASE("bond lengths are those of the crystals") {
  // Lattice parameters (Å) of well-known crystals; the table is good to 0.05 Å.
  CHECK(length("Si") == Approx(5.431 * std::sqrt(3.0) / 4.0).margin(0.05));
  CHECK(length("Al") == Approx(4.050 / std::sqrt(2.0)).margin(0.05));
  CHECK(length("Cu") == Approx(3.615 / std::sqrt(2.0)).margin(0.05));
  CHECK(length("Au") == Approx(4.078 / std::sqrt(2.0)).margin(0.05));
  CHECK(length("Pb") == Approx(4.951 / std::sqrt(2.0)).margin(0.05));
  CHECK(length("Fe") == Approx(2.866 * std::sqrt(3.0) / 2.0).margin(0.05));
  CHECK(length("W") == Approx(3.165 * std::sqrt(3.0) / 2.0).margin(0.05));
  CHECK(length("Ta") == Approx(3.301 * std::sqrt(3.0) / 2.0).margin(0.05));
  CHECK(length("Cs") == Approx(6.05 * std::sqrt(3.0) / 2.0).margin(0.05));
  CHECK(length("Th") == Approx(5.08 / std::sqrt(2.0)).margin(0.05));
  CHECK(length("O") == Approx(1.208).margin(0.05));
}

TEST_CASE("a pair of elements has the mean of their bond lengths") {
  CHECK(bond_length(11, 17) == Approx(2.82).margin(0.1));  // rock salt
  CHECK(bond_length(11, 17) == bond_length(17, 11));
  CHECK(bond_length(14, 14) == bond_length(14));
}

TEST_CASE("every element has a bond length, 3 Å where none is tabulated") {
  for (int z = 1; z <= kLargestAtomicNumber; ++z) {
    CHECK(bond_length(static_cast<std::uint8_t>(z)) > 0.7);
    CHECK(bond_length(static_cast<std::uint8_t>(z)) < 5.5);
  }
  CHECK(length("Fr") == 3.0);
  CHECK(length("Lr") == 3.0);
  CHECK(bond_length(0) == 3.0);
}
