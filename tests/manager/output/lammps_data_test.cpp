#include "manager/output/lammps_data.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "common/atoms/element.h"
#include "tests/support/image_neighbours.h"
#include "tests/support/random_structures.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// Around every atom, the elements of all neighbours with their distances: what energies are made of.
using Surroundings = std::vector<std::vector<std::pair<int, double>>>;

Surroundings surroundings(const Structure& s, double cutoff) {
  Surroundings all;
  for (std::int32_t i = 0; i < s.size(); ++i) {
    auto& around = all.emplace_back();
    for (const ImageNeighbour& neighbour : image_neighbours(s, i, cutoff)) {
      around.emplace_back(s.species[static_cast<std::size_t>(neighbour.atom)], neighbour.r.norm());
    }
    std::sort(around.begin(), around.end());
  }
  return all;
}

/// Distances of atoms some 1e4 Å apart are known to 1e-12 Å.
void check_same(const Surroundings& found, const Surroundings& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t j = 0; j < found[i].size(); ++j) {
      CHECK(found[i][j].first == expected[i][j].first);
      CHECK(std::abs(found[i][j].second - expected[i][j].second) < 1e-10);
    }
  }
}

/// An independent reader of what a data file says: types and positions, and the box as cell vectors.
Structure read_data(const std::string& text, const std::vector<std::uint8_t>& elements) {
  Structure s;
  s.pbc = {true, true, true};
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  long atoms = 0;
  bool in_atoms = false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    double a = 0.0, b = 0.0, c = 0.0;
    int id = 0, type = 0;
    if (line.ends_with(" atoms")) {
      words >> atoms;
    } else if (line.ends_with("xlo xhi") || line.ends_with("ylo yhi") || line.ends_with("zlo zhi")) {
      words >> a >> b;
      CHECK(a == 0.0);
      const int axis = line[line.size() - 3] - 'x';
      s.cell(axis, axis) = b;
    } else if (line.ends_with("xy xz yz")) {
      words >> s.cell(1, 0) >> s.cell(2, 0) >> s.cell(2, 1);
    } else if (line.starts_with("Atoms")) {
      in_atoms = true;
    } else if (in_atoms && words >> id >> type >> a >> b >> c) {
      CHECK(id == s.size() + 1);
      s.species.push_back(elements.at(static_cast<std::size_t>(type) - 1));
      s.positions.emplace_back(a, b, c);
    }
  }
  CHECK(atoms == s.size());
  return s;
}

}  // namespace

TEST_CASE("in a cell as LAMMPS wants it every atom sees what it saw before") {
  constexpr double kCutoff = 4.0;
  for (int kind = 0; kind < kCellKinds; ++kind) {
    if (static_cast<CellKind>(kind) == CellKind::kFarApart) {
      continue;  // a cell of 1e5 Å has positions with rounding of 1e-11 Å
    }
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(kind, seed);
      RandomStructures random(seed);
      const Structure s = random.structure(static_cast<CellKind>(kind), 5, {14, 8});
      const Structure lammps = in_lammps_cell(s, kCutoff);
      const Mat3& cell = lammps.cell;
      CHECK(lammps.fully_periodic());
      CHECK((cell(0, 1) == 0.0 && cell(0, 2) == 0.0 && cell(1, 2) == 0.0));
      CHECK((cell(0, 0) > 0.0 && cell(1, 1) > 0.0 && cell(2, 2) > 0.0));
      CHECK(std::abs(cell(1, 0)) <= 0.5 * cell(0, 0));
      CHECK(std::abs(cell(2, 0)) <= 0.5 * cell(0, 0));
      CHECK(std::abs(cell(2, 1)) <= 0.5 * cell(1, 1));
      check_same(surroundings(lammps, kCutoff), surroundings(s, kCutoff));
      check_same(surroundings(read_data(lammps_data(lammps, {8, 79, 14}, ""), {8, 79, 14}), kCutoff),
                 surroundings(s, kCutoff));
    }
  }
}

TEST_CASE("left-handed cells, dimers, atoms on a line and single atoms are no trouble") {
  RandomStructures random(4);
  Structure left = random.structure(CellKind::kTriclinic, 3, {14});
  left.cell.row(0).swap(left.cell.row(1));
  Structure dimer;
  dimer.species = {14, 14};
  dimer.positions = {Vec3(1.0, 2.0, 3.0), Vec3(1.0, 2.0, 5.3)};
  Structure chain = dimer;
  chain.cell.row(1) = Vec3(0.3, 0.4, 5.1).transpose();
  chain.pbc = {false, true, false};
  Structure alone;
  alone.species = {14};
  alone.positions = {Vec3(7.0, 0.0, -3.0)};
  for (const Structure& s : {left, dimer, chain, alone}) {
    check_same(surroundings(in_lammps_cell(s, 6.0), 6.0), surroundings(s, 6.0));
  }
}

TEST_CASE("a rectangular cell stays rectangular") {
  Structure s;
  s.species = {14};
  s.positions = {Vec3::Zero()};
  s.cell = 5.43 * Mat3::Identity();
  s.pbc = {true, true, true};
  const std::string text = lammps_data(in_lammps_cell(s, 5.0), {14}, "silicon");
  CHECK(text.find("xy xz yz") == std::string::npos);
  CHECK(text.find("0.0 5.43 ylo yhi\n") != std::string::npos);
}

TEST_CASE("the data file has a title, and all elements with their masses") {
  Structure s;
  s.species = {14, 8};
  s.positions = {Vec3::Zero(), Vec3(1.0, 2.0, 3.0)};
  s.cell = 5.0 * Mat3::Identity();
  s.pbc = {true, true, true};
  const std::string text = lammps_data(s, {8, 1, 14}, "two\nlines\t");
  CHECK(text.starts_with("# twolines\n\n2 atoms\n3 atom types\n"));
  CHECK(text.find("\nMasses\n\n1 15.999  # O\n2 1.008  # H\n3 28.085  # Si\n") != std::string::npos);
  CHECK(text.ends_with("\nAtoms  # atomic\n\n1 3 0 0 0\n2 1 1 2 3\n"));
}
