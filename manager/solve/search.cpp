#include "manager/solve/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ipfit {
namespace {

// The zero of the derivative between `falling`, where it is < 0, and `rising`, where it is >= 0.
double bisect(const std::function<Slope(double)>& f, double falling, double rising) {
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = falling + 0.5 * (rising - falling);
    if (middle == falling || middle == rising) {
      break;
    }
    (f(middle).derivative < 0.0 ? falling : rising) = middle;
  }
  return falling + 0.5 * (rising - falling);
}

}  // namespace

double minimise(const std::function<Slope(double)>& f, double low, double high, double step) {
  const int intervals = std::max(1, static_cast<int>(std::ceil((high - low) / step)));
  const double width = (high - low) / intervals;
  double best = low;
  Slope at_best{std::numeric_limits<double>::infinity(), 0.0};
  for (int k = 0; k <= intervals; ++k) {
    const double x = k == intervals ? high : low + k * width;
    if (const Slope here = f(x); here.value < at_best.value) {
      best = x;
      at_best = here;
    }
  }
  if (at_best.derivative < 0.0 && best < high) {
    const double next = std::min(high, best + width);
    return f(next).derivative >= 0.0 ? bisect(f, best, next) : best;
  }
  if (at_best.derivative > 0.0 && best > low) {
    const double previous = std::max(low, best - width);
    return f(previous).derivative < 0.0 ? bisect(f, previous, best) : best;
  }
  return best;
}

}  // namespace ipfit
