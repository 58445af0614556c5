#include "manager/solve/search.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace ipfit;

TEST_CASE("the minimum between grid points is found to machine precision") {
  const double place = GENERATE(-3.7, 0.0, 1.23456789);
  const double found = minimise(
      [&](double x) {
        return Slope{std::pow(x - place, 2), 2.0 * (x - place)};
      },
      -5.0, 7.0, 0.5);
  CHECK(std::abs(found - place) <= 1e-15 * 5.0);
}

TEST_CASE("of several valleys the deepest is taken") {
  const auto f = [](double x) { return Slope{std::cos(3.0 * x) + 0.1 * x, -3.0 * std::sin(3.0 * x) + 0.1}; };
  const double found = minimise(f, 0.0, 10.0, 0.25);
  // Valleys at cos = -1, the first of which is the lowest: sin(3 x) = 1/30 on the falling side.
  CHECK(found == Approx((std::acos(-1.0) - std::asin(1.0 / 30.0)) / 3.0).epsilon(1e-14));
}

TEST_CASE("a function that falls all the way is least at the end") {
  CHECK(minimise([](double x) { return Slope{-x, -1.0}; }, -1.0, 2.0, 0.3) == 2.0);
  CHECK(minimise([](double x) { return Slope{x, 1.0}; }, -1.0, 2.0, 0.3) == -1.0);
}

TEST_CASE("places where the function is not finite are passed over") {
  const auto f = [](double x) {
    return x < 1.0 ? Slope{std::numeric_limits<double>::quiet_NaN(), 0.0}
                   : Slope{std::pow(x - 2.0, 2), 2.0 * (x - 2.0)};
  };
  CHECK(minimise(f, 0.0, 5.0, 0.3) == Approx(2.0).epsilon(1e-14));
}
