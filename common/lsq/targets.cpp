#include "common/lsq/targets.h"

#include <algorithm>
#include <cassert>

namespace ipfit {

RowMask mask_of(const Structure& structure) {
  const Labels& labels = structure.labels;
  return {.energy = labels.energy.has_value(),
          .forces = !labels.forces.empty() && labels.forces.size() == structure.species.size(),
          .virial = labels.virial.has_value() && structure.fully_periodic()};
}

double one_body_energy(const Structure& structure, const std::map<std::uint8_t, double>& one_body) {
  double sum = 0.0;
  for (const auto& [species, energy] : one_body) {
    sum += static_cast<double>(std::ranges::count(structure.species, species)) * energy;
  }
  return sum;
}

void fill_targets(const Structure& structure, RowMask mask, const std::map<std::uint8_t, double>& one_body,
                  std::span<double> out) {
  assert(static_cast<std::int64_t>(out.size()) == row_count(structure.size(), mask));
  double* row = out.data();
  if (mask.energy) {
    *row++ = structure.labels.energy.value() - one_body_energy(structure, one_body);
  }
  if (mask.forces) {
    for (const Vec3& force : structure.labels.forces) {
      row = std::copy(force.begin(), force.end(), row);
    }
  }
  if (mask.virial) {
    std::ranges::copy(structure.labels.virial.value(), row);
  }
}

}  // namespace ipfit
