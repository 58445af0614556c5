#include "manager/output/report/axis.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

using namespace ipfit;

namespace {

std::vector<std::string> labels_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) {
    labels.push_back(tick.label);
  }
  return labels;
}

/// A double of any sign and size up to the largest.
double any_double() {
  const double mantissa = *rc::gen::inRange(-99999, 100000) / 1e4;
  return mantissa * std::pow(10.0, *rc::gen::inRange(-310, 308));
}

void check_readable(const Axis& axis) {
  REQUIRE(std::isfinite(axis.low));
  REQUIRE(std::isfinite(axis.high));
  REQUIRE(axis.low < axis.high);
  CHECK(axis.place(axis.low) == Approx(0.0).margin(1e-12));
  CHECK(axis.place(axis.high) == Approx(1.0));
  const std::vector<Tick> ticks = ticks_of(axis, 6);
  CHECK(ticks.size() >= 2);
  CHECK(ticks.size() <= 14);
  std::set<std::string> labels;
  for (const Tick& tick : ticks) {
    // Rounding of the ends of the axis only.
    CHECK(axis.place(tick.value) >= -1e-6);
    CHECK(axis.place(tick.value) <= 1.0 + 1e-6);
    labels.insert(tick.label);
  }
  CHECK(labels.size() == ticks.size());
}

}  // namespace

TEST_CASE("ticks stand at round numbers") {
  CHECK(labels_of(ticks_of({"", 0.0, 10.0}, 5)) == std::vector<std::string>{"0", "2", "4", "6", "8", "10"});
  CHECK(labels_of(ticks_of({"", -0.23, 0.31}, 5)) == std::vector<std::string>{"−0.2", "0", "0.2"});
  CHECK(labels_of(ticks_of({"", 1500.0, 3100.0}, 4)) == std::vector<std::string>{"1500", "2000", "2500", "3000"});
  CHECK(labels_of(ticks_of({"", -4.1e-7, 4.1e-7}, 5)) ==
        std::vector<std::string>{"−4·10⁻⁷", "−2·10⁻⁷", "0", "2·10⁻⁷", "4·10⁻⁷"});
}

TEST_CASE("ticks of a logarithmic axis stand at powers of ten") {
  CHECK(labels_of(ticks_of({"", 1e-2, 1e2, Scale::kLogarithmic}, 6)) ==
        std::vector<std::string>{"10⁻²", "10⁻¹", "10⁰", "10¹", "10²"});
  CHECK(ticks_of({"", 1e-200, 1e200, Scale::kLogarithmic}, 6).size() <= 7);
}

TEST_CASE("an axis can be read whatever its values are") {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  for (const std::vector<double>& values : std::vector<std::vector<double>>{
           {},
           {0.0},
           {3.0, 3.0, 3.0},
           {1e-300, 2e-300},
           {-smallest, smallest},
           {-largest, largest},
           {1e10, 1e10 + 1e-6},
           {INFINITY, -INFINITY, NAN, 1.0},
           {1.0, 1.0 + 1e-8},
       }) {
    CAPTURE(values);
    check_readable(axis_over("", values));
    check_readable(axis_over("", values, Scale::kLogarithmic));
  }
  CHECK(rc::check([] {
    const auto count = *rc::gen::inRange(0, 4);
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
      values.push_back(any_double());
    }
    check_readable(axis_over("", values));
    check_readable(axis_over("", values, Scale::kLogarithmic));
  }));
}

TEST_CASE("every value has a place, also one that no axis could hold") {
  const Axis axis{"", -1.0, 1.0};
  CHECK(axis.place(0.0) == Approx(0.5));
  CHECK(axis.place(std::numeric_limits<double>::max()) == 11.0);
  CHECK(axis.place(std::numeric_limits<double>::lowest()) == -10.0);
  const Axis powers{"", 1.0, 100.0, Scale::kLogarithmic};
  CHECK(powers.place(10.0) == Approx(0.5));
  CHECK(powers.place(0.0) == -10.0);
  CHECK(powers.place(-5.0) == -10.0);
}

TEST_CASE("numbers have three digits that count") {
  CHECK(short_number(0.0) == "0");
  CHECK(short_number(12345.6) == "12346");
  CHECK(short_number(3.14159) == "3.14");
  CHECK(short_number(-0.0123456) == "−0.0123");
  CHECK(short_number(1e-300) == "1.00e-300");
  CHECK(short_number(NAN) == "-");
}
