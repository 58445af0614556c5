#include "worker/basis/ace/harmonics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/atoms/structure.h"
#include "tests/support/random_structures.h"
#include "tests/support/reference.h"
#include "worker/basis/ace/kernel_choice.h"
#include "worker/basis/ace/line_buffer.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

using Complex = std::complex<double>;

/// Harmonics of one direction, the other lanes being other directions.
class Harmonics {
 public:
  Harmonics(const SiteKernel& kernel, int l_max, const Vec3& u) {
    const std::vector<double> recursion = harmonic_recursion(l_max);
    double unit[3 * kSide];
    for (int lane = 0; lane < kSide; ++lane) {
      const Vec3 other = lane == kLane ? u : Vec3(Vec3(0.3, 0.1 * lane, -0.7).normalized());
      for (int axis = 0; axis < 3; ++axis) {
        unit[axis * kSide + lane] = other[axis];
      }
    }
    const auto components = static_cast<std::size_t>((l_max + 1) * (l_max + 1));
    values_.at_least(components * kSide);
    gradients_.at_least(3 * components * kSide);
    kernel.harmonics(l_max, kSide, unit, recursion.data(), values_.data(), gradients_.data());
  }
  Complex value(int l, int m) const {
    const double* at = values_.data() + kLane;
    return m == 0 ? Complex(at[l * l * kSide], 0.0)
                  : Complex(at[(l * l + 2 * m - 1) * kSide], at[(l * l + 2 * m) * kSide]);
  }
  Complex gradient(int l, int m, int axis) const {
    const double* at = gradients_.data() + kLane + axis * kSide;
    return m == 0 ? Complex(at[3 * l * l * kSide], 0.0)
                  : Complex(at[3 * (l * l + 2 * m - 1) * kSide], at[3 * (l * l + 2 * m) * kSide]);
  }

 private:
  static constexpr int kLane = 3;
  LineBuffer values_;
  LineBuffer gradients_;
};

double legendre(int l, double z) {
  double before = 1.0;
  double now = z;
  if (l == 0) {
    return before;
  }
  for (int k = 2; k <= l; ++k) {
    const double next = ((2.0 * k - 1.0) * z * now - (k - 1.0) * before) / k;
    before = now;
    now = next;
  }
  return now;
}

}  // namespace

TEST_CASE("harmonics and their gradients have the reference values") {
  IPFIT_REFERENCE_OR_SKIP(path, "golden/radial_and_harmonics.json");
  std::ifstream file(path);
  const nlohmann::json golden = nlohmann::json::parse(file);
  for (const SiteKernel* kernel : usable_kernels()) {
    CAPTURE(kernel->name);
    for (const auto& direction : golden.at("harmonics")) {
      const Vec3 u(direction.at("u")[0], direction.at("u")[1], direction.at("u")[2]);
      const Harmonics harmonics(*kernel, 6, u);
      int compared = 0;
      for (const auto& entry : direction.at("lm")) {
        const int l = entry.at("l");
        const int m = entry.at("m");
        // Values of up to 10, by at most six steps of the recursion: some 20 roundings.
        REQUIRE(std::abs(harmonics.value(l, m) - Complex(entry.at("y")[0], entry.at("y")[1])) < 1e-13);
        for (int axis = 0; axis < 3; ++axis) {
          const auto& g = entry.at("grad")[static_cast<std::size_t>(axis)];
          REQUIRE(std::abs(harmonics.gradient(l, m, axis) - Complex(g[0], g[1])) <
                  1e-13 * (1.0 + std::abs(Complex(g[0], g[1]))));
        }
        ++compared;
      }
      REQUIRE(compared == 28);
    }
  }
}

TEST_CASE("harmonics obey the addition theorem up to the largest degree") {
  RandomStructures random(5);
  for (const SiteKernel* kernel : usable_kernels()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Vec3 a = random.vector(1.0).normalized();
      const Vec3 b = random.vector(1.0).normalized();
      const Harmonics at_a(*kernel, kLargestHarmonic, a);
      const Harmonics at_b(*kernel, kLargestHarmonic, b);
      for (int l = 0; l <= kLargestHarmonic; ++l) {
        double total = (at_a.value(l, 0) * at_b.value(l, 0)).real();
        for (int m = 1; m <= l; ++m) {
          total += 2.0 * (at_a.value(l, m) * std::conj(at_b.value(l, m))).real();
        }
        REQUIRE(total == Approx((2.0 * l + 1.0) * legendre(l, a.dot(b))).margin(1e-12).epsilon(0.0));
      }
    }
  }
}

TEST_CASE("gradients of harmonics are tangential and agree with finite differences") {
  RandomStructures random(6);
  constexpr double kStep = 1e-5;
  for (const SiteKernel* kernel : usable_kernels()) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Vec3 u = random.vector(1.0).normalized();
      const Harmonics here(*kernel, 5, u);
      for (int axis = 0; axis < 3; ++axis) {
        const Harmonics ahead(*kernel, 5, (u + kStep * Vec3::Unit(axis)).normalized());
        const Harmonics behind(*kernel, 5, (u - kStep * Vec3::Unit(axis)).normalized());
        for (int l = 0; l <= 5; ++l) {
          for (int m = 0; m <= l; ++m) {
            const Complex slope = (ahead.value(l, m) - behind.value(l, m)) / (2.0 * kStep);
            REQUIRE(std::abs(here.gradient(l, m, axis) - slope) < 1e-7);  // l³ step² and rounding over step
          }
        }
      }
      for (int l = 0; l <= 5; ++l) {
        for (int m = 0; m <= l; ++m) {
          Complex along = 0.0;
          for (int axis = 0; axis < 3; ++axis) {
            along += here.gradient(l, m, axis) * u[axis];
          }
          REQUIRE(std::abs(along) < 1e-13);
        }
      }
    }
  }
}
