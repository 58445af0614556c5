#include "common/lsq/weights.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace ipfit;

namespace {

const GroupWeights kWeights{.energy = 30.0, .forces = 2.0, .virial = 0.5};

std::vector<double> weights_of_rows(std::int64_t atoms, RowMask mask) {
  std::vector<double> out(static_cast<std::size_t>(row_count(atoms, mask)), -1.0);
  fill_weights(kWeights, atoms, mask, out);
  return out;
}

}  // namespace

TEST_CASE("a group without weights of its own has the default ones") {
  const WeightsSpec spec{.fallback = kWeights, .groups = {{"liquid", {.energy = 10.0, .forces = 2.0, .virial = 0.0}}}};
  CHECK(weights_of(spec, "liquid").energy == 10.0);
  CHECK(weights_of(spec, "Liquid") == kWeights);
  CHECK(weights_of(spec, "") == kWeights);
}

TEST_CASE("energies and virials weigh one over the square root of the atoms, forces do not") {
  CHECK(row_weight(kWeights, Kind::kEnergy, 1) == 30.0);
  CHECK(row_weight(kWeights, Kind::kEnergy, 64) == 30.0 / 8.0);
  CHECK(row_weight(kWeights, Kind::kForces, 64) == 2.0);
  CHECK(row_weight(kWeights, Kind::kVirial, 64) == 0.5 / 8.0);
}

TEST_CASE("the weights of a structure stand in the order of its rows, for the rows that it has") {
  const double energy = 30.0 / 2.0;
  const double virial = 0.5 / 2.0;
  std::vector<double> all{energy};
  all.insert(all.end(), 12, 2.0);
  all.insert(all.end(), 6, virial);
  CHECK(weights_of_rows(4, {.energy = true, .forces = true, .virial = true}) == all);
  CHECK(weights_of_rows(4, {.energy = true}) == std::vector{energy});
  CHECK(weights_of_rows(4, {.forces = true}) == std::vector(12, 2.0));
  CHECK(weights_of_rows(4, {.virial = true}) == std::vector(6, virial));
  CHECK(weights_of_rows(4, {}).empty());
}
