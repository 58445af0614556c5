#pragma once

#include <cstdint>

namespace ipfit {

/// Distance of nearest neighbours (Å) in an element as it is at ordinary conditions, to about 0.05 Å: what lengths of a
/// material are measured by, not a value to compute with. Crystals (diamond for C, the frozen ones of noble gases), the
/// molecule for H, N, O and the halogens. 3 Å, a common value, where nothing is tabulated: At, Rn, Fr and beyond Cm.
double bond_length(std::uint8_t atomic_number);

/// The same for two elements: the mean of theirs. Within 0.3 Å in most compounds.
double bond_length(std::uint8_t a, std::uint8_t b);

}  // namespace ipfit
