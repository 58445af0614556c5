// A potential small enough to evaluate by hand: one element, spherical Bessel functions, ranks 1 to 3.
#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "tests/support/random_structures.h"
#include "tests/support/yace/evaluator.h"
#include "tests/support/yace/radial.h"
#include "tests/support/yace/reader.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

const std::string kTiny = R"(
elements: [Cu]
E0: [-0.25]
deltaSplineBins: 0.001
embeddings:
  0: {ndensity: 1, FS_parameters: [1.0, 1.0], npoti: FinnisSinclairShiftedScaled, rho_core_cutoff: 100000, drho_core_cutoff: 250}
bonds:
  [0, 0]: {nradmax: 2, lmax: 2, nradbasemax: 3, radbasename: SBessel, radparameters: [5.25], radcoefficients: [[[1, 0, 0], [1, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 1, 0.5], [0, 1, 0]]], prehc: 0, lambdahc: 1, rcut: 4.5, dcut: 0.01, rcut_in: 0, dcut_in: 0, inner_cutoff_type: distance}
functions:
  0:
    - {mu0: 0, rank: 1, ndensity: 1, num_ms_combs: 1, mus: [0], ns: [1], ls: [0], ms_combs: [0], ctildes: [-1.2]}
    - {mu0: 0, rank: 1, ndensity: 1, num_ms_combs: 1, mus: [0], ns: [3], ls: [0], ms_combs: [0], ctildes: [0.4]}
    - {mu0: 0, rank: 2, ndensity: 1, num_ms_combs: 1, mus: [0, 0], ns: [1, 2], ls: [0, 0], ms_combs: [0, 0], ctildes: [0.35]}
    - {mu0: 0, rank: 2, ndensity: 1, num_ms_combs: 2, mus: [0, 0], ns: [1, 1], ls: [1, 1], ms_combs: [0, 0, 1, -1], ctildes: [0.15, -0.3]}
    - {mu0: 0, rank: 3, ndensity: 1, num_ms_combs: 4, mus: [0, 0, 0], ns: [1, 1, 2], ls: [1, 1, 2], ms_combs: [0, 0, 0, 1, -1, 0, 1, 0, -1, 1, 1, -2], ctildes: [0.1, 0.1, -0.3464101615137754, 0.2449489742783178]}
)";

yace::Potential tiny() {
  const auto potential = yace::read(kTiny, "tiny.yace");
  INFO((potential ? "" : potential.error().text()));
  REQUIRE(potential);
  return *potential;
}

yace::Evaluation evaluate(const Structure& structure) {
  const auto found = yace::evaluate(tiny(), structure);
  REQUIRE(found);
  return *found;
}

Structure dimer(double distance) {
  Structure s;
  s.species = {29, 29};
  s.positions = {Vec3(0.3, -0.2, 0.1), Vec3(0.3, -0.2, 0.1) + distance * Vec3(2.0, -1.0, 2.0) / 3.0};
  return s;
}

}  // namespace

TEST_CASE("a dimer of the small potential has the energy and force computed by hand") {
  const yace::Evaluation found = evaluate(dimer(2.5));
  // With one neighbour all angles are 0: what is left are products of three numbers.
  const auto g = yace::radial_functions(tiny().bond(0, 0), yace::InnerCutoff::kDistance, 2.5);
  const double g1 = g[0].value, g2 = g[1].value, g3 = g[2].value;
  const double by_hand = -0.25 - 1.2 * g1 + 0.4 * g3 + 0.35 * g1 * g2 + 0.15 * 3.0 * g1 * g1 +
                         0.05 * 2.0 * 3.0 * std::sqrt(5.0) * g1 * g1 * g2;
  CHECK(g1 == Approx(0.19410207).epsilon(1e-7));
  CHECK(g2 == Approx(0.29758551).epsilon(1e-7));
  CHECK(g3 == Approx(0.06873087).epsilon(1e-7));
  CHECK(found.energies[0] == Approx(by_hand).epsilon(1e-14));
  CHECK(found.energies[0] == Approx(-0.410738377294516).epsilon(1e-14));
  CHECK(found.energies[1] == Approx(found.energies[0]).epsilon(1e-14));

  const Vec3 unit(2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0);
  CHECK((found.forces[0] - 0.9599122710941088 * unit).norm() < 1e-14);
  CHECK((found.forces[0] + found.forces[1]).norm() < 1e-15);
  CHECK(unit.dot(found.virial * unit) == Approx(-2.399780677735272).epsilon(1e-14));
}

TEST_CASE("an atom alone has its one-body energy") {
  CHECK(evaluate(dimer(4.5)).energy == -0.5);
}

TEST_CASE("the rank-2 part is the sum over angles between neighbours that its definition says") {
  Structure s = dimer(2.5);
  s.species.push_back(29);
  s.positions.push_back(Vec3(0.3, -0.2, 0.1) + 3.0 * Vec3(0.0, 0.6, 0.8));
  const auto only = [](int keep) {
    yace::Potential potential = tiny();
    potential.functions[0] = {potential.functions[0][static_cast<std::size_t>(keep)]};
    return potential;
  };
  const auto near = yace::radial_functions(tiny().bond(0, 0), yace::InnerCutoff::kDistance, 2.5);
  const auto far = yace::radial_functions(tiny().bond(0, 0), yace::InnerCutoff::kDistance, 3.0);
  const double cosine = (2.0 * 0.0 - 1.0 * 0.6 + 2.0 * 0.8) / 3.0;
  const double sum =
      std::pow(near[0].value, 2) + std::pow(far[0].value, 2) + 2.0 * near[0].value * far[0].value * cosine;
  CHECK(yace::evaluate(only(3), s)->energies[0] == Approx(-0.25 + 0.15 * 3.0 * sum).epsilon(1e-14));
}

TEST_CASE("forces and virial of the small potential are derivatives of its energy") {
  RandomStructures random(5);
  Structure s = random.structure(CellKind::kSmall, 2, {29});
  const yace::Evaluation found = evaluate(s);
  const double h = 1e-4;
  const auto slope = [&](auto moved) {
    return (8.0 * (evaluate(moved(h)).energy - evaluate(moved(-h)).energy) - evaluate(moved(2.0 * h)).energy +
            evaluate(moved(-2.0 * h)).energy) /
           (12.0 * h);
  };
  // Rounding of energies of up to 100 eV over the step, and h^4 times the fifth derivative.
  const double tolerance = 1e-9 * std::max(1.0, std::abs(found.energy));
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    const double force = -slope([&](double by) {
      Structure moved = s;
      moved.positions[1][axis] += by;
      return moved;
    });
    CHECK(std::abs(found.forces[1][axis] - force) < tolerance);
    for (Eigen::Index other = 0; other < 3; ++other) {
      const double virial = -slope([&](double by) {
        Mat3 strain = Mat3::Identity();
        strain(axis, other) += by;
        Structure moved = s;
        moved.cell = s.cell * strain.transpose();
        for (Vec3& r : moved.positions) {
          r = (strain * r).eval();
        }
        return moved;
      });
      CHECK(std::abs(found.virial(axis, other) - virial) < 10.0 * tolerance);
    }
  }
}
