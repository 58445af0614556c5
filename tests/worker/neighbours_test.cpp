#include "worker/neighbours.h"

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/image_neighbours.h"
#include "tests/support/random_structures.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

std::vector<Neighbour> neighbours_of(NeighbourSearch& search, std::int32_t atom) {
  const auto found = search.of(atom);
  REQUIRE(found.ok());
  return {found->begin(), found->end()};
}

std::vector<std::vector<Neighbour>> all_neighbours(const Structure& structure, double cutoff) {
  NeighbourSearch search;
  REQUIRE(search.prepare(structure, cutoff).ok());
  std::vector<std::vector<Neighbour>> all;
  for (std::int32_t i = 0; i < structure.size(); ++i) {
    all.push_back(neighbours_of(search, i));
  }
  return all;
}

/// Whether every expected neighbour was found and nothing else. Positions are of order 1e4 Å at most, where the two
/// searches round differently by 1e-11 Å; `slack` is far above, and a distance within it of the cutoff may go either
/// way.
bool same(const std::vector<Neighbour>& found, std::vector<ImageNeighbour> expected, double cutoff) {
  constexpr double slack = 1e-9;
  for (const Neighbour& neighbour : found) {
    const auto match = std::find_if(expected.begin(), expected.end(), [&](const ImageNeighbour& other) {
      return other.atom == neighbour.atom && (other.r - neighbour.r).norm() < slack;
    });
    if (match == expected.end()) {
      if (neighbour.distance < cutoff - slack) {
        return false;
      }
      continue;
    }
    expected.erase(match);
  }
  return std::all_of(expected.begin(), expected.end(),
                     [&](const ImageNeighbour& missed) { return missed.r.norm() > cutoff - slack; });
}

Structure cubic(double side, std::vector<Vec3> positions) {
  Structure s;
  s.species.assign(positions.size(), 14);
  s.positions = std::move(positions);
  s.cell = Mat3::Identity() * side;
  s.pbc = {true, true, true};
  return s;
}

}  // namespace

TEST_CASE("the neighbours are those that trying every image of every atom finds") {
  NeighbourSearch search;  // one object for all, so that what one structure leaves behind would show in the next
  REQUIRE(rc::check([&search] {
    const auto kind = static_cast<CellKind>(*rc::gen::inRange(0, kCellKinds));
    const int atoms = *rc::gen::inRange(1, kind == CellKind::kSmall ? 5 : 40);
    const double cutoff = *rc::gen::element(2.0, 3.7, 5.5);
    RandomStructures random(*rc::gen::arbitrary<std::uint64_t>());
    const Structure structure = random.structure(kind, atoms, {14, 49, 15});
    RC_ASSERT(search.prepare(structure, cutoff).ok());
    for (std::int32_t i = 0; i < structure.size(); ++i) {
      const auto found = search.of(i);
      if (!found) {
        const auto reference = image_neighbours(structure, i, kShortestDistance * 1.001);
        RC_ASSERT(!reference.empty());
        continue;
      }
      RC_ASSERT(same({found->begin(), found->end()}, image_neighbours(structure, i, cutoff), cutoff));
      for (const Neighbour& neighbour : *found) {
        RC_ASSERT(neighbour.distance > 0.0);
        RC_ASSERT(neighbour.distance < cutoff);
        RC_ASSERT(neighbour.distance == neighbour.r.norm());
        RC_ASSERT(neighbour.species == structure.species[static_cast<std::size_t>(neighbour.atom)]);
      }
    }
  }));
}

TEST_CASE("when i sees j at r then j sees i at -r, to the last bit") {
  REQUIRE(rc::check([] {
    const auto kind = static_cast<CellKind>(*rc::gen::inRange(0, kCellKinds));
    RandomStructures random(*rc::gen::arbitrary<std::uint64_t>());
    const auto all = all_neighbours(random.structure(kind, kind == CellKind::kSmall ? 3 : 25, {14}), 5.0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const Neighbour& there : all[i]) {
        const auto& back = all[static_cast<std::size_t>(there.atom)];
        RC_ASSERT(std::any_of(back.begin(), back.end(), [&](const Neighbour& here) {
          return here.atom == static_cast<std::int32_t>(i) && here.r == -there.r;
        }));
      }
    }
  }));
}

