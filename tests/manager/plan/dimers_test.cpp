#include "manager/plan/dimers.h"

#include <catch2/catch.hpp>
#include <map>

using namespace ipfit;

TEST_CASE("dimers of every pair of elements go from close together to the cutoff") {
  const Model model{PairSpec{{49, 15}, 6.0, 3}, {}, {}};
  const std::vector<Structure> dimers = dimers_of(model);
  std::map<std::vector<std::uint8_t>, std::vector<double>> distances;
  for (const Structure& dimer : dimers) {
    CHECK(dimer.pbc == std::array<bool, 3>{false, false, false});
    distances[dimer.species].push_back((dimer.positions.at(1) - dimer.positions.at(0)).norm());
  }
  REQUIRE(distances.size() == 3);
  CHECK(distances.contains({49, 15}));  // in the order of the model
  for (const auto& [pair, along] : distances) {
    CHECK(along.size() == kDimerPoints);
    CHECK(std::is_sorted(along.begin(), along.end()));
    CHECK(along.front() > 0.3);
    CHECK(along.front() < 1.5);
    CHECK(along.back() == Approx(6.0));
  }
}

TEST_CASE("a cutoff shorter than a bond still gives a curve") {
  const std::vector<Structure> dimers = dimers_of(Model{PairSpec{{55}, 1.0, 3}, {}, {}});
  REQUIRE(dimers.size() == kDimerPoints);
  CHECK(dimers.front().positions[1].x() == Approx(0.5));
  CHECK(dimers.back().positions[1].x() == Approx(1.0));
}
