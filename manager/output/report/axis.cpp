#include "manager/output/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ipfit {
namespace {

constexpr double kSmallest = 1e-290;  // what is smaller has no neighbours that ticks could stand on
constexpr double kLargest = 1e290;
constexpr double kRoom = 0.04;  // of the range, at both ends

std::string with_minus(const std::string& number) {
  return number.starts_with('-') ? "−" + number.substr(1) : number;
}

/// "10⁻³" for the exponent -3.
std::string power_of_ten(int exponent) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) {
    out += kDigits[digit - '0'];
  }
  return out;
}

/// All labels of a linear axis look alike: as many decimals as the step has, or powers of ten for what is very large or
/// very small.
std::string linear_label(double value, double step, double largest) {
  if (value == 0.0) {
    return "0";
  }
  const int step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (largest < 1e5 && step > 9e-5) {
    return with_minus(fmt::format("{:.{}f}", value, std::max(0, -step_exponent)));
  }
  const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int decimals = std::clamp(exponent - step_exponent, 0, 12);
  return with_minus(fmt::format("{:.{}f}", value / std::pow(10.0, exponent), decimals)) + "·" + power_of_ten(exponent);
}

std::vector<Tick> linear_ticks(const Axis& axis, int wanted) {
  const double rough = (axis.high - axis.low) / std::max(1, wanted);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (nice * power >= rough * (1.0 - 1e-9)) {
      step = nice * power;
      break;
    }
  }
  if (2.0 * step > axis.high - axis.low) {
    step /= 2.0;  // two ticks at least, wherever the axis begins
  }
  std::vector<Tick> ticks;
  const double slack = 1e-9 * step;
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  const double first = std::ceil((axis.low - slack) / step);
  for (double k = first; k * step <= axis.high + slack && ticks.size() < 50; ++k) {
    ticks.push_back({k * step, linear_label(k * step, step, largest)});
  }
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const Axis& axis, int wanted) {
  const int first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
  const int stride = std::max(1, (last - first + wanted - 1) / std::max(1, wanted));
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; exponent += stride) {
    ticks.push_back({std::pow(10.0, exponent), power_of_ten(exponent)});
  }
  return ticks;
}

Axis linear_axis(std::string label, double low, double high) {
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  const double largest = std::max(std::abs(low), std::abs(high));
  double room = kRoom * (high - low);
  // Doubles that differ in their last digits are equal for a reader, and steps between them cannot be told apart.
  if (high - low <= 1e-9 * largest || high - low < kSmallest) {
    room = largest < kSmallest ? 1.0 : 0.05 * largest;
  }
  return {std::move(label), low - room, high + room, Scale::kLinear};
}

Axis logarithmic_axis(std::string label, double low, double high) {
  const double first = std::floor(std::log10(std::clamp(low, kSmallest, kLargest)) + 1e-9);
  const double last = std::ceil(std::log10(std::clamp(high, kSmallest, kLargest)) - 1e-9);
  return {std::move(label), std::pow(10.0, first), std::pow(10.0, std::max(last, first + 1.0)), Scale::kLogarithmic};
}

}  // namespace

double Axis::place(double value) const {
  double place = 0.0;
  if (scale == Scale::kLogarithmic) {
    // Differences of logarithms, since the quotient of two doubles may be larger than any double.
    place = value > 0.0 ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : -10.0;
  } else {
    // Halves, since the difference of two doubles may be larger than any double.
    place = (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low);
  }
  return std::clamp(place, -10.0, 11.0);
}

Axis axis_over(std::string label, const std::vector<double>& values, Scale scale) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const double value : values) {
    if (std::isfinite(value) && (scale == Scale::kLinear || value > 0.0)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (scale == Scale::kLogarithmic) {
    return low > high ? logarithmic_axis(std::move(label), 1.0, 10.0) : logarithmic_axis(std::move(label), low, high);
  }
  return low > high ? Axis{std::move(label), 0.0, 1.0, scale} : linear_axis(std::move(label), low, high);
}

std::vector<Tick> ticks_of(const Axis& axis, int wanted) {
  return axis.scale == Scale::kLogarithmic ? logarithmic_ticks(axis, wanted) : linear_ticks(axis, wanted);
}

std::string short_number(double value) {
  if (!std::isfinite(value)) {
    return "-";
  }
  const double size = std::abs(value);
  if (size == 0.0) {
    return "0";
  }
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  if (exponent < -4 || exponent > 5) {
    return with_minus(fmt::format("{:.2e}", value));
  }
  return with_minus(fmt::format("{:.{}f}", value, std::clamp(2 - exponent, 0, 6)));
}

}  // namespace ipfit
