#pragma once

#include <cstdint>

namespace ipfit {

/// The cutoff (Å) of a pair of elements when a fit file gives none: 2.35 bond lengths, which holds the second shell of
/// neighbours in every simple structure and the third to fifth in dense ones (Si: 5.5 Å, 34 neighbours; fcc: 78), at
/// least 5 Å, since what keeps molecules and layers together is longer than their bonds. Rounded to 0.1 Å.
double default_cutoff(std::uint8_t a, std::uint8_t b);

}  // namespace ipfit
