#pragma once

#include <string>
#include <vector>

namespace ipfit {

enum class Scale { kLinear, kLogarithmic };

/// One axis of a plot: low < high, both finite; both above 0 where it is logarithmic.
struct Axis {
  std::string label;  ///< with its unit
  double low = 0.0;
  double high = 1.0;
  Scale scale = Scale::kLinear;

  /// Where a value stands: 0 at low, 1 at high. Finite for every finite value, and clamped to [-10, 11]; on a
  /// logarithmic axis values of 0 and less are far below.
  double place(double value) const;
};

/// An axis over the finite ones of the values, with a little room at both ends. One that a person can read comes out
/// whatever the values are: none, one, all equal, or as small or large as doubles get. Of a logarithmic axis only
/// values above 0 count, and it ends at powers of ten.
Axis axis_over(std::string label, const std::vector<double>& values, Scale scale = Scale::kLinear);

struct Tick {
  double value = 0.0;
  std::string label;
};

/// Round numbers inside the axis, about `wanted` and at least two: multiples of 1, 2 or 5 times a power of ten, or on a
/// logarithmic axis powers of ten. Ascending.
std::vector<Tick> ticks_of(const Axis& axis, int wanted);

/// A number for people: three significant digits, "−" for minus, "-" for what is not finite.
std::string short_number(double value);

}  // namespace ipfit
