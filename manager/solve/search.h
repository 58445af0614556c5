#pragma once

#include <functional>

namespace ipfit {

/// A function of one variable at a point.
struct Slope {
  double value = 0.0;
  double derivative = 0.0;
};

/// Where `f` is least in [low, high]: the lowest point of an even grid of steps of at most `step`, then the zero of the
/// derivative next to it, to machine precision. Finds the global minimum if no valley is narrower than a step. The ends
/// themselves where `f` falls towards them. Points where `f` is not finite count as high. About 60 evaluations more
/// than the grid has points; deterministic.
double minimise(const std::function<Slope(double)>& f, double low, double high, double step);

}  // namespace ipfit