TEST_CASE("the order of the neighbours does not depend on what was searched before") {
  RandomStructures random(5);
  const Structure one = random.structure(CellKind::kTriclinic, 30, {14});
  const Structure other = random.structure(CellKind::kSlab, 200, {14});
  NeighbourSearch search;
  REQUIRE(search.prepare(one, 4.0).ok());
  const auto before = neighbours_of(search, 7);
  REQUIRE(search.prepare(other, 6.0).ok());
  REQUIRE(search.prepare(one, 4.0).ok());
  const auto after = neighbours_of(search, 7);
  REQUIRE(before.size() == after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    REQUIRE(before[k].atom == after[k].atom);
    REQUIRE(before[k].r == after[k].r);
  }
}

TEST_CASE("a simple cubic crystal of one atom has 6, 12 and 8 neighbours in its shells") {
  const auto all = all_neighbours(cubic(3.0, {Vec3(0.3, 0.1, 0.2)}), 3.0 * 1.8);
  REQUIRE(all[0].size() == 26);
  for (const double shell : {1.0, 2.0, 3.0}) {
    const auto count = std::count_if(all[0].begin(), all[0].end(), [&](const Neighbour& n) {
      return std::abs(n.distance - 3.0 * std::sqrt(shell)) < 1e-12;
    });
    REQUIRE(count == (shell == 1.0 ? 6 : shell == 2.0 ? 12 : 8));
  }
}

TEST_CASE("a cell written with extremely skewed vectors has the same neighbours") {
  Structure plain = cubic(6.0, {Vec3(0.3, 0.1, 0.2), Vec3(2.0, 4.0, 1.0), Vec3(5.5, 3.0, 3.0)});
  Structure skewed = plain;
  skewed.cell.row(1) += 100'000.0 * plain.cell.row(0);
  skewed.cell.row(2) += 20'000.0 * plain.cell.row(0) - 70'000.0 * plain.cell.row(1);
  const auto expected = all_neighbours(plain, 8.0);
  const auto found = all_neighbours(skewed, 8.0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::vector<ImageNeighbour> reference;
    for (const Neighbour& n : expected[i]) {
      reference.push_back({n.atom, n.r});
    }
    REQUIRE(found[i].size() == expected[i].size());
    REQUIRE(same(found[i], reference, 8.0));
  }
}

TEST_CASE("an isolated atom has no neighbours, and a dimer has one each") {
  Structure atom;
  atom.species = {14};
  atom.positions = {Vec3(1.0, 2.0, 3.0)};
  REQUIRE(all_neighbours(atom, 5.0)[0].empty());
  Structure dimer = atom;
  dimer.species = {14, 15};
  dimer.positions.push_back(Vec3(1.0, 2.0, 5.0));
  const auto all = all_neighbours(dimer, 5.0);
  REQUIRE(all[0].size() == 1);
  REQUIRE(all[0][0].r == Vec3(0.0, 0.0, 2.0));
  REQUIRE(all[0][0].species == 15);
  REQUIRE(all[1].size() == 1);
}

TEST_CASE("a structure without atoms can be prepared") {
  NeighbourSearch search;
  REQUIRE(search.prepare(Structure{}, 5.0).ok());
}

