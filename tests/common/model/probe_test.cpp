#include "common/model/probe.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace ipfit;

namespace {

std::vector<double> expected() {
  const auto numbers = expected_self_test();
  return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_CASE("the self-test accepts rounding and refuses anything else, naming the number") {
  std::vector<double> numbers = expected();
  REQUIRE(check_self_test(numbers).ok());
  numbers[3] *= 1.0 + 5e-13;
  REQUIRE(check_self_test(numbers).ok());
  numbers[3] *= 1.0 + 5e-12;
  const Status status = check_self_test(numbers);
  REQUIRE_FALSE(status.ok());
  REQUIRE(status.error().kind == ErrorKind::kRefused);
  REQUIRE_THAT(status.error().text(), Catch::StartsWith("self-test: number 4 is 0.938"));
  numbers[3] = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_FALSE(check_self_test(numbers).ok());
}

TEST_CASE("a self-test of another length is refused") {
  REQUIRE_FALSE(check_self_test({}).ok());
  std::vector<double> longer = expected();
  longer.push_back(0.0);
  REQUIRE(check_self_test(longer).error().what == "9 numbers, expected 8");
}

TEST_CASE("every entry of the probe exists and is expected") {
  const std::int64_t rows = 1 + 3 * probe_structure().size() + 6;
  REQUIRE(probe_entries().size() == expected_self_test().size());
  for (const ProbeEntry& entry : probe_entries()) {
    REQUIRE(entry.row >= 0);
    REQUIRE(entry.row < rows);
    REQUIRE(entry.column >= 0);
    REQUIRE(entry.column < probe_model().columns());
  }
}
