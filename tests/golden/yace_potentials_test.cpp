// The independent evaluator of .yace files against the results of the evaluator that LAMMPS uses, for potentials of
// other codes and made-up ones. What passes here may then judge what ipfit writes.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "common/atoms/extxyz.h"
#include "common/json.h"
#include "tests/support/reference.h"
#include "tests/support/text_file.h"
#include "tests/support/yace/evaluator.h"
#include "tests/support/yace/reader.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// Suggested with the reference results: their own rounding, and that of another order of summation, of terms up to
/// some 1e5 times as large as their sum; in units of the largest value of the configuration, and not below 1 eV (eV/Å).
constexpr double kTolerance = 1e-10;

Json json_of(const std::filesystem::path& path) {
  const auto json = parse_json(text_of(path), path.string());
  REQUIRE(json);
  return *json;
}

double difference(double value, const Json& expected, double& largest) {
  largest = std::max(largest, std::abs(expected.get<double>()));
  return std::abs(value - expected.get<double>());
}

/// The largest deviation from the expected numbers, in units of their largest, or of 1.
double deviation(const yace::Evaluation& found, const Json& expected) {
  double largest = 1.0;
  double worst = difference(found.energy, expected["energy"], largest);
  REQUIRE(found.energies.size() == expected["energies"].size());
  REQUIRE(found.forces.size() == expected["forces"].size());
  for (std::size_t i = 0; i < found.energies.size(); ++i) {
    worst = std::max(worst, difference(found.energies[i], expected["energies"][i], largest));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double force = found.forces[i][static_cast<Eigen::Index>(axis)];
      worst = std::max(worst, difference(force, expected["forces"][i][axis], largest));
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      const double virial = found.virial(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      worst = std::max(worst, difference(virial, expected["virial"][a][b], largest));
    }
  }
  return worst / largest;
}

void check_potential(const std::filesystem::path& golden, const std::string& name) {
  const auto potential = yace::read(text_of(golden / "potentials" / (name + ".yace")), name);
  INFO(name << (potential ? "" : ": " + potential.error().text()));
  REQUIRE(potential);
  const Json results = json_of(golden / "results" / (name + ".json"));
  const auto structures = read_extxyz((golden / results["configurations"].get<std::string>()).string(), {});
  REQUIRE(structures);
  REQUIRE(structures->size() == results["results"].size());
  for (std::size_t i = 0; i < structures->size(); ++i) {
    const Json& expected = results["results"][i];
    INFO(name << ", " << expected["name"].get<std::string>());
    const auto found = yace::evaluate(*potential, (*structures)[i]);
    REQUIRE(found);
    const double off = deviation(*found, expected["exact"]);
    INFO("deviation " << off);
    CHECK(off < kTolerance);
  }
}

}  // namespace

TEST_CASE("energies, forces and virials of every reference potential agree with LAMMPS' evaluator") {
  IPFIT_REFERENCE_OR_SKIP(golden, "golden");
  std::size_t potentials = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden / "potentials")) {
    check_potential(golden, entry.path().stem().string());
    ++potentials;
  }
  CHECK(potentials >= 12);
}
