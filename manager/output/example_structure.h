#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit {

/// The structure to show a potential with: of those that are periodic in all directions (of all, where there are none),
/// of these that contain the most elements, the most strongly bound, by energy per atom less the one-body energies (eV,
/// by atomic number); the first of equal ones. Structures without energy come last. Nothing where there are no
/// structures.
std::optional<std::size_t> choose_example(std::span<const Structure> structures,
                                          const std::map<std::uint8_t, double>& one_body,
                                          const std::set<std::size_t>& aside = {});

/// A face-centred cubic cell of four atoms, of the elements in turn, with the given distance of nearest neighbours (Å).
Structure example_crystal(const std::vector<std::uint8_t>& elements, double distance);

}  // namespace ipfit
