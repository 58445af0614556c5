#include "manager/plan/dimers.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atoms/bond_length.h"
#include "common/atoms/element.h"

namespace ipfit {
namespace {

Structure dimer(std::uint8_t a, std::uint8_t b, double distance) {
  Structure structure;
  structure.species = {a, b};
  structure.positions = {Vec3::Zero(), Vec3(distance, 0.0, 0.0)};
  structure.config_type = "dimer";
  structure.set = DataSet::kTest;
  structure.source.file = fmt::format("dimer {}-{} of {:.2f} Å", element_symbol(a), element_symbol(b), distance);
  structure.source.frame = 1;
  structure.source.line = 1;
  return structure;
}

}  // namespace

std::vector<Structure> dimers_of(const Model& model) {
  const std::vector<std::uint8_t>& elements = elements_of(model.basis);
  std::vector<Structure> dimers;
  for (auto a = elements.begin(); a != elements.end(); ++a) {
    for (auto b = a; b != elements.end(); ++b) {
      const double first = std::min(kShortestDimer * bond_length(*a, *b), 0.5 * model.cutoff());
      const double step = (model.cutoff() - first) / static_cast<double>(kDimerPoints - 1);
      for (std::size_t i = 0; i < kDimerPoints; ++i) {
        dimers.push_back(dimer(*a, *b, first + static_cast<double>(i) * step));
      }
    }
  }
  return dimers;
}

}  // namespace ipfit
