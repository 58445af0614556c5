#include "common/model/probe.h"

#include <catch2/catch.hpp>
#include <limits>
#include <set>

using namespace ipfit;

namespace {

std::vector<double> expected() {
  std::vector<double> numbers;
  for (const ProbeEntry& entry : probe_entries()) {
    numbers.push_back(entry.value);
  }
  return numbers;
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
  REQUIRE_THAT(check_self_test(longer).error().what,
               Catch::EndsWith(" numbers, expected " + std::to_string(expected().size())));
}

TEST_CASE("every entry of the probe exists, and every model has some") {
  const std::int64_t rows = 1 + 3 * probe_structure().size() + 6;
  const std::vector<Model> models = probe_models();
  std::set<std::size_t> seen;
  for (const ProbeEntry& entry : probe_entries()) {
    REQUIRE(entry.model < models.size());
    REQUIRE(entry.row >= 0);
    REQUIRE(entry.row < rows);
    REQUIRE(entry.column >= 0);
    REQUIRE(entry.column < models[entry.model].columns());
    seen.insert(entry.model);
  }
  REQUIRE(seen.size() == models.size());
}

TEST_CASE("the models of the probe are such as a worker accepts") {
  for (const Model& model : probe_models()) {
    const auto read = read_model(write_model(model), "probe");
    REQUIRE(read.ok());
    REQUIRE(*read == model);
  }
}
