#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace ipfit {

/// The functions phi_0, phi_1, ... of the distance r of two atoms, and their derivatives by r².
///
///   s = (r/rc)²,  x = (4s - 1) / (1 + 2s),  phi_k = sqrt((2k + 7)/2) P_k^(6,0)(x) ((1 - x)/2)³
///
/// x grows from -1 at r = 0 to 1 at rc and is steepest at rc/sqrt(6), about the distance of nearest neighbours. The
/// phi_k are orthonormal in x on [-1, 1]; value, slope and second derivative vanish at rc; they are smooth functions of
/// the vector r, at r = 0 too. Dimensionless. P_k^(6,0): Jacobi polynomials, DLMF (https://dlmf.nist.gov) 18.3, by the
/// recurrence 18.9.1-18.9.2, normalised with h_k of Table 18.3.1. Reasons: docs/explanation/pair-basis.md.
class PairFunctions {
 public:
  /// Several distances at a time: the recurrence is a chain of dependent steps, lanes fill the waiting.
  static constexpr int kLanes = 4;
  using Lanes = Eigen::Array<double, kLanes, 1>;

  /// `cutoff` in Å, > 0; `size` functions, >= 1.
  PairFunctions(double cutoff, int size);

  int size() const { return static_cast<int>(steps_.size()); }
  double cutoff() const { return cutoff_; }

  /// Calls take(k, phi_k, dphi_k/d(r²) in 1/Å²) for k = 0, 1, ... at the distances of which `s` = (r/rc)² is given.
  /// A lane with s = 1 gives exact zeros.
  template <class Take>
  void for_each(const Lanes& s, Take take) const;

  /// One distance r (Å), 0 <= r <= rc: phi_k and dphi_k/dr (1/Å), `size()` of each.
  void at(double r, std::span<double> values, std::span<double> slopes) const;

 private:
  /// phi_k = (a x + b) phi_{k-1} - c phi_{k-2}.
  struct Step {
    double a = 0.0;
    double b = 0.0;
    double c = 0.0;
  };

  double cutoff_;
  double per_cutoff_squared_;  ///< 1/rc², 1/Å²
  std::vector<Step> steps_;    ///< [0] is not used
};

template <class Take>
void PairFunctions::for_each(const Lanes& s, Take take) const {
  const Lanes q = (1.0 + 2.0 * s).inverse();
  const Lanes g = (1.0 - s) * q;  // (1 - x)/2 without cancellation near the cutoff
  const Lanes x = 1.0 - 2.0 * g;
  const Lanes dx = (6.0 * per_cutoff_squared_) * q * q;
  constexpr double kNorm = 1.8708286933869707;  // sqrt(7/2)
  // The cutoff is a factor of the first function; the recurrence, linear in the functions, carries it to the others.
  Lanes before = Lanes::Zero();
  Lanes slope_before = Lanes::Zero();
  Lanes now = kNorm * g * g * g;
  Lanes slope = (-1.5 * kNorm) * g * g * dx;
  take(0, now, slope);
  for (int k = 1; k < size(); ++k) {
    const Step& step = steps_[static_cast<std::size_t>(k)];
    const Lanes factor = step.a * x + step.b;
    const Lanes next = factor * now - step.c * before;
    const Lanes slope_next = factor * slope + step.a * dx * now - step.c * slope_before;
    before = now;
    slope_before = slope;
    now = next;
    slope = slope_next;
    take(k, now, slope);
  }
}

}  // namespace ipfit
