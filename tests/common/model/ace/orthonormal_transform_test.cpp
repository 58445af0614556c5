#include "common/model/ace/orthonormal_transform.h"

#include <Eigen/Core>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "common/model/ace/gauss_legendre.h"
#include "tests/support/radial_values.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Gram matrix of the functions as they are used, on panels that know nothing of those of the program.
Eigen::MatrixXd gram_matrix(const AceBond& bond) {
  const RadialFunctions functions(bond);
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(bond.size, bond.size);
  std::vector<double> ends{0.0, bond.cutoff};
  ends.push_back(bond.inner_cutoff);
  ends.push_back(bond.inner_cutoff - bond.inner_width);
  ends.push_back(bond.cutoff - bond.cutoff_width);
  ends.push_back(0.37 * bond.cutoff);
  ends.push_back(0.81 * bond.cutoff);
  std::sort(ends.begin(), ends.end());
  for (std::size_t panel = 0; panel + 1 < ends.size(); ++panel) {
    const double middle = 0.5 * (ends[panel] + ends[panel + 1]);
    const double half = 0.5 * (ends[panel + 1] - ends[panel]);
    for (const QuadratureNode& node : gauss_legendre(300)) {
      const double r = middle + half * static_cast<double>(node.x);
      if (r <= 0.0) {
        continue;
      }
      const RadialValues found = functions_at(functions, r);
      const Eigen::Map<const Eigen::VectorXd> b(found.g.data(), bond.size);
      gram += half * static_cast<double>(node.weight) * r * r * b * b.transpose();
    }
  }
  return gram;
}

}  // namespace

TEST_CASE("the functions of SBessel are orthonormal as they stand") {
  const AceBond bond = bond_of(RadialFamily::kSBessel, 40);
  REQUIRE(orthonormal_transform(bond).empty());
  const RadialFunctions functions(bond);
  // r g_n is a sum of sin(m pi r/rc), m <= 41: products of two are trigonometric polynomials, which equidistant points
  // integrate exactly when there are more of them than the degree, 82.
  const int points = 90;
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(bond.size, bond.size);
  for (int i = 1; i < points; ++i) {
    const double r = bond.cutoff * i / points;
    const RadialValues found = functions_at(functions, r);
    const Eigen::Map<const Eigen::VectorXd> g(found.g.data(), bond.size);
    gram += bond.cutoff / points * r * r * g * g.transpose();
  }
  // 40 steps of recurrence, each adding some epsilon.
  CHECK((gram - Eigen::MatrixXd::Identity(bond.size, bond.size)).cwiseAbs().maxCoeff() < 200.0 * kEpsilon);
}

TEST_CASE("the transform makes the functions orthonormal") {
  for (const RadialFamily family : {RadialFamily::kChebExpCos, RadialFamily::kChebPow}) {
    for (const int size : {1, 2, 8, 15, 25}) {
      AceBond bond = bond_of(family, size);
      bond.transform = orthonormal_transform(bond);
      const Eigen::MatrixXd gram = gram_matrix(bond);
      // b_n is a sum of `size` products of a coefficient with a function of order 1, each rounded.
      const double tolerance = 4.0 * size * largest_entry(bond.transform) * kEpsilon + 20.0 * kEpsilon;
      CAPTURE(family, size, tolerance);
      CHECK((gram - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff() < tolerance);
    }
  }
}

TEST_CASE("with an inner cutoff the functions are orthonormal but for the weight of what is hidden") {
  for (const RadialFamily family : kFamilies) {
    for (const int size : {4, 15, 25}) {
      AceBond bond = with_inner(bond_of(family, size), 1.5, 0.5);
      bond.transform = orthonormal_transform(bond);
      AceBond whole = bond;
      whole.inner_cutoff = whole.inner_width = 0.0;
      const Eigen::MatrixXd gram = gram_matrix(bond) + kHiddenWeight * gram_matrix(whole);
      const double tolerance = 4.0 * size * largest_entry(bond.transform) * kEpsilon + 20.0 * kEpsilon;
      CAPTURE(family, size, tolerance);
      CHECK((gram - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff() < tolerance);
      AceBond raw = whole;
      raw.transform = orthonormal_transform(whole);
      const double bound = 1e3 * std::sqrt(1.0 * size) * std::max(1.0, largest_entry(raw.transform));
      CHECK(largest_entry(bond.transform) <= bound);
    }
  }
}

TEST_CASE("the transform is lower triangular with a positive diagonal, and no function depends on how many follow") {
  for (const RadialFamily family : kFamilies) {
    const AceBond bond = with_inner(bond_of(family, 12), 1.5, 0.5);
    const std::vector<double> transform = orthonormal_transform(bond);
    REQUIRE(transform.size() == 144);
    AceBond shorter = bond;
    shorter.size = 7;
    const std::vector<double> fewer = orthonormal_transform(shorter);
    for (std::size_t n = 0; n < 12; ++n) {
      CHECK(transform[n * 12 + n] > 0.0);
      for (std::size_t k = 0; k < 12; ++k) {
        CHECK((k <= n || transform[n * 12 + k] == 0.0));
        CHECK((n >= 7 || k >= 7 || transform[n * 12 + k] == fewer[n * 7 + k]));
      }
    }
  }
}
