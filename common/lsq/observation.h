#pragma once

#include <cstdint>

namespace ipfit {

/// The three kinds of observation.
enum class Kind : std::uint8_t { kEnergy = 0, kForces = 1, kVirial = 2 };
inline constexpr int kKinds = 3;

/// Which kinds of rows a structure has. Rows of a structure stand in this order: the energy (1), the forces (3n,
/// atom-major, x y z within an atom), the virial (6: xx yy zz yz xz xy).
struct RowMask {
  bool energy = false;
  bool forces = false;
  bool virial = false;
  bool operator==(const RowMask&) const = default;
};

/// Rows of a structure of `atoms` atoms.
constexpr std::int64_t row_count(std::int64_t atoms, RowMask mask) {
  return (mask.energy ? 1 : 0) + (mask.forces ? 3 * atoms : 0) + (mask.virial ? 6 : 0);
}

}  // namespace ipfit
