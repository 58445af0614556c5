#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ipfit {

inline constexpr std::uint8_t kLargestAtomicNumber = 118;

/// "Si" for 14. Z from 1 to 118; anything else is a bug of the caller.
std::string_view element_symbol(std::uint8_t Z);

/// "In-P".
std::string pair_text(std::uint8_t a, std::uint8_t b);

/// Mass in atomic mass units (g/mol): the standard atomic weight, abridged to five digits (IUPAC 2021); where no
/// isotope is stable, the mass number of the one that lives longest. Z from 1 to 118; anything else is a bug of the
/// caller.
double atomic_mass(std::uint8_t Z);

/// 14 for "Si". Letter case counts, as in the extended-XYZ specification: "SI", "si", "D", "X" are no symbols.
std::optional<std::uint8_t> atomic_number(std::string_view symbol);

}  // namespace ipfit
