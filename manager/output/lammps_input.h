#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/model/zbl.h"

namespace ipfit {

/// The names that an input file refers to, beside it.
struct LammpsNames {
  std::string potential;  ///< "potential.yace"
  std::string structure;  ///< "structure.data", whose atom types are the elements in their order
};

/// An input file for LAMMPS that runs as it stands: one evaluation of the structure, its energy, forces
/// and pressure printed; how to go on from there as comments. `zbl`: the repulsion that was subtracted before the fit,
/// which LAMMPS adds again. Commands: the pages of their names in the LAMMPS manual.
std::string lammps_input(const std::vector<std::uint8_t>& elements, const std::optional<Zbl>& zbl,
                         const LammpsNames& names);

}  // namespace ipfit
