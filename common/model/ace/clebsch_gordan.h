#pragma once

#include <cstddef>
#include <vector>

namespace ipfit {

/// Largest j1 + j2 + J: six factors of degree ten. Up to here all integers of the sum fit into 64 bits.
inline constexpr int kLargestMomentumSum = 60;

/// The Clebsch-Gordan coefficients <j1 m1 j2 m2 | J m1+m2> of one triple of integers, in the phase of Condon and
/// Shortley (Racah's formula; Edmonds, Angular Momentum in Quantum Mechanics, 3.6.11). Each is the square root of a
/// fraction times a sum of integers that is exact, so it is right to a few units in the last place and has the same
/// bits everywhere.
class ClebschGordan {
 public:
  /// |j1 - j2| <= J <= j1 + j2, j1 + j2 + J <= kLargestMomentumSum.
  ClebschGordan(int j1, int j2, int J);

  /// |m1| <= j1, |m2| <= j2; zero where |m1 + m2| > J.
  double operator()(int m1, int m2) const {
    const int place = (m1 + j1_) * (2 * j2_ + 1) + m2 + j2_;
    return values_[static_cast<std::size_t>(place)];
  }

 private:
  int j1_;
  int j2_;
  std::vector<double> values_;  // (2 j1 + 1) x (2 j2 + 1)
};

}  // namespace ipfit
