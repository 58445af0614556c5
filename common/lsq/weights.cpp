#include "common/lsq/weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ipfit {

const GroupWeights& weights_of(const WeightsSpec& spec, const std::string& group) {
  const auto found = spec.groups.find(group);
  return found == spec.groups.end() ? spec.fallback : found->second;
}

double row_weight(const GroupWeights& weights, Kind kind, std::int64_t atoms) {
  const double per_structure = 1.0 / std::sqrt(static_cast<double>(atoms));
  switch (kind) {
    case Kind::kEnergy:
      return weights.energy * per_structure;
    case Kind::kForces:
      return weights.forces;
    case Kind::kVirial:
      return weights.virial * per_structure;
  }
  return 0.0;
}

void fill_weights(const GroupWeights& weights, std::int64_t atoms, RowMask mask, std::span<double> out) {
  assert(static_cast<std::int64_t>(out.size()) == row_count(atoms, mask));
  double* row = out.data();
  if (mask.energy) {
    *row++ = row_weight(weights, Kind::kEnergy, atoms);
  }
  if (mask.forces) {
    row = std::fill_n(row, 3 * atoms, row_weight(weights, Kind::kForces, atoms));
  }
  if (mask.virial) {
    std::fill_n(row, 6, row_weight(weights, Kind::kVirial, atoms));
  }
}

}  // namespace ipfit
