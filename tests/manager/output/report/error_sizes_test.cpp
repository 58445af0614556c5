// How errors depend on the size of something, and which are the largest.
#include <catch2/catch.hpp>
#include <cmath>

#include "manager/output/report/binned_rmse.h"
#include "manager/output/report/worst.h"

using namespace ipfit;

TEST_CASE("errors are averaged within bins of the other size") {
  BinnedRmse linear(Scale::kLinear, 0.0, 0.5);
  linear.add(0.1, 1.0);
  linear.add(0.4, 7.0);
  linear.add(0.7, 9.0);
  linear.add(INFINITY, 9.0);
  linear.add(1.0, NAN);
  CHECK(linear.points() == Points{{0.25, 2.0}, {0.75, 3.0}});

  BinnedRmse powers(Scale::kLogarithmic, 1e-3, 0.0);
  powers.add(0.0, 4.0);  // with the lowest
  powers.add(1e-3, 4.0);
  powers.add(1e300, 1.0);
  const Points points = powers.points();
  REQUIRE(points.size() == 3);
  CHECK(std::isnan(points[1].first));  // nothing in between
  CHECK(points[0].first == Approx(1e-3 * std::pow(10.0, 0.1)));
  CHECK(points[0].second == 2.0);
}

TEST_CASE("the worst structures come by falling error, at most ten of them") {
  Worst worst;
  Structure structure;
  structure.species = {14};
  for (int i = 0; i < 100; ++i) {
    structure.source = {"a.xyz", i + 1, 3 * i + 1};
    worst.add(structure, (i % 2 == 0 ? 1.0 : -1.0) * ((i * 37) % 100));
  }
  REQUIRE(worst.list().size() == Worst::kMost);
  for (std::size_t i = 0; i < Worst::kMost; ++i) {
    const StructureError& error = worst.list()[i];
    CHECK(std::abs(error.error) == 99.0 - static_cast<double>(i));
    CHECK(((error.source.frame - 1) * 37) % 100 == 99 - static_cast<int>(i));
  }
}
