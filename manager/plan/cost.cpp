#include "manager/plan/cost.h"

#include <algorithm>
#include <numbers>

namespace ipfit {
namespace {

// Rows of all kinds on one core of a Xeon at 2.1 GHz (tests/bench/README.md): 5.6 µs an atom with 33 neighbours, 11.9
// µs with 87, both with 20 functions per pair. Of each neighbour some 0.04 µs are the search for it.
EvaluationCost cost_of(const PairSpec& pair) {
  return {pair.cutoff, 2e-6, 4e-8 + 4e-9 * pair.size};
}

// CPU time of each function of a site on a Xeon with AVX-512, the same for 300 and for 1000 functions: 0.10 µs with 35
// neighbours (silicon, 5.5 Å), 0.21 µs with 77 (copper, 6 Å). Half as much again is allowed for cores without AVX-512.
EvaluationCost cost_of(const AceSpec& ace) {
  const double functions = static_cast<double>(column_count(BasisSpec(ace))) /
                           static_cast<double>(std::max<std::size_t>(1, ace.elements.size()));
  return {cutoff_of(BasisSpec(ace)), 1e-8 * functions, 4e-9 * functions};
}

}  // namespace

EvaluationCost evaluation_cost(const BasisSpec& basis) {
  return std::visit([](const auto& kind) { return cost_of(kind); }, basis);
}

double estimated_seconds(const StructureInfo& info, const EvaluationCost& cost) {
  const auto atoms = static_cast<double>(info.atoms);
  const double sphere = 4.0 / 3.0 * std::numbers::pi * cost.cutoff * cost.cutoff * cost.cutoff;
  const double neighbours = info.volume > 0.0 ? atoms / info.volume * sphere : std::min(atoms - 1.0, 0.05 * sphere);
  return atoms * (cost.seconds_per_site + neighbours * cost.seconds_per_neighbour);
}

}  // namespace ipfit
