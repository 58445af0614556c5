#include "common/model/ace/default_cutoff.h"

#include <algorithm>
#include <cmath>

#include "common/atoms/bond_length.h"

namespace ipfit {

double default_cutoff(std::uint8_t a, std::uint8_t b) {
  constexpr double kBondLengths = 2.35;
  constexpr double kSmallest = 5.0;  // Å; graphite's layers are 3.35 Å apart, water's oxygens 2.8 Å
  return std::round(10.0 * std::max(kSmallest, kBondLengths * bond_length(a, b))) / 10.0;
}

}  // namespace ipfit
