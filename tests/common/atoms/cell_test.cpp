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

TEST_CASE("an atom is as far from its images as the nearest faces of the cell are apart") {
  const Mat3 cell = 10.0 * Mat3::Identity();
  CHECK(image_distance(one_atom(cell, {true, true, true})) == 10.0);
  CHECK(std::isinf(image_distance(one_atom(Mat3::Zero(), {false, false, false}))));
  Mat3 rod = cell;
  rod(2, 2) = 3.0;
  CHECK(image_distance(one_atom(rod, {false, false, true})) == 3.0);
  CHECK(image_distance(one_atom(rod, {true, true, false})) == 10.0);
  // Long vectors, but the rows of images are 1 Å apart, and one vector leans along them.
  Mat3 sheared = cell;
  sheared.row(1) << 10, 1, 0;
  CHECK(image_distance(one_atom(sheared, {true, true, true})) == Approx(10.0 / std::sqrt(101.0)).epsilon(1e-12));
  Structure pair = one_atom(Mat3::Zero(), {false, false, false});
  pair.species = {14, 14};
  pair.positions = {Vec3::Zero(), Vec3(100, 0, 0)};
  CHECK(image_distance(pair) == 0.0);
}
