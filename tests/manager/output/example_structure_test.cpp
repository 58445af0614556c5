#include "manager/output/example_structure.h"

#include <catch2/catch.hpp>

#include "tests/support/image_neighbours.h"

namespace ipfit {
namespace {

Structure cell(std::vector<std::uint8_t> species, std::optional<double> energy, bool periodic = true) {
  Structure s;
  s.species = std::move(species);
  s.positions.resize(s.species.size(), Vec3::Zero());
  s.pbc = {periodic, periodic, periodic};
  s.labels.energy = energy;
  return s;
}

}  // namespace

TEST_CASE("the structure shown is a crystal of all elements, the most strongly bound one") {
  const std::vector<Structure> structures{cell({14}, -9.0), cell({14, 8}, -20.0), cell({14, 8, 8}, -31.0),
                                          cell({14, 8}, std::nullopt), cell({14, 8}, -99.0, false)};
  // Per atom: -10 against -10.3 eV; less the one-body energies -4 against -3.7 eV.
  CHECK(choose_example(structures, {}) == 2U);
  CHECK(choose_example(structures, {{8, -8.0}, {14, -4.0}}) == 1U);
  CHECK(choose_example(structures, {}, {2}) == 1U);
  CHECK(choose_example(structures, {}, {1, 2}) == 3U);
}

TEST_CASE("without a periodic structure another one is shown, without any none") {
  CHECK(choose_example(std::vector<Structure>{cell({14}, -1.0, false), cell({14}, -2.0, false)}, {}) == 1U);
  CHECK_FALSE(choose_example({}, {}));
  CHECK_FALSE(choose_example(std::vector<Structure>{cell({14}, -1.0)}, {}, {0}));
}

TEST_CASE("the first of equal structures is shown") {
  CHECK(choose_example(std::vector<Structure>{cell({14}, -1.0), cell({14}, -1.0)}, {}) == 0U);
}

TEST_CASE("the crystal that is made up has twelve nearest neighbours, and every element in turn") {
  const Structure crystal = example_crystal({29, 79}, 2.7);
  CHECK(crystal.species == std::vector<std::uint8_t>{29, 79, 29, 79});
  for (std::int32_t i = 0; i < crystal.size(); ++i) {
    const auto near = test::image_neighbours(crystal, i, 2.8);
    REQUIRE(near.size() == 12);
    for (const auto& neighbour : near) {
      CHECK(neighbour.r.norm() == Approx(2.7).epsilon(1e-14));
    }
  }
}

}  // namespace ipfit
