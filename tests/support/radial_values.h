#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/model/ace/radial.h"

namespace ipfit::test {

struct RadialValues {
  std::vector<double> g;
  std::vector<double> slopes;
};

enum class Which : std::uint8_t { kRaw, kTransformed };

/// The functions at one distance; the other lanes carry other distances, which must not matter.
inline RadialValues functions_at(const RadialFunctions& functions, double r, Which which = Which::kTransformed) {
  std::array<double, RadialFunctions::kLanes> lanes{};
  for (std::size_t lane = 0; lane < RadialFunctions::kLanes; ++lane) {
    lanes[lane] = 0.3 + 0.9 * static_cast<double>(lane);
  }
  const std::size_t mine = 5;
  lanes[mine] = r;
  const auto size = static_cast<std::size_t>(functions.size());
  std::vector<double> values(size * RadialFunctions::kLanes);
  std::vector<double> slopes(size * RadialFunctions::kLanes);
  if (which == Which::kRaw) {
    functions.evaluate_raw(lanes, values.data(), slopes.data());
  } else {
    functions.evaluate(lanes, values.data(), slopes.data());
  }
  RadialValues found;
  for (std::size_t k = 0; k < size; ++k) {
    found.g.push_back(values[k * RadialFunctions::kLanes + mine]);
    found.slopes.push_back(slopes[k * RadialFunctions::kLanes + mine]);
  }
  return found;
}

inline AceBond bond_of(RadialFamily family, int size) {
  AceBond bond;
  bond.family = family;
  bond.lambda = family == RadialFamily::kChebPow ? 2.5 : 5.25;
  bond.cutoff = 5.5;
  bond.cutoff_width = 0.3;
  bond.size = size;
  return bond;
}

inline AceBond with_inner(AceBond bond, double inner, double width) {
  bond.inner_cutoff = inner;
  bond.inner_width = width;
  return bond;
}

inline const std::vector<RadialFamily> kFamilies{RadialFamily::kSBessel, RadialFamily::kChebExpCos,
                                                 RadialFamily::kChebPow};

/// The largest in size.
inline double largest_entry(const std::vector<double>& numbers) {
  double largest = 0.0;
  for (const double number : numbers) {
    largest = std::max(largest, std::abs(number));
  }
  return largest;
}

}  // namespace ipfit::test
