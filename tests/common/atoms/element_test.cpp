#include "common/atoms/element.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

using namespace ipfit;

TEST_CASE("every atomic number from 1 to 118 has its own symbol, and the symbol leads back to it") {
  std::set<std::string_view> seen;
  for (int Z = 1; Z <= 118; ++Z) {
    const std::string_view symbol = element_symbol(static_cast<std::uint8_t>(Z));
    CAPTURE(Z, symbol);
    CHECK(seen.insert(symbol).second);
    CHECK(atomic_number(symbol) == static_cast<std::uint8_t>(Z));
  }
}

TEST_CASE("known elements stand where the periodic table has them") {
  // The noble gases and a few others are spread over the whole table: a slip anywhere moves one of them.
  const std::pair<std::string_view, int> known[] = {{"H", 1},   {"He", 2},  {"Ne", 10},  {"Si", 14}, {"Ar", 18},
                                                    {"Kr", 36}, {"In", 49}, {"Xe", 54},  {"Lu", 71}, {"Ta", 73},
                                                    {"Rn", 86}, {"U", 92},  {"Lr", 103}, {"Og", 118}};
  for (const auto& [symbol, Z] : known) {
    CAPTURE(symbol);
    CHECK(atomic_number(symbol) == static_cast<std::uint8_t>(Z));
  }
}

TEST_CASE("what is no chemical symbol has no atomic number") {
  for (const std::string text : {"", "X", "Xq", "si", "SI", "Sii", "D", "S ", "1", "Uuo", "\xc3\x85", "J"}) {
    CAPTURE(text);
    CHECK_FALSE(atomic_number(text));
  }
}

TEST_CASE("atomic masses rise with the atomic number, but for the known exceptions") {
  // Ar and K, Co and Ni, Te and I, Th and Pa, U and Np, Pu and Am; and, by the isotopes that live longest, Bh and Hs.
  const std::set<int> exceptions{18, 27, 52, 90, 92, 94, 107};
  for (int Z = 1; Z < 118; ++Z) {
    const double mass = atomic_mass(static_cast<std::uint8_t>(Z));
    const double next = atomic_mass(static_cast<std::uint8_t>(Z + 1));
    CAPTURE(Z, mass, next);
    CHECK((mass <= next) != (exceptions.count(Z) == 1));
    // From 1 (hydrogen) and 2 (helium) on, 1.9 to 2.7 nucleons for every proton.
    CHECK((Z == 1 || (mass > 1.9 * Z && mass < 2.7 * Z)));
  }
  CHECK(atomic_mass(14) == 28.085);
  CHECK(atomic_mass(118) == 294.0);
}
