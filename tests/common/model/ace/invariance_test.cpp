#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "common/atoms/structure.h"
#include "common/model/ace/coupling.h"
#include "tests/support/coupling_tensors.h"

using namespace ipfit;
using namespace ipfit::test;

// What the couplings are for: functions of the neighbours that do not change when these are rotated or mirrored.

namespace {

using Complex = std::complex<double>;

// The functions are at most the product of the norms of their A, and these sums have rounding errors of a few hundred
// epsilon, most of it from the harmonics of the standard library.
constexpr double kInvariant = 1e-12;

class Environments {
 public:
  explicit Environments(std::uint64_t seed) : engine_(seed) {}

  std::vector<Vec3> neighbours(int count) {
    std::vector<Vec3> r;
    for (int j = 0; j < count; ++j) {
      r.emplace_back(normal_(engine_), normal_(engine_), normal_(engine_));
    }
    return r;
  }

  Mat3 rotation() {
    return Eigen::Quaterniond(normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_))
        .normalized()
        .toRotationMatrix();
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

std::vector<Vec3> moved(const Mat3& by, std::vector<Vec3> r) {
  for (Vec3& each : r) {
    each = by * each;
  }
  return r;
}

// sqrt(4 pi) times the spherical harmonic, in the phase of Condon and Shortley, which std::sph_legendre includes.
Complex harmonic(int l, int m, const Vec3& r) {
  const double theta = std::atan2(std::hypot(r.x(), r.y()), r.z());
  const auto positive = static_cast<unsigned>(std::abs(m));
  const Complex value = std::sqrt(4.0 * std::numbers::pi) *
                        std::sph_legendre(static_cast<unsigned>(l), positive, theta) *
                        std::polar(1.0, std::abs(m) * std::atan2(r.y(), r.x()));
  return m >= 0 ? value : (m % 2 == 0 ? 1.0 : -1.0) * std::conj(value);
}

// A smooth function of the distance, another one for each n.
double radial(int n, double r) {
  return std::exp(-0.3 * r * r) * std::cos(n * r);
}

// A_m, m = -l ... l.
Eigen::VectorXcd projection(int n, int l, const std::vector<Vec3>& neighbours) {
  Eigen::VectorXcd A = Eigen::VectorXcd::Zero(2 * l + 1);
  for (const Vec3& r : neighbours) {
    for (int m = -l; m <= l; ++m) {
      A[m + l] += radial(n, r.norm()) * harmonic(l, m, r);
    }
  }
  return A;
}

struct Values {
  Eigen::VectorXd B;
  double scale = 1.0;  // product of the norms of the A
};

// The functions of a shape, with n = 1 for the first label, 2 for the next other one, and so on.
Values functions(const AceShape& shape, const std::vector<Vec3>& neighbours) {
  std::vector<Eigen::VectorXcd> A;
  Values values;
  int n = 0;
  for (std::size_t t = 0; t < shape.l.size(); ++t) {
    n += shape.same[t] ? 0 : 1;
    A.push_back(projection(n, shape.l[t], neighbours));
    values.scale *= A.back().norm();
  }
  const Coupling coupling = coupling_of(shape);
  values.B = Eigen::VectorXd::Zero(coupling.count);
  for (std::size_t o = 0; o < coupling.m.size(); ++o) {
    Complex product = 1.0;
    for (std::size_t t = 0; t < A.size(); ++t) {
      product *= A[t][coupling.m[o][t] + shape.l[t]];
    }
    for (Eigen::Index k = 0; k < coupling.count; ++k) {
      values.B[k] += coupling.weights[static_cast<std::size_t>(k) * coupling.m.size() + o] * product.real();
    }
  }
  return values;
}

// Every pattern of equal labels, degrees as far as the time allows.
std::vector<AceShape> coupled_shapes() {
  std::vector<AceShape> shapes;
  for (const auto& [rank, l_max] :
       {std::pair(1, 0), std::pair(2, 6), std::pair(3, 4), std::pair(4, 3), std::pair(5, 2), std::pair(6, 1)}) {
    const std::vector<AceShape> more = shapes_up_to(rank, l_max);
    std::copy_if(more.begin(), more.end(), std::back_inserter(shapes),
                 [](const AceShape& shape) { return coupling_count(shape) > 0; });
  }
  return shapes;
}

void check_equal(const Values& a, const Values& b) {
  CHECK((a.B - b.B).cwiseAbs().maxCoeff() <= kInvariant * a.scale);
}

}  // namespace

TEST_CASE("functions do not change when the neighbours are rotated, mirrored or numbered otherwise") {
  const std::uint64_t seed = 7;
  CAPTURE(seed);
  Environments random(seed);
  const Mat3 inversion = -Mat3::Identity();
  for (const AceShape& shape : coupled_shapes()) {
    INFO(text_of(shape));
    const std::vector<Vec3> neighbours = random.neighbours(9);
    const Mat3 rotation = random.rotation();
    const Values values = functions(shape, neighbours);
    check_equal(values, functions(shape, moved(rotation, neighbours)));
    check_equal(values, functions(shape, moved(inversion, neighbours)));
    check_equal(values, functions(shape, moved(inversion * rotation, neighbours)));
    check_equal(values, functions(shape, {neighbours.rbegin(), neighbours.rend()}));
  }
}

TEST_CASE("two factors are a sum of Legendre polynomials of the angles between neighbours") {
  Environments random(11);
  for (int l = 0; l <= 10; ++l) {
    CAPTURE(l);
    const std::vector<Vec3> neighbours = random.neighbours(6);
    const auto degree = static_cast<std::uint8_t>(l);
    const Values values = functions({{degree, degree}, {false, false}}, neighbours);
    REQUIRE(values.B.size() == 1);
    double sum = 0.0;
    for (const Vec3& a : neighbours) {
      for (const Vec3& b : neighbours) {
        const double cosine = std::clamp(a.dot(b) / (a.norm() * b.norm()), -1.0, 1.0);
        sum += radial(1, a.norm()) * radial(2, b.norm()) * std::legendre(static_cast<unsigned>(l), cosine);
      }
    }
    CHECK(std::abs(std::abs(values.B[0]) - std::abs(std::sqrt(2.0 * l + 1.0) * sum)) <= kInvariant * values.scale);
  }
}

TEST_CASE("the functions of a shape are independent as functions of the neighbours") {
  Environments random(5);
  for (const AceShape& shape : coupled_shapes()) {
    INFO(text_of(shape));
    const Eigen::Index count = coupling_count(shape);
    Eigen::MatrixXd rows(3 * count + 5, count);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const Values values = functions(shape, random.neighbours(7));
      rows.row(i) = values.B / values.scale;
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factorised;
    factorised.setThreshold(1e-8);  // far above rounding, far below the smallest of independent functions
    CHECK(factorised.compute(rows).rank() == count);
  }
}
