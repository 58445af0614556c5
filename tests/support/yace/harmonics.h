#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit::test::yace {

/// sqrt(4 pi) Y_lm of a direction, complex with the Condon-Shortley phase, for all l up to a largest and all m from -l
/// to l; and the gradient on the unit sphere: the gradient of Y_lm(r/|r|) is tangent / |r|.
class Harmonics {
 public:
  using Complex = std::complex<double>;
  Harmonics(const Vec3& unit, int largest);

  Complex value(int l, int m) const { return values_[index(l, m)]; }
  const Eigen::Vector3cd& tangent(int l, int m) const { return tangents_[index(l, m)]; }

 private:
  static std::size_t index(int l, int m) { return static_cast<std::size_t>(l * l + l + m); }

  std::vector<Complex> values_;
  std::vector<Eigen::Vector3cd> tangents_;
};

}  // namespace ipfit::test::yace
