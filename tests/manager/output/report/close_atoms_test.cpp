#include "manager/output/report/close_atoms.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/image_neighbours.h"
#include "tests/support/random_structures.h"

using namespace ipfit;

TEST_CASE("nearest distances are those of a search over all images") {
  const std::uint64_t seed = Catch::rngSeed() + 1;
  CAPTURE(seed);
  test::RandomStructures random(seed);
  for (int trial = 0; trial < 30 * test::kCellKinds; ++trial) {
    const auto kind = static_cast<test::CellKind>(trial % test::kCellKinds);
    const double reach = random.uniform(1.0, 6.0);
    const Structure structure = random.structure(kind, random.integer(1, 12), {15, 49, 14});
    CAPTURE(trial, reach);
    ShortestDistances expected;
    std::vector<double> nearest;
    for (std::int32_t i = 0; i < structure.size(); ++i) {
      nearest.push_back(INFINITY);
      for (const test::ImageNeighbour& near : test::image_neighbours(structure, i, reach)) {
        const auto pair = std::minmax(structure.species[static_cast<std::size_t>(i)],
                                      structure.species[static_cast<std::size_t>(near.atom)]);
        const double distance = near.r.norm();
        nearest.back() = std::min(nearest.back(), distance);
        const auto known = expected.try_emplace(pair, distance).first;
        known->second = std::min(known->second, distance);
      }
    }
    ShortestDistances shortest;
    const std::vector<double> found = nearest_distances(structure, reach, shortest);
    REQUIRE(found.size() == nearest.size());
    // Positions of up to some thousand Å are rounded to 1e-12 Å, twice.
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK((found[i] == nearest[i] || std::abs(found[i] - nearest[i]) < 1e-10));
    }
    REQUIRE(shortest.size() == expected.size());
    for (const auto& [pair, distance] : expected) {
      CHECK(std::abs(shortest.at(pair) - distance) < 1e-10);
    }
  }
}

TEST_CASE("a longer distance in another structure changes nothing") {
  Structure structure;
  structure.species = {14, 14};
  structure.positions = {Vec3::Zero(), Vec3(2.0, 0.0, 0.0)};
  ShortestDistances shortest;
  CHECK(nearest_distances(structure, 6.0, shortest) == std::vector<double>{2.0, 2.0});
  structure.positions[1].x() = 3.0;
  CHECK(nearest_distances(structure, 6.0, shortest) == std::vector<double>{3.0, 3.0});
  CHECK(shortest == ShortestDistances{{{14, 14}, 2.0}});
}
