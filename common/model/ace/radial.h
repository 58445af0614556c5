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

/// What the functions are without the inner cutoff counts with this weight in orthonormal_transform.
constexpr double kHiddenWeight = 1e-6;

/// The transform that makes the functions of a bond orthonormal: integral from 0 to cutoff of b_m b_n r² dr = delta.
/// Lower triangular (so b_1 ... b_n do not depend on how many follow), positive diagonal, row-major, size x size.
/// Empty for SBessel without inner cutoff, which is orthonormal as it stands.
///
/// With an inner cutoff the functions are the same as before beyond it, but part of what distinguished them is gone:
/// made orthonormal on what is left, fifteen of them can need coefficients of 1e13, which neither this program nor one
/// that tabulates the g_k can sum. So the integral plus kHiddenWeight times that without inner cutoff is made delta,
/// which bounds the coefficients by 1e3 times those without inner cutoff; functions that can be told apart come out
/// orthonormal to about 1e-6 times their squared coefficients, the others smaller than 1.
std::vector<double> orthonormal_transform(const AceBond& bond);

}  // namespace ipfit
