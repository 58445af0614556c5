#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "worker/basis/basis.h"

namespace ipfit {

/// Index of the first number that is infinite or none.
std::optional<std::int64_t> first_not_finite(std::span<const double> numbers);

/// A column whose forces do not cancel.
struct Imbalance {
  std::int64_t column;
  int axis;        ///< 0, 1, 2 for x, y, z
  double sum;      ///< over the atoms, eV/Å per coefficient
  double allowed;  ///< kForceTolerance of the scale of the column
};

/// Without external fields the forces of every function sum to zero over the atoms of a structure; this costs one pass
/// and catches nearly every wrong entry. All three kinds of rows must be there. The scale of a column is the sum of |F|
/// (in eV/Å), of |E| and of |W| (in eV): in a perfect crystal all forces are rounding alone, and only energy and virial
/// tell how large the terms were that cancelled; and where symmetry makes all three zero, only the other columns.
/// `scratch` is for reuse; its contents mean nothing.
std::optional<Imbalance> find_imbalance(std::int64_t atoms, const Rows& rows, std::vector<double>& scratch);

/// What one atom gets another one gives, the same number, so only the rounding of sums is left: below 1e-13 of the
/// scale for a million neighbours. What goes wrong (a flipped bit in the upper half of a number, a lost term, a wrong
/// index) is larger by orders of magnitude.
inline constexpr double kForceTolerance = 1e-10;
/// Of the scale of the largest column: what rounding may leave of terms of its size.
inline constexpr double kForceFloor = 1e-13;

}  // namespace ipfit
