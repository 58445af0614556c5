#include "common/atoms/cell.h"

#include <rapidcheck.h>

#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>

using namespace ipfit;

namespace {

Structure one_atom(const Mat3& cell, std::array<bool, 3> pbc) {
  Structure s;
  s.species = {14};
  s.positions = {Vec3::Zero()};
  s.cell = cell;
  s.pbc = pbc;
  return s;
}

}  // namespace

TEST_CASE("the volume of a cell is the size of its determinant") {
  REQUIRE(rc::check("volume is |det|", [] {
    Mat3 cell;
    for (double& component : cell.reshaped()) {
      component = *rc::gen::inRange(-1000, 1000) * 0.01;
    }
    const double scale = cell.rowwise().norm().prod();
    // Two ways to add six products of three factors: each differs by a few roundings of the largest product.
    RC_ASSERT(std::abs(cell_volume(cell) - std::abs(cell.determinant())) <= 32 * 2.3e-16 * scale);
  }));
}

TEST_CASE("a cell spans its periodic directions unless they are flat") {
  Mat3 flat;
  flat << 4, 0, 0, 0, 4, 0, 4, 4, 0;
  CHECK_FALSE(cell_spans(flat, {true, true, true}));
  CHECK(cell_spans(flat, {true, true, false}));
  CHECK(cell_spans(flat, {false, true, true}));
  CHECK(cell_spans(Mat3::Zero(), {false, false, false}));
  CHECK_FALSE(cell_spans(Mat3::Zero(), {false, true, false}));
  // A sheared cell, one lattice vector to the side, is as good as any.
  flat << 4, 0, 0, 400, 4, 0, 0, 0, 4;
  CHECK(cell_spans(flat, {true, true, true}));
}

TEST_CASE("one atom is isolated where its images are beyond the cutoff") {
  const Mat3 cell = 10.0 * Mat3::Identity();
  CHECK(is_isolated_atom(one_atom(cell, {true, true, true}), 9.9));
  CHECK_FALSE(is_isolated_atom(one_atom(cell, {true, true, true}), 10.0));
  CHECK(is_isolated_atom(one_atom(Mat3::Zero(), {false, false, false}), 1e6));
  Mat3 rod = cell;
  rod(2, 2) = 3.0;
  CHECK_FALSE(is_isolated_atom(one_atom(rod, {false, false, true}), 5.0));
  CHECK(is_isolated_atom(one_atom(rod, {true, true, false}), 5.0));
  // Long vectors, but the atoms of the next rows are 1 Å away.
  Mat3 sheared = cell;
  sheared.row(1) << 10, 1, 0;
  CHECK_FALSE(is_isolated_atom(one_atom(sheared, {true, true, true}), 5.0));
  Structure pair = one_atom(Mat3::Zero(), {false, false, false});
  pair.species = {14, 14};
  pair.positions = {Vec3::Zero(), Vec3(100, 0, 0)};
  CHECK_FALSE(is_isolated_atom(pair, 5.0));
}
