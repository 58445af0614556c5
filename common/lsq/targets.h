#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"

namespace ipfit {

/// The rows that a structure gives: those whose label is there. Forces only if there is one for each atom; a virial
/// only if the structure is periodic in all directions, since it has no volume otherwise.
RowMask mask_of(const Structure& structure);

/// Sum of the one-body energies of the atoms, eV. `one_body`: eV per atom by atomic number; absent means zero.
double one_body_energy(const Structure& structure, const std::map<std::uint8_t, double>& one_body);

/// y of all rows of a structure, in row order: label minus reference potential. One-body energies are a constant of the
/// structure: they are subtracted from the energy and leave forces and virial as they are. `mask` asks for no label
/// that is absent; `out` has row_count(atoms, mask) entries.
void fill_targets(const Structure& structure, RowMask mask, const std::map<std::uint8_t, double>& one_body,
                  std::span<double> out);

}  // namespace ipfit