TEST_CASE("thousands of atoms cost time in proportion, whether dense, in a thin slab or far apart") {
  // Each atom of these has a handful of neighbours; a search over all pairs or over all bins of the extent (1e15 of
  // them) would not come back.
  RandomStructures random(11);
  Structure s;
  const int atoms = 20'000;
  s.species.assign(atoms, 14);
  SECTION("thin slab") {
    s.cell = Vec3(400.0, 400.0, 2.2).asDiagonal();
    s.pbc = {true, true, true};
    for (int i = 0; i < atoms; ++i) {
      s.positions.push_back(Vec3(2.8 * (i % 142), 2.8 * (i / 142), 0.0) + random.vector(0.3));
    }
  }
  SECTION("dimers spread over a metre") {
    for (int i = 0; i < atoms; i += 2) {
      const Vec3 at(random.uniform(0.0, 1e9), random.uniform(0.0, 1e9), random.uniform(0.0, 1e9));
      s.positions.push_back(at);
      s.positions.push_back(at + Vec3(2.0, 0.0, 0.0));
    }
  }
  SECTION("one atom far from a crystal") {
    for (int i = 0; i < atoms - 1; ++i) {
      s.positions.push_back(2.8 * Vec3(i % 27, i / 27 % 27, i / 729));
    }
    s.positions.push_back(Vec3(1e6, 1e6, 1e6));
  }
  std::size_t total = 0;
  NeighbourSearch search;
  REQUIRE(search.prepare(s, 4.0).ok());
  for (std::int32_t i = 0; i < atoms; ++i) {
    total += neighbours_of(search, i).size();
  }
  REQUIRE(total >= static_cast<std::size_t>(atoms) - 1);
  REQUIRE(total <= static_cast<std::size_t>(atoms) * 40);
}

TEST_CASE("atoms on top of each other are named") {
  NeighbourSearch search;
  SECTION("two atoms") {
    REQUIRE(search.prepare(cubic(10.0, {Vec3::Zero(), Vec3(1.0, 2.0, 3.0), Vec3(1.0, 2.0, 3.004)}), 4.0).ok());
    REQUIRE(search.of(0).ok());
    const auto found = search.of(1);
    REQUIRE_FALSE(found.ok());
    REQUIRE(found.error().what == "atoms 2 (Si) and 3 (Si) are 0.004 Å apart, closer than 0.01 Å");
  }
  SECTION("at the very same place, one cell apart") {
    REQUIRE(search.prepare(cubic(10.0, {Vec3(1.0, 2.0, 3.0), Vec3(11.0, 2.0, 3.0)}), 4.0).ok());
    REQUIRE(search.of(0).error().what == "atoms 1 (Si) and 2 (Si) are 0 Å apart, closer than 0.01 Å");
  }
}

TEST_CASE("cells that cannot be periodic are refused in words") {
  NeighbourSearch search;
  Structure s = cubic(5.0, {Vec3::Zero()});
  SECTION("a vector of length zero") {
    s.cell.row(1).setZero();
    REQUIRE(search.prepare(s, 4.0).error().what == "periodic along b, but this cell vector is only 0 Å long");
    s.pbc[1] = false;
    REQUIRE(search.prepare(s, 4.0).ok());
  }
  SECTION("vectors in one plane") {
    s.cell.row(2) = s.cell.row(0) + 3.0 * s.cell.row(1);
    REQUIRE_THAT(search.prepare(s, 4.0).error().what, Catch::Contains("depend on each other"));
  }
  SECTION("vectors in one plane without a common period") {
    s.cell.row(2) = std::sqrt(2.0) * s.cell.row(0) + std::sqrt(3.0) * s.cell.row(1);
    REQUIRE_THAT(search.prepare(s, 4.0).error().what, Catch::Contains("depend on each other"));
  }
  SECTION("not a number") {
    s.cell(0, 0) = std::numeric_limits<double>::quiet_NaN();
    REQUIRE_THAT(search.prepare(s, 4.0).error().what, Catch::Contains("cell vector a"));
  }
  SECTION("an atom at infinity") {
    s.positions[0].y() = std::numeric_limits<double>::infinity();
    REQUIRE_THAT(search.prepare(s, 4.0).error().what, Catch::Contains("atom 1 (Si)") && Catch::Contains("inf"));
  }
  SECTION("so small that an atom has more neighbours than memory should hold") {
    s.cell = Mat3::Identity() * 0.02;
    REQUIRE(search.prepare(s, 10.0).ok());
    REQUIRE_THAT(search.of(0).error().what, Catch::Contains("more than 100000 neighbours"));
  }
}
