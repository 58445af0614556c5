#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// The radial functions of one bond and their slopes, several distances at a time.
/// Formulas and sources: docs/explanation/ace-radial.md.
class RadialFunctions {
 public:
  /// Distances side by side; the inner loops run over them with a fixed count, which compilers vectorise.
  static constexpr int kLanes = 8;

  explicit RadialFunctions(const AceBond& bond);

  int size() const { return bond_.size; }
  double cutoff() const { return bond_.cutoff; }

  /// b_n and db_n/dr (1/Å) at kLanes distances r > 0 (Å): values[(n - 1) * kLanes + lane], n = 1 ... size().
  /// Exact zeros for r >= cutoff and below the inner cutoff. Does not allocate.
  void evaluate(std::span<const double, kLanes> r, double* values, double* slopes) const;

  /// The raw functions g_k instead of b_n, inner cutoff included, in the same layout.
  void evaluate_raw(std::span<const double, kLanes> r, double* values, double* slopes) const;

  /// p_k = (a x + b) p_(k-1) - c p_(k-2).
  struct Step {
    double a = 0.0;
    double b = 0.0;
    double c = 0.0;
  };

 private:
  AceBond bond_;
  std::vector<Step> steps_;  ///< SBessel: of its polynomials; [0].b is p_0
};

}  // namespace ipfit
