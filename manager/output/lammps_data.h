#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit {

/// The structure in a cell as LAMMPS wants it, periodic in all directions: the first cell vector along x, the second in
/// the xy plane, right-handed, no vector leaning further than half of the one that it leans along, atoms inside. All
/// distances stay what they were. Directions without images get a cell vector across the others, so long that no atom
/// comes within `vacuum` (Å, > 0) of an image: with a potential of that cutoff, energy and forces stay what they were,
/// too.
Structure in_lammps_cell(const Structure& structure, double vacuum);

/// A data file of LAMMPS (atom_style atomic, units metal) for a structure from in_lammps_cell. Atom types are
/// `elements`, in that order, all of them with their masses; the species are among them. `title`: the first line, a
/// comment. Numbers read back to the same bits. Format: the page read_data of the LAMMPS manual.
std::string lammps_data(const Structure& structure, const std::vector<std::uint8_t>& elements,
                        const std::string& title);

}  // namespace ipfit
