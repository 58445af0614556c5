#include "manager/plan/split.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/small_fit.h"

using namespace ipfit;

namespace {

/// The dimers that are kept apart, by what tells them from each other.
std::vector<double> kept(const std::vector<Structure>& structures, double fraction, int seed) {
  Split split(fraction, seed);
  for (const Structure& structure : structures) {
    split.add(structure);
  }
  split.settle();
  std::vector<double> energies;
  for (const Structure& structure : structures) {
    if (split.kept_apart(structure)) {
      energies.push_back(*structure.labels.energy);
    }
  }
  std::ranges::sort(energies);
  return energies;
}

}  // namespace

TEST_CASE("every group gives its share, and another seed chooses other structures") {
  const auto structures = test::dimers(40);  // 20 even, 20 odd
  Split split(0.25, 1);
  for (const Structure& structure : structures) {
    split.add(structure);
  }
  split.settle();
  for (const char* group : {"even", "odd"}) {
    CHECK(std::ranges::count_if(structures, [&](const Structure& structure) {
            return structure.config_type == group && split.kept_apart(structure);
          }) == 5);
  }
  CHECK(kept(structures, 0.25, 1) != kept(structures, 0.25, 2));
}

TEST_CASE("the choice depends neither on the order of structures nor on where they come from") {
  auto structures = test::dimers(40);
  const auto before = kept(structures, 0.25, 1);
  std::ranges::reverse(structures);
  for (Structure& structure : structures) {
    structure.source = {"elsewhere.xyz", 1, 1};
    structure.set = DataSet::kValidation;
  }
  CHECK(kept(structures, 0.25, 1) == before);
}

TEST_CASE("equal structures are on one side, and no group is taken whole") {
  auto structures = test::dimers(2);
  structures.insert(structures.end(), 9, structures.front());
  CHECK(kept(structures, 0.5, 1).empty());  // ten times the same, and one of the other group
  auto others = test::dimers(8);            // four of each group
  others.insert(others.end(), 4, others.front());
  const auto found = kept(others, 0.5, 1);
  const auto copies = std::ranges::count(found, *others.front().labels.energy);
  CHECK((copies == 0 || copies == 5));
  CHECK(static_cast<std::ptrdiff_t>(found.size()) > copies);
  CHECK(kept(test::dimers(2), 0.9, 1).empty());
}

TEST_CASE("a single atom stays with the training data") {
  std::vector<Structure> atoms = test::dimers(10);
  for (Structure& atom : atoms) {
    atom.species.pop_back();
    atom.positions.pop_back();
    atom.labels.forces.pop_back();
  }
  CHECK(kept(atoms, 0.5, 1).empty());  // in a box of 12 Å
  for (Structure& atom : atoms) {
    atom.cell = 3.0 * Mat3::Identity();  // a crystal
  }
  CHECK_FALSE(kept(atoms, 0.5, 1).empty());
}
