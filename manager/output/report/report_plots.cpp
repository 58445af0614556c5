#include "manager/output/report/report_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/atoms/bond_length.h"
#include "common/atoms/element.h"
#include "manager/output/report/plot.h"

namespace ipfit {
namespace {

constexpr std::array<std::string_view, kDataSets> kSetColours{kTrainColour, kValidationColour, kTestColour};

constexpr std::array<const Tints*, kDataSets> kSetTints{&kTrainTints, &kValidationTints, &kTestTints};

std::string density_plot(const std::string& title, const std::array<Density, kDataSets>& sets, const Points& guide) {
  Plot plot(title, sets[0].x(), sets[0].y());
  plot.add_guide(guide);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    plot.add_density(sets[set], *kSetTints[set]);
  }
  return plot.svg();
}

std::string binned_plot(const std::string& title, const std::string& label, Scale scale,
                        const std::array<BinnedRmse, kDataSets>& sets) {
  std::vector<double> x;
  std::vector<double> y{0.0};
  for (const BinnedRmse& set : sets) {
    for (const auto& [value, rmse] : set.points()) {
      x.push_back(value);
      y.push_back(rmse);
    }
  }
  Axis up = axis_over("RMSE of force components, eV/Å", y);
  up.low = 0.0;  // no error is below
  Plot plot(title, axis_over(label, x, scale), up);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    plot.add_line(sets[set].points(), kSetColours[set]);
    plot.add_dots(sets[set].points(), kSetColours[set]);
  }
  return plot.svg();
}

/// A frame in which the well can be seen: from its bottom to about as far above zero. What is higher leaves the frame.
Axis energy_axis(const DimerCurve& curve) {
  // Where there are data the curve means something; a little before it still interests.
  const double from = 0.9 * curve.shortest.value_or(0.8 * bond_length(curve.a, curve.b));
  double low = 0.0;
  double high = 0.0;
  for (const auto& [distance, energy] : curve.points) {
    if (distance >= from && std::isfinite(energy)) {
      low = std::min(low, energy);
      high = std::max(high, energy);
    }
  }
  const double size = std::max(-low, std::min(high, 3.0 * std::max(-low, 1.0)));
  return axis_over("energy, eV", {std::min(1.15 * low, -0.3 * size), size});
}

}  // namespace

std::string parity_plots(const Comparison& comparison) {
  std::string out;
  for (const Parity& parity : comparison.parities) {
    const Axis& axis = parity.values[0].x();
    out += density_plot(parity.title, parity.values, {{axis.low, axis.low}, {axis.high, axis.high}});
  }
  for (const Parity& parity : comparison.parities) {
    const Axis& axis = parity.errors[0].x();
    out += density_plot(parity.title + ": errors", parity.errors, {{axis.low, 0.0}, {axis.high, 0.0}});
  }
  return out;
}

std::string force_error_plots(const Comparison& comparison) {
  return binned_plot("By size of the force", "reference force on the atom, eV/Å", Scale::kLogarithmic,
                     comparison.by_force) +
         binned_plot("By distance", "distance to the nearest atom, Å", Scale::kLinear, comparison.by_distance);
}

std::string dimer_plot(const DimerCurve& curve) {
  std::vector<double> distances;
  for (const auto& [distance, energy] : curve.points) {
    distances.push_back(distance);
  }
  const Axis x = axis_over("distance, Å", distances);
  Plot plot(pair_name(curve.a, curve.b), x, energy_axis(curve));
  plot.add_guide({{x.low, 0.0}, {x.high, 0.0}});
  if (curve.shortest) {
    plot.add_mark(*curve.shortest, fmt::format("{:.2f} Å", *curve.shortest));
  }
  plot.add_line(curve.points, kTrainColour);
  return plot.svg();
}

std::string singular_value_plot(const std::vector<double>& values) {
  Points points;
  std::vector<double> numbers{1.0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.emplace_back(static_cast<double>(i + 1), values[i]);
    numbers.push_back(static_cast<double>(i + 1));
  }
  Plot plot("Singular values", axis_over("number", numbers), axis_over("singular value", values, Scale::kLogarithmic));
  plot.add_line(points, kTrainColour);
  return plot.svg();
}

std::optional<std::pair<double, double>> minimum_of(const DimerCurve& curve) {
  const auto first = std::ranges::find_if(
      curve.points, [&](const auto& point) { return point.first >= curve.shortest.value_or(0.0); });
  const auto end = curve.points.end();
  const auto lowest = std::ranges::min_element(first, end, {}, [](const auto& point) { return point.second; });
  const bool inside = lowest != end && lowest != curve.points.begin() && lowest != end - 1 &&
                      (lowest - 1)->second >= lowest->second && lowest->second < curve.points.back().second;
  return inside ? std::optional(*lowest) : std::nullopt;
}

std::optional<double> lowest_before_data(const DimerCurve& curve) {
  std::optional<double> lowest;
  for (const auto& [distance, energy] : curve.points) {
    if (distance < curve.shortest.value_or(0.0)) {
      lowest = std::min(lowest.value_or(energy), energy);
    }
  }
  return lowest;
}

std::optional<double> energy_at(const DimerCurve& curve, double distance) {
  const auto after = std::ranges::find_if(curve.points, [&](const auto& point) { return point.first >= distance; });
  if (after == curve.points.end() || after == curve.points.begin()) {
    return std::nullopt;
  }
  const auto& [r0, e0] = *(after - 1);
  const auto& [r1, e1] = *after;
  return e0 + (e1 - e0) * (distance - r0) / (r1 - r0);
}

std::vector<std::string> dimer_columns() {
  return {"pair",         "shortest in data, Å", "energy there, eV",
          "lowest at, Å", "lowest energy, eV",   "lowest at shorter distances, eV"};
}

std::vector<std::string> dimer_row(const DimerCurve& curve) {
  const auto text = [](const std::optional<double>& number) { return number ? short_number(*number) : "-"; };
  const auto lowest = minimum_of(curve);
  return {pair_name(curve.a, curve.b),
          text(curve.shortest),
          text(curve.shortest ? energy_at(curve, *curve.shortest) : std::nullopt),
          text(lowest ? std::optional(lowest->first) : std::nullopt),
          text(lowest ? std::optional(lowest->second) : std::nullopt),
          text(lowest_before_data(curve))};
}

std::string pair_name(std::uint8_t a, std::uint8_t b) {
  return fmt::format("{}-{}", element_symbol(a), element_symbol(b));
}

}  // namespace ipfit
