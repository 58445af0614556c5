#include "common/model/zbl.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "common/atoms/element.h"
#include "common/json.h"
#include "tests/support/reference.h"
#include "tests/support/text_file.h"

using namespace ipfit;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
const Zbl kZbl{1.18, 2.35};
constexpr std::array<std::array<std::uint8_t, 2>, 4> kPairs{{{14, 14}, {14, 74}, {74, 74}, {1, 92}}};

/// Energy and slope written out in x = r/a and long double: Z_i Z_j e²/r phi(x) + S(r).
std::pair<long double, long double> written_out(const Zbl& zbl, int z_a, int z_b, long double r) {
  const long double a = 0.46850L / (std::pow(1.0L * z_a, 0.23L) + std::pow(1.0L * z_b, 0.23L));
  const long double k = 14.399645L * z_a * z_b;
  const auto phi = [](long double x, int derivative) {
    return 0.18175L * std::pow(-3.19980L, derivative) * std::exp(-3.19980L * x) +
           0.50986L * std::pow(-0.94229L, derivative) * std::exp(-0.94229L * x) +
           0.28022L * std::pow(-0.40290L, derivative) * std::exp(-0.40290L * x) +
           0.02817L * std::pow(-0.20162L, derivative) * std::exp(-0.20162L * x);
  };
  const auto h = [&](long double s) { return k / s * phi(s / a, 0); };
  const auto h1 = [&](long double s) { return k * (phi(s / a, 1) / (a * s) - phi(s / a, 0) / (s * s)); };
  const auto h2 = [&](long double s) {
    return k * (phi(s / a, 2) / (a * a * s) - 2.0L * phi(s / a, 1) / (a * s * s) + 2.0L * phi(s / a, 0) / (s * s * s));
  };
  const long double r1 = zbl.inner;
  const long double rc = zbl.outer;
  const long double A = (-3.0L * h1(rc) + (rc - r1) * h2(rc)) / std::pow(rc - r1, 2.0L);
  const long double B = (2.0L * h1(rc) - (rc - r1) * h2(rc)) / std::pow(rc - r1, 3.0L);
  const long double C = -h(rc) + 0.5L * (rc - r1) * h1(rc) - std::pow(rc - r1, 2.0L) * h2(rc) / 12.0L;
  const long double t = r > r1 ? r - r1 : 0.0L;
  return {h(r) + A / 3.0L * std::pow(t, 3.0L) + B / 4.0L * std::pow(t, 4.0L) + C,
          h1(r) + A * t * t + B * std::pow(t, 3.0L)};
}

}  // namespace

TEST_CASE("ZBL energies and slopes are those of the formulas written out") {
  for (const auto& [a, b] : kPairs) {
    const double before_switch = std::abs(zbl_energy(kZbl, a, b, kZbl.inner).energy);
    for (double r = 0.05; r < kZbl.outer; r += 0.0173) {
      const PairEnergy found = zbl_energy(kZbl, a, b, r);
      const auto [energy, slope] = written_out(kZbl, a, b, r);
      CAPTURE(int{a}, int{b}, r);
      // Towards the outer end terms of the size they have at the inner end cancel.
      CHECK(std::abs(found.energy - energy) <= 50.0 * kEpsilon * (std::abs(energy) + before_switch));
      CHECK(std::abs(found.slope - slope) <= 50.0 * kEpsilon * (std::abs(slope) + before_switch));
    }
  }
}

TEST_CASE("ZBL energies and forces are those of LAMMPS") {
  // pair_style zbl 1.18 2.35, units metal, dimers; LAMMPS of 29 September 2021: Z, Z, Å, eV, eV/Å.
  using Line = std::tuple<std::uint8_t, std::uint8_t, double, double, double>;
  for (const auto& [a, b, r, energy, force] : {Line{14, 14, 0.3, 1709.5904876579102, -13088.0649589558},
                                               Line{14, 14, 1.1, 32.32930560957854, -125.69134090494016},
                                               Line{14, 14, 1.3, 14.864757789595028, -58.377073132800959},
                                               Line{14, 14, 2.1, 0.13042928617612137, -1.5876212187058552},
                                               Line{14, 74, 0.8, 342.61362113100927, -1615.2168881646701},
                                               Line{14, 74, 1.7, 6.4142843370737985, -33.619655847213231},
                                               Line{74, 74, 1.18, 186.54151640930868, -823.76763918882421},
                                               Line{74, 74, 2.3, 0.0060992146859888408, -0.36687289059405975}}) {
    const PairEnergy found = zbl_energy(kZbl, a, b, r);
    const PairEnergy at_inner = zbl_energy(kZbl, a, b, kZbl.inner);
    CAPTURE(int{a}, int{b}, r);
    CHECK(std::abs(found.energy - energy) <= 10.0 * kEpsilon * (std::abs(energy) + at_inner.energy));
    CHECK(std::abs(found.slope - force) <= 10.0 * kEpsilon * (std::abs(force) - at_inner.slope));
  }
}

