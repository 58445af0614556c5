#include "manager/output/report/compare_data.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/lsq/targets.h"

namespace ipfit {
namespace {

constexpr double kMilli = 1000.0;  // eV to meV

// Below this a force is zero for all that a fit cares about, and in perfect crystals there are many of them.
constexpr double kSmallestForce = 1e-3;  // eV/Å

constexpr double kDistanceBin = 0.1;  // Å

// A few errors of another size must not press all others into one line: the frame ends at so many RMSE.
constexpr double kErrorsShown = 6.0;

constexpr std::array<const char*, kKinds> kTitles{"Energy", "Force components", "Virial components"};
constexpr std::array<const char*, kKinds> kLabelAxes{"reference, eV/atom", "reference, eV/Å", "reference, eV/atom"};
constexpr std::array<const char*, kKinds> kValueAxes{"predicted, eV/atom", "predicted, eV/Å", "predicted, eV/atom"};
constexpr std::array<const char*, kKinds> kErrorAxes{"error, meV/atom", "error, eV/Å", "error, meV/atom"};

double error_unit(Kind kind) {
  return kind == Kind::kForces ? 1.0 : kMilli;
}

/// Calls visit(kind, label, prediction) for each row, in eV/atom, eV/Å, eV/atom, energies without those of single
/// atoms.
template <class Visit>
void for_each_point(const Compared& compared, const Model& potential, Visit visit) {
  const auto atoms = static_cast<double>(compared.structure.size());
  std::size_t row = 0;
  const auto take = [&](Kind kind, std::int64_t count, double shift, double divisor) {
    for (std::int64_t i = 0; i < count; ++i, ++row) {
      visit(kind, (compared.labels[row] - shift) / divisor, (compared.predictions[row] - shift) / divisor);
    }
  };
  take(Kind::kEnergy, compared.mask.energy ? 1 : 0, one_body_energy(compared.structure, potential.one_body), atoms);
  take(Kind::kForces, compared.mask.forces ? 3 * compared.structure.size() : 0, 0.0, 1.0);
  take(Kind::kVirial, compared.mask.virial ? 6 : 0, 0.0, atoms);
}

/// What the frames of the plots are chosen by.
struct Range {
  double low = INFINITY;  ///< of labels and predictions
  double high = -INFINITY;
  double largest_error = 0.0;
  double squares = 0.0;
  std::int64_t count = 0;

  void add(double label, double prediction) {
    low = std::min({low, label, prediction});
    high = std::max({high, label, prediction});
    const double error = prediction - label;
    largest_error = std::max(largest_error, std::abs(error));
    squares += error * error;
    ++count;
  }
};

Parity frame(Kind kind, const Range& range) {
  const auto index = static_cast<std::size_t>(kind);
  const Axis labels = axis_over(kLabelAxes[index], {range.low, range.high});
  Axis values = labels;
  values.label = kValueAxes[index];
  const double rmse = std::sqrt(range.squares / static_cast<double>(range.count));
  const double most = error_unit(kind) * std::min(range.largest_error, kErrorsShown * rmse);
  const Axis errors = axis_over(kErrorAxes[index], {-most, most});
  const Density value(labels, values);
  const Density error(labels, errors);
  return {kTitles[index], {value, value, value}, {error, error, error}};
}

/// Errors of the forces on single atoms, and the means over the structure.
void add_forces(const Compared& compared, const std::vector<double>& nearest, Comparison& into) {
  const auto set = static_cast<std::size_t>(compared.structure.set);
  double sum = 0.0;
  std::size_t row = compared.mask.energy ? 1 : 0;
  for (const double distance : nearest) {
    double squared_force = 0.0;
    double squared_error = 0.0;
    for (int axis = 0; axis < 3; ++axis, ++row) {
      const double error = compared.predictions[row] - compared.labels[row];
      squared_force += compared.labels[row] * compared.labels[row];
      squared_error += error * error;
    }
    sum += squared_error;
    into.by_force[set].add(std::sqrt(squared_force), squared_error / 3.0);
    into.by_distance[set].add(distance, squared_error / 3.0);
  }
  into.worst_forces.add(compared.structure, std::sqrt(sum / (3.0 * static_cast<double>(nearest.size()))));
}

using Places = std::array<std::optional<std::size_t>, kKinds>;  ///< of the kinds that have points, in the parities

void add(const Compared& compared, const Model& potential, const Places& places, ShortestDistances& shortest,
         Comparison& into) {
  const Structure& structure = compared.structure;
  const auto set = static_cast<std::size_t>(structure.set);
  into.table.add(structure.set, structure.config_type, structure.size(), compared.mask, compared.labels,
                 compared.predictions);
  for_each_point(compared, potential, [&](Kind kind, double label, double prediction) {
    Parity& parity = into.parities[*places[static_cast<std::size_t>(kind)]];
    parity.values[set].add(label, prediction);
    parity.errors[set].add(label, error_unit(kind) * (prediction - label));
  });
  if (compared.mask.energy) {
    into.worst_energies.add(
        structure, kMilli * (compared.predictions[0] - compared.labels[0]) / static_cast<double>(structure.size()));
  }
  if (compared.mask.forces) {
    add_forces(compared, nearest_distances(structure, potential.cutoff(), shortest), into);
  }
}

}  // namespace

Result<Comparison> compare_data(const EachCompared& each, const Model& potential, const WeightsSpec& weights) {
  std::array<Range, kKinds> ranges;
  const Status ranged = each([&](const Compared& compared) {
    for_each_point(compared, potential, [&](Kind kind, double label, double prediction) {
      ranges[static_cast<std::size_t>(kind)].add(label, prediction);
    });
  });
  if (!ranged) {
    return ranged.errors();
  }
  const BinnedRmse by_force(Scale::kLogarithmic, kSmallestForce, 0.0);
  const BinnedRmse by_distance(Scale::kLinear, 0.0, kDistanceBin);
  Comparison comparison{.table = {},
                        .parities = {},
                        .by_force = {by_force, by_force, by_force},
                        .by_distance = {by_distance, by_distance, by_distance},
                        .worst_energies = {},
                        .contributions = {},
                        .worst_forces = {}};
  Places places;
  for (const Kind kind : {Kind::kEnergy, Kind::kForces, Kind::kVirial}) {
    const auto index = static_cast<std::size_t>(kind);
    if (ranges[index].count > 0) {
      places[index] = comparison.parities.size();
      comparison.parities.push_back(frame(kind, ranges[index]));
    }
  }
  ShortestDistances shortest;  // known from one structure, it saves time in the next
  const Status counted = each([&](const Compared& compared) {
    add(compared, potential, places, shortest, comparison);
    comparison.contributions.add(compared, weights);
  });
  if (!counted) {
    return counted.errors();
  }
  return comparison;
}

}  // namespace ipfit
