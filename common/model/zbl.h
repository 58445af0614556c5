#pragma once

#include <cstdint>
#include <vector>

namespace ipfit {

/// The screened repulsion of two nuclei after Ziegler, Biersack and Littmark (The Stopping and Range of Ions in Solids,
/// 1985), switched off smoothly between `inner` and `outer`: to the last constant what `pair_style zbl inner outer` of
/// LAMMPS computes in metal units, so that a simulation can add what a fit subtracted. Formulas:
/// docs/explanation/zbl.md.
struct Zbl {
  double inner = 0.0;  ///< Å, > 0
  double outer = 0.0;  ///< Å, > inner; value, slope and second derivative are zero from here on
  bool operator==(const Zbl&) const = default;
};

struct PairEnergy {
  double energy = 0.0;  ///< eV
  double slope = 0.0;   ///< eV/Å, of the energy by the distance
};

/// Energy of one pair of atoms at a distance r > 0 (Å); symmetric in the atomic numbers.
PairEnergy zbl_energy(const Zbl& zbl, std::uint8_t z_a, std::uint8_t z_b, double r);

/// Ends of the switch that leave bonds alone: outer is the shortest bond length of the elements (common/atoms/
/// bond_length.h), inner is half of it, to 0.01 Å.
Zbl default_zbl(const std::vector<std::uint8_t>& elements);

}  // namespace ipfit
