#include "worker/zbl_rows.h"

namespace ipfit {

void add_zbl(const Zbl& zbl, const Environment& site, std::int64_t column, const Rows& rows) {
  double energy = 0.0;
  Vec3 force = Vec3::Zero();
  Voigt virial{};
  for (const Neighbour& neighbour : site.neighbours) {
    if (neighbour.distance >= zbl.outer) {
      continue;
    }
    const PairEnergy pair = zbl_energy(zbl, site.species, neighbour.species, neighbour.distance);
    const Vec3& r = neighbour.r;
    const Vec3 pull = (pair.slope / neighbour.distance) * r;
    energy += 0.5 * pair.energy;
    force += pull;
    const double parts[6] = {pull.x() * r.x(), pull.y() * r.y(), pull.z() * r.z(),
                             pull.y() * r.z(), pull.x() * r.z(), pull.x() * r.y()};
    for (std::size_t v = 0; v < 6; ++v) {
      virial[v] -= 0.5 * parts[v];
    }
  }
  if (rows.energy != nullptr) {
    rows.energy[column] += energy;
  }
  for (int axis = 0; rows.forces != nullptr && axis < 3; ++axis) {
    rows.forces[(3 * std::int64_t{site.atom} + axis) * rows.columns + column] += force[axis];
  }
  for (int v = 0; rows.virial != nullptr && v < 6; ++v) {
    rows.virial[v * rows.columns + column] += virial[static_cast<std::size_t>(v)];
  }
}

}  // namespace ipfit
