#include "manager/output/report/density.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ipfit;

TEST_CASE("points are counted in the cell where they lie, those beyond the axes apart") {
  Density density({"", 0.0, 1.0}, {"", -10.0, 10.0});
  density.add(0.0, -10.0);
  density.add(0.001, -9.99);
  density.add(1.0, 10.0);
  density.add(0.5, 11.0);
  density.add(-0.1, 0.0);
  density.add(NAN, 0.0);
  density.add(0.5, INFINITY);
  CHECK(density.at(0, 0) == 2);
  CHECK(density.at(Density::kCells - 1, Density::kCells - 1) == 1);
  CHECK(density.largest() == 2);
  CHECK(density.points() == 7);
  CHECK(density.beyond() == 4);
}
