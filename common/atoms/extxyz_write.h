#pragma once

#include <iosfwd>

#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"

namespace ipfit {

/// Appends one frame in extended XYZ: Lattice (where there is a cell), pbc, the group, and the labels that the
/// structure has, energy in eV, forces in eV/Å, virial in eV as nine numbers, under the names `keys` gives (an empty
/// name: energy, forces, virial). Numbers are the shortest ones that are read back as the same bits; ExtxyzReader gives
/// the same structure again (but for its source). All numbers of the structure are finite.
///
/// `deviations`: standard deviations of the labels, written as energy_std and, for each component of each force, as the
/// column forces_std; its virial is not written.
void write_extxyz(std::ostream& out, const Structure& structure, const LabelKeys& keys = {},
                  const Labels* deviations = nullptr);

}  // namespace ipfit
