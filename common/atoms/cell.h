#pragma once

#include <array>

#include "common/atoms/structure.h"

namespace ipfit {

/// |det| of the three cell vectors, Å³; left-handed cells have a volume like any other.
double cell_volume(const Mat3& cell);

/// True where the cell vectors of the periodic directions are finite and span as many dimensions as there are: their
/// volume (area, length) is above 1e-6 of the product of their lengths. Flatter cells occur nowhere, and a cell written
/// with a few digits has rounding of that size at most.
bool cell_spans(const Mat3& cell, const std::array<bool, 3>& pbc);

/// How far (Å) the only atom of a structure is from its periodic images, measured between the faces of the cell:
/// infinite where it has none, 0 for structures of several atoms or none. An atom is isolated where this is above the
/// cutoff.
double image_distance(const Structure& structure);

}  // namespace ipfit
