#include "manager/output/example_structure.h"

#include <limits>
#include <numbers>
#include <tuple>

namespace ipfit {
namespace {

/// eV per atom; more than any other where there is no energy.
double binding(const Structure& structure, const std::map<std::uint8_t, double>& one_body) {
  if (!structure.labels.energy) {
    return std::numeric_limits<double>::infinity();
  }
  double energy = *structure.labels.energy;
  for (const std::uint8_t species : structure.species) {
    const auto found = one_body.find(species);
    energy -= found == one_body.end() ? 0.0 : found->second;
  }
  return energy / static_cast<double>(structure.size());
}

}  // namespace

std::optional<std::size_t> choose_example(std::span<const Structure> structures,
                                          const std::map<std::uint8_t, double>& one_body,
                                          const std::set<std::size_t>& aside) {
  // Larger is better.
  const auto rank = [&](const Structure& structure) {
    const std::set elements(structure.species.begin(), structure.species.end());
    return std::tuple(structure.fully_periodic(), elements.size(), -binding(structure, one_body));
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    if (!aside.contains(i) && (!best || rank(structures[i]) > rank(structures[*best]))) {
      best = i;
    }
  }
  return best;
}

Structure example_crystal(const std::vector<std::uint8_t>& elements, double distance) {
  const double a = std::numbers::sqrt2 * distance;
  Structure crystal;
  crystal.cell = a * Mat3::Identity();
  crystal.pbc = {true, true, true};
  crystal.positions = {Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.5 * a, 0.5 * a), Vec3(0.5 * a, 0.0, 0.5 * a),
                       Vec3(0.5 * a, 0.5 * a, 0.0)};
  for (std::size_t i = 0; i < crystal.positions.size(); ++i) {
    crystal.species.push_back(elements[i % elements.size()]);
  }
  return crystal;
}

}  // namespace ipfit
