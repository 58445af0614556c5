#pragma once

#include <vector>

#include "common/atoms/structure.h"
#include "common/result.h"

namespace ipfit {

/// The periodic directions of a structure as three independent vectors, of which the first `periodic` generate all
/// lattice translations; the others are unit vectors perpendicular to those and to each other.
struct Lattice {
  Mat3 vectors = Mat3::Identity();  ///< rows, Å
  Mat3 inverse = Mat3::Identity();  ///< r * inverse = coordinates along the vectors, for row vectors r
  int periodic = 0;

  /// Distance of the planes that the other two vectors span, Å.
  double height(int direction) const { return 1.0 / inverse.col(direction).norm(); }
};

/// Chooses the shortest vectors of the lattice (Minkowski-reduced: none becomes shorter by adding or subtracting the
/// others), so that a cell costs the same however skewed it is written, and so that every height is at least
/// 1/sqrt(2) of its vector. Same lattice, so the same neighbours. Cell vectors of directions that are not periodic are
/// ignored. Errors: a periodic direction without cell vector, vectors that depend on each other, numbers not finite or
/// beyond kLargestLength.
Result<Lattice> lattice_of(const Mat3& cell, const std::array<bool, 3>& pbc);

/// Å. Lengths beyond it are refused: doubles resolve less than 1e-7 Å there.
inline constexpr double kLargestLength = 1e9;

/// Å. No two atoms, and no atom and its own image, may be closer.
inline constexpr double kShortestDistance = 0.01;

}  // namespace ipfit
