#include "common/lsq/weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ipfit {

const GroupWeights& weights_of(const WeightsSpec& spec, const std::string& group) {
  const auto found = spec.groups.find(group);
  return found == spec.groups.end() ? spec.fallback : found->second;
}

double weight_of(const GroupWeights& weights, Kind kind) {
  const auto either = [](double weight, double sigma) { return sigma > 0.0 ? 1.0 / sigma : weight; };
  switch (kind) {
    case Kind::kEnergy:
      return either(weights.energy, weights.energy_sigma);
    case Kind::kForces:
      return either(weights.forces, weights.forces_sigma);
    case Kind::kVirial:
      return either(weights.virial, weights.virial_sigma);
  }
  return 0.0;
}

double row_weight(const GroupWeights& weights, Kind kind, std::int64_t atoms) {
  const double weight = weight_of(weights, kind);
  return kind == Kind::kForces ? weight : weight / std::sqrt(static_cast<double>(atoms));
}

void fill_weights(const GroupWeights& weights, const Structure& structure, RowMask mask, std::span<double> out) {
  const std::int64_t atoms = structure.size();
  assert(static_cast<std::int64_t>(out.size()) == row_count(atoms, mask));
  const OwnWeights& own = structure.weights;
  const double per_structure = 1.0 / std::sqrt(static_cast<double>(atoms));
  const auto of_structure = [&](Kind kind, const std::optional<double>& weight) {
    return weight && weight_of(weights, kind) > 0.0 ? *weight * per_structure : row_weight(weights, kind, atoms);
  };
  double* row = out.data();
  if (mask.energy) {
    *row++ = of_structure(Kind::kEnergy, own.energy);
  }
  if (mask.forces) {
    const double of_group = row_weight(weights, Kind::kForces, atoms);
    const bool owned = !own.forces.empty() && of_group > 0.0;
    for (std::size_t atom = 0; atom < structure.species.size(); ++atom) {
      row = std::fill_n(row, 3, owned ? own.forces[own.forces.size() == 1 ? 0 : atom] : of_group);
    }
  }
  if (mask.virial) {
    std::fill_n(row, 6, of_structure(Kind::kVirial, own.virial));
  }
}

}  // namespace ipfit
