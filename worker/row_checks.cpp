#include "worker/row_checks.h"

#include <algorithm>
#include <cmath>

namespace ipfit {

std::optional<std::int64_t> first_not_finite(std::span<const double> numbers) {
  // Zero times a number is zero unless the number is infinite or none: a pass without branches.
  double zero = 0.0;
  for (const double number : numbers) {
    zero += 0.0 * number;
  }
  if (zero == 0.0) {
    return std::nullopt;
  }
  return std::find_if(numbers.begin(), numbers.end(), [](double number) { return !std::isfinite(number); }) -
         numbers.begin();
}

std::optional<Imbalance> find_imbalance(std::int64_t atoms, const Rows& rows, std::vector<double>& scratch) {
  const auto n = static_cast<std::size_t>(rows.columns);
  scratch.assign(4 * n, 0.0);
  double* const sums = scratch.data();  // 3 rows
  double* const scale = sums + 3 * n;
  const auto add_to_scale = [&](const double* row) {
    for (std::size_t c = 0; c < n; ++c) {
      scale[c] += std::abs(row[c]);
    }
  };
  add_to_scale(rows.energy);
  for (std::size_t component = 0; component < 6; ++component) {
    add_to_scale(rows.virial + component * n);
  }
  for (std::int64_t row = 0; row < 3 * atoms; ++row) {
    const double* const force = rows.forces + row * rows.columns;
    double* const sum = sums + static_cast<std::size_t>(row % 3) * n;
    for (std::size_t c = 0; c < n; ++c) {
      sum[c] += force[c];
    }
    add_to_scale(force);
  }
  const double floor = n == 0 ? 0.0 : kForceFloor * *std::max_element(scale, scale + n);
  for (std::size_t i = 0; i < 3 * n; ++i) {
    const double allowed = kForceTolerance * scale[i % n] + floor;
    if (!(std::abs(sums[i]) <= allowed)) {
      return Imbalance{static_cast<std::int64_t>(i % n), static_cast<int>(i / n), sums[i], allowed};
    }
  }
  return std::nullopt;
}

}  // namespace ipfit
