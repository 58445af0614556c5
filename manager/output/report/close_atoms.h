#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit {

/// The shortest distance (Å) between atoms of two elements, the smaller atomic number first; only pairs that were
/// found.
using ShortestDistances = std::map<std::pair<std::uint8_t, std::uint8_t>, double>;

/// The distance (Å) from each atom to the nearest other one, or to its own nearest image; infinite where there is none
/// nearer than `reach`. Lowers `shortest` where this structure has a shorter distance. Exact: atoms are swept along one
/// direction, and the sweep from each ends where no atom can be nearer than those found. Cost: about one visit for each
/// pair of atoms closer along that direction than the shortest distances are long.
std::vector<double> nearest_distances(const Structure& structure, double reach, ShortestDistances& shortest);

}  // namespace ipfit
