#include "manager/plan/cost.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/model/ace/coupling.h"

namespace ipfit {
namespace {

// Rows of all kinds on one core of a Xeon at 2.1 GHz (tests/bench/README.md): 5.6 µs an atom with 33 neighbours, 11.9
// µs with 87, both with 20 functions per pair. Of each neighbour some 0.04 µs are the search for it.
EvaluationCost cost_of(const PairSpec& pair) {
  return {pair.cutoff, 2e-6, 4e-8 + 4e-9 * pair.size};
}

/// Numbers in the couplings of a basis.
struct Couplings {
  double all = 0.0;   ///< that a worker keeps
  double used = 0.0;  ///< that a site reads, of the element with the most; those of one shape once for eight multisets
};

Couplings couplings_of(const AceSpec& ace) {
  constexpr double kSideBySide = 8.0;
  Couplings out;
  double used = 0.0;
  for (auto first = ace.multisets.begin(); first != ace.multisets.end();) {
    const AceShape shape = shape_of(*first);
    const auto last = std::find_if(first, ace.multisets.end(), [&](const AceMultiset& multiset) {
      return multiset.centre != first->centre || shape_of(multiset) != shape;
    });
    const double weights = coupling_weights(shape);
    out.all += weights;
    used += weights * std::ceil(static_cast<double>(last - first) / kSideBySide);
    if (last == ace.multisets.end() || last->centre != first->centre) {
      out.used = std::max(out.used, used);
      used = 0.0;
    }
    first = last;
  }
  return out;
}

// CPU time of each function of a site on a Xeon with AVX-512, the same for 300 and for 1000 functions: 0.10 µs with 35
// neighbours (silicon, 5.5 Å), 0.21 µs with 77 (copper, 6 Å). Half as much again is allowed for cores without AVX-512.
// Where functions of many factors have a high degree, the sums over their tuples m take more than that: some 10 ns for
// each number of a coupling, measured with six factors of l <= 5, five of l <= 6 and four of l <= 10.
EvaluationCost cost_of(const AceSpec& ace) {
  const double functions = static_cast<double>(column_count(BasisSpec(ace))) /
                           static_cast<double>(std::max<std::size_t>(1, ace.elements.size()));
  return {cutoff_of(BasisSpec(ace)), 1e-8 * (functions + couplings_of(ace).used), 4e-9 * functions};
}

}  // namespace

EvaluationCost evaluation_cost(const BasisSpec& basis) {
  return std::visit([](const auto& kind) { return cost_of(kind); }, basis);
}

double coupling_bytes(const BasisSpec& basis) {
  const auto* ace = std::get_if<AceSpec>(&basis);
  return ace == nullptr ? 0.0 : couplings_of(*ace).all * sizeof(double);
}

double estimated_seconds(const StructureInfo& info, const EvaluationCost& cost) {
  const auto atoms = static_cast<double>(info.atoms);
  const double sphere = 4.0 / 3.0 * std::numbers::pi * cost.cutoff * cost.cutoff * cost.cutoff;
  const double neighbours = info.volume > 0.0 ? atoms / info.volume * sphere : std::min(atoms - 1.0, 0.05 * sphere);
  return atoms * (cost.seconds_per_site + neighbours * cost.seconds_per_neighbour);
}

}  // namespace ipfit
