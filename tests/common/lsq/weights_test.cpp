#include "common/lsq/weights.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace ipfit;

namespace {

const GroupWeights kWeights{.energy = 30.0, .forces = 2.0, .virial = 0.5};

constexpr RowMask kAllKinds{.energy = true, .forces = true, .virial = true};

Structure atoms_of(std::int64_t atoms) {
  Structure structure;
  structure.species.assign(static_cast<std::size_t>(atoms), 14);
  return structure;
}

std::vector<double> weights_of_rows(const Structure& structure, RowMask mask, const GroupWeights& weights = kWeights) {
  std::vector<double> out(static_cast<std::size_t>(row_count(structure.size(), mask)), -1.0);
  fill_weights(weights, structure, mask, out);
  return out;
}

std::vector<double> weights_of_rows(std::int64_t atoms, RowMask mask) {
  return weights_of_rows(atoms_of(atoms), mask);
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

TEST_CASE("a sigma is one over a weight, and counts instead of it") {
  const GroupWeights sigmas{.energy_sigma = 0.01, .forces_sigma = 0.25, .virial_sigma = 2.0};
  CHECK(row_weight(sigmas, Kind::kEnergy, 16) == 1.0 / 0.01 / 4.0);
  CHECK(row_weight(sigmas, Kind::kForces, 16) == 4.0);
  CHECK(row_weight(sigmas, Kind::kVirial, 16) == 0.125);
}

TEST_CASE("a weight of the structure itself takes the place of the one of its group") {
  Structure structure = atoms_of(4);
  structure.weights.energy = 8.0;
  structure.weights.virial = 6.0;
  structure.weights.forces = {5.0};
  std::vector<double> expected{4.0};
  expected.insert(expected.end(), 12, 5.0);
  expected.insert(expected.end(), 6, 3.0);
  CHECK(weights_of_rows(structure, kAllKinds) == expected);
  structure.weights.forces = {1.0, 0.0, 3.0, 4.0};
  CHECK(weights_of_rows(structure, {.forces = true}) ==
        std::vector{1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0});
}

TEST_CASE("a group of weight 0 has no say, whatever its structures say of themselves") {
  Structure structure = atoms_of(2);
  structure.weights = {.energy = 8.0, .forces = {1.0, 2.0}, .virial = 6.0};
  CHECK(weights_of_rows(structure, kAllKinds, {0.0, 0.0, 0.0}) == std::vector<double>(13, 0.0));
}