TEST_CASE("ZBL agrees with the reference values for the same repulsion in another program") {
  IPFIT_REFERENCE_OR_SKIP(path, "golden/radial_and_harmonics.json");
  const Result<Json> file = parse_json(test::text_of(path), path.string());
  REQUIRE(file);
  int entries = 0;
  for (const Json& entry : (*file)["core"]) {
    if (entry["inner_cutoff_type"] != "zbl") {
      continue;
    }
    ++entries;
    const auto outer = entry["rcut"].get<double>();
    const auto width = entry["dcut"].get<double>();
    const auto z_a = entry["Z_i"].get<std::uint8_t>();
    const auto z_b = entry["Z_j"].get<std::uint8_t>();
    for (const Json& value : entry["values"]) {
      const auto r = value["r"].get<double>();
      if (r > outer - width) {
        continue;  // there it is multiplied by a second switch
      }
      // Half the energy of a pair for each of its atoms, and a more recent value of e²/(4 pi epsilon_0).
      const double scale = 0.5 * entry["prehc"].get<double>() * 14.399645351950543 / 14.399645;
      const PairEnergy found = zbl_energy({outer - width, outer}, z_a, z_b, r);
      CAPTURE(int{z_a}, int{z_b}, r);
      CHECK(scale * found.energy == Approx(value["phi"].get<double>()).epsilon(1e-12));
      CHECK(scale * found.slope == Approx(value["dphi"].get<double>()).epsilon(1e-12));
    }
  }
  CHECK(entries > 0);
}

TEST_CASE("the slope of ZBL is the derivative of its energy") {
  for (const auto& [a, b] : kPairs) {
    for (double r = 0.4; r < 2.6; r += 0.037) {
      const double h = 1e-4;
      const auto difference = [&, first = a, second = b](double by) {
        return zbl_energy(kZbl, first, second, r + by).energy - zbl_energy(kZbl, first, second, r - by).energy;
      };
      const double slope = (8.0 * difference(h) - difference(2.0 * h)) / (12.0 * h);
      CAPTURE(int{a}, int{b}, r);
      // h⁴/30 times the fifth derivative, which for 1/r is 120/r⁵ times the energy; at the ends of the switch, where
      // the third derivative jumps, h² times the jump; rounding over h.
      const double energy = std::abs(zbl_energy(kZbl, a, b, r).energy) + 1.0;
      const double inner = zbl_energy(kZbl, a, b, kZbl.inner).energy;
      CHECK(std::abs(zbl_energy(kZbl, a, b, r).slope - slope) <
            4.0 * std::pow(h, 4) * energy * std::pow(20.0, 5) / 30.0 + h * h * inner + 1e-11 * (energy + inner));
    }
  }
}

TEST_CASE("ZBL goes to zero at the outer end with slope and second derivative, and is exactly zero beyond") {
  for (const auto& [a, b] : kPairs) {
    for (const double r : {2.35, 2.3500001, 3.0, 1e3}) {
      CHECK(zbl_energy(kZbl, a, b, r).energy == 0.0);
      CHECK(zbl_energy(kZbl, a, b, r).slope == 0.0);
    }
    // With all three zero, the energy falls like the cube of the distance from the end, the slope like its square:
    // by 8 and by 4 from one distance to half of it.
    const double scale = zbl_energy(kZbl, a, b, kZbl.inner).energy;
    for (const double h : {1e-2, 5e-3}) {
      const PairEnergy far = zbl_energy(kZbl, a, b, kZbl.outer - h);
      const PairEnergy near = zbl_energy(kZbl, a, b, kZbl.outer - h / 2.0);
      CHECK(near.energy / far.energy == Approx(1.0 / 8.0).epsilon(3.0 * h).margin(1e-14 * scale / far.energy));
      CHECK(near.slope / far.slope == Approx(1.0 / 4.0).epsilon(3.0 * h).margin(1e-14 * scale / std::abs(far.slope)));
    }
  }
}

TEST_CASE("ZBL repels at every distance, the more the closer, and does not depend on the order of the atoms") {
  for (const auto& [a, b] : kPairs) {
    double before = std::numeric_limits<double>::infinity();
    for (double r = 0.02; r < 2.34; r += 0.02) {
      const PairEnergy found = zbl_energy(kZbl, a, b, r);
      CHECK(found.energy > 0.0);
      CHECK(found.energy < before);
      CHECK(found.slope < 0.0);
      before = found.energy;
      CHECK(zbl_energy(kZbl, b, a, r).energy == Approx(found.energy).epsilon(4.0 * kEpsilon));
    }
  }
}

TEST_CASE("the default switch ends at the shortest bond length of the elements") {
  CHECK(default_zbl({14}) == Zbl{1.18, 2.35});
  CHECK(default_zbl({74, 14}) == Zbl{1.18, 2.35});
  CHECK(default_zbl({1, 74, 14}) == Zbl{0.37, 0.74});
  for (int z = 1; z <= kLargestAtomicNumber; ++z) {
    const Zbl zbl = default_zbl({static_cast<std::uint8_t>(z)});
    CHECK(zbl.inner > 0.3);
    CHECK(zbl.inner < zbl.outer);
  }
}
