#include "tests/support/yace/harmonics.h"

#include <cmath>

namespace ipfit::test::yace {
namespace {

/// Y_lm = w^m P(l, m)(z) for m >= 0, with w = x + iy. P by recursion over l and m; zero for m > l.
class Legendre {
 public:
  Legendre(double z, int largest) : width_(largest + 2), p_(static_cast<std::size_t>(width_ * width_), 0.0) {
    at(0, 0) = 1.0;
    for (int m = 0; m <= largest; ++m) {
      if (m > 0) {
        at(m, m) = -std::sqrt((2.0 * m + 1.0) / (2.0 * m)) * at(m - 1, m - 1);
      }
      at(m + 1, m) = std::sqrt(2.0 * m + 3.0) * z * at(m, m);
      for (int l = m + 2; l <= largest; ++l) {
        const double alpha = std::sqrt((4.0 * l * l - 1.0) / (l * l - m * m));
        const double beta = -std::sqrt(((l - 1.0) * (l - 1.0) - m * m) / (4.0 * (l - 1.0) * (l - 1.0) - 1.0));
        at(l, m) = alpha * (z * at(l - 1, m) + beta * at(l - 2, m));
      }
    }
  }
  double value(int l, int m) const { return p_[static_cast<std::size_t>(l * width_ + m)]; }
  double slope(int l, int m) const { return m == l ? 0.0 : -std::sqrt((l - m) * (l + m + 1.0)) * value(l, m + 1); }

 private:
  double& at(int l, int m) { return p_[static_cast<std::size_t>(l * width_ + m)]; }
  int width_;
  std::vector<double> p_;
};

}  // namespace

Harmonics::Harmonics(const Vec3& unit, int largest) {
  const auto count = static_cast<std::size_t>((largest + 1) * (largest + 1));
  values_.resize(count);
  tangents_.resize(count);
  const Legendre P(unit.z(), largest);
  const Complex w(unit.x(), unit.y());
  Complex w_m = 1.0;       // w^m
  Complex w_before = 0.0;  // w^(m - 1); not used for m = 0
  for (int m = 0; m <= largest; ++m) {
    for (int l = m; l <= largest; ++l) {
      const Complex slope_w = static_cast<double>(m) * w_before * P.value(l, m);
      const Eigen::Vector3cd h(slope_w, Complex(0.0, 1.0) * slope_w, w_m * P.slope(l, m));
      const Complex along = unit.x() * h[0] + unit.y() * h[1] + unit.z() * h[2];
      const double mirror = m % 2 == 0 ? 1.0 : -1.0;
      values_[index(l, m)] = w_m * P.value(l, m);
      tangents_[index(l, m)] = h - along * unit;
      values_[index(l, -m)] = mirror * std::conj(values_[index(l, m)]);
      tangents_[index(l, -m)] = mirror * tangents_[index(l, m)].conjugate();
    }
    w_before = w_m;
    w_m *= w;
  }
}

}  // namespace ipfit::test::yace
