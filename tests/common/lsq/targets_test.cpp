#include "common/lsq/targets.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace ipfit;

namespace {

// One molecule of water in a periodic box, with all labels.
Structure water() {
  Structure out;
  out.species = {8, 1, 1};
  out.positions = {Vec3(0, 0, 0), Vec3(0.76, 0.59, 0), Vec3(-0.76, 0.59, 0)};
  out.cell = 10.0 * Mat3::Identity();
  out.pbc = {true, true, true};
  out.labels.energy = -14.5;
  out.labels.forces = {Vec3(1, 2, 3), Vec3(4, 5, 6), Vec3(7, 8, 9)};
  out.labels.virial = Voigt{11, 22, 33, 23, 13, 12};
  return out;
}

std::vector<double> targets(const Structure& structure, RowMask mask, const std::map<std::uint8_t, double>& one_body) {
  std::vector<double> out(static_cast<std::size_t>(row_count(structure.size(), mask)), -1.0);
  fill_targets(structure, mask, one_body, out);
  return out;
}

}  // namespace

TEST_CASE("a structure gives rows for the labels that it has") {
  Structure structure = water();
  CHECK(mask_of(structure) == RowMask{.energy = true, .forces = true, .virial = true});
  structure.labels.energy.reset();
  CHECK(mask_of(structure) == RowMask{.energy = false, .forces = true, .virial = true});
  structure.labels.virial.reset();
  CHECK(mask_of(structure) == RowMask{.energy = false, .forces = true, .virial = false});
  structure.labels.forces.clear();
  CHECK(mask_of(structure) == RowMask{});
}

TEST_CASE("a virial counts only in a structure that is periodic in all directions") {
  Structure structure = water();
  structure.pbc[GENERATE(0U, 1U, 2U)] = false;
  CHECK(mask_of(structure) == RowMask{.energy = true, .forces = true, .virial = false});
}

TEST_CASE("forces that are not one for each atom give no rows") {
  Structure structure = water();
  structure.labels.forces.pop_back();
  CHECK_FALSE(mask_of(structure).forces);
}

TEST_CASE("the one-body energy is counted for each atom, and zero for elements without one") {
  CHECK(one_body_energy(water(), {{8, -2.0}, {1, -0.5}, {14, 100.0}}) == -3.0);
  CHECK(one_body_energy(water(), {{8, -2.0}}) == -2.0);
  CHECK(one_body_energy(water(), {}) == 0.0);
}

TEST_CASE("targets are the labels less the one-body energies, which have neither forces nor virial") {
  CHECK(targets(water(), {.energy = true, .forces = true, .virial = true}, {{8, -2.0}, {1, -0.5}}) ==
        std::vector<double>{-11.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 22, 33, 23, 13, 12});
  CHECK(targets(water(), {.energy = true}, {}) == std::vector<double>{-14.5});
  CHECK(targets(water(), {.virial = true}, {{8, -2.0}}) == std::vector<double>{11, 22, 33, 23, 13, 12});
  CHECK(targets(water(), {}, {}).empty());
}
