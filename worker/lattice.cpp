#include "worker/lattice.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

namespace ipfit {
namespace {

/// Subtracts the multiple of `by` that shortens v most; false where none shortens it.
bool shorten(Vec3& v, const Vec3& by) {
  const double length = by.squaredNorm();
  if (!(length > 0.0)) {
    return false;
  }
  const Vec3 shorter = v - std::round(v.dot(by) / length) * by;
  // The margin ends the search where two choices are equally long up to rounding, as in hexagonal cells.
  if (shorter.squaredNorm() >= v.squaredNorm() * (1.0 - 1e-9)) {
    return false;
  }
  v = shorter;
  return true;
}

/// One round over all vectors and the sums and differences of the others.
bool shorten_all(std::vector<Vec3>& vectors) {
  bool changed = false;
  const std::size_t count = vectors.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      changed |= i != j && shorten(vectors[i], vectors[j]);
    }
    if (count == 3) {
      const Vec3 b = vectors[(i + 1) % 3];
      const Vec3 c = vectors[(i + 2) % 3];
      changed |= shorten(vectors[i], b + c);
      changed |= shorten(vectors[i], b - c);
    }
  }
  return changed;
}

/// Unit vectors perpendicular to the given ones and to each other, until there are three.
void complete(std::vector<Vec3>& vectors) {
  if (vectors.empty()) {
    vectors = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    return;
  }
  if (vectors.size() == 1) {
    vectors.push_back(vectors[0].unitOrthogonal());
  }
  if (vectors.size() == 2) {
    vectors.push_back(vectors[0].cross(vectors[1]).normalized());
  }
}

Error cell_error(std::string what) {
  return {ErrorKind::kFailed, "", std::move(what), "correct Lattice and pbc of this structure"};
}

}  // namespace

Result<Lattice> lattice_of(const Mat3& cell, const std::array<bool, 3>& pbc) {
  constexpr const char* kNames[3] = {"a", "b", "c"};
  std::vector<Vec3> vectors;
  for (int direction = 0; direction < 3; ++direction) {
    if (!pbc[static_cast<std::size_t>(direction)]) {
      continue;
    }
    const Vec3 vector = cell.row(direction).transpose();
    if (!(vector.cwiseAbs().maxCoeff() <= kLargestLength) || !vector.allFinite()) {
      return cell_error(fmt::format("cell vector {} = ({}, {}, {}) Å is not finite or longer than {} Å",
                                    kNames[direction], vector.x(), vector.y(), vector.z(), kLargestLength));
    }
    if (vector.norm() < kShortestDistance) {
      return cell_error(
          fmt::format("periodic along {}, but this cell vector is only {} Å long", kNames[direction], vector.norm()));
    }
    vectors.push_back(vector);
  }
  Lattice lattice;
  lattice.periodic = static_cast<int>(vectors.size());
  // Every step shortens a vector of a discrete lattice, so it ends; vectors that depend on each other end near zero.
  while (shorten_all(vectors)) {
  }
  for (const Vec3& vector : vectors) {
    if (vector.norm() < kShortestDistance) {
      return cell_error(
          fmt::format("the periodic cell vectors repeat every {} Å, less than {} Å: they (nearly) depend "
                      "on each other",
                      vector.norm(), kShortestDistance));
    }
  }
  complete(vectors);
  for (int direction = 0; direction < 3; ++direction) {
    lattice.vectors.row(direction) = vectors[static_cast<std::size_t>(direction)].transpose();
  }
  lattice.inverse = lattice.vectors.inverse();
  return lattice;
}

}  // namespace ipfit
