#include "manager/output/contributions.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace ipfit;

namespace {

constexpr RowMask kEnergyAndForces{.energy = true, .forces = true, .virial = false};

Contributions example() {
  Contributions out;
  out.add("bulk", 1, kEnergyAndForces, std::vector{2.0, 1.0, 1.0, 0.0}, std::vector{1.0, 0.0, 0.0, 0.0},
          std::vector{2.0, 3.0, 0.0, 100.0});
  out.add("liquid", 1, {.energy = true}, std::vector{1.0}, std::vector{0.0}, std::vector{-1.0});
  return out;
}

}  // namespace

TEST_CASE("each group and kind adds its weighted squares, and rows of weight 0 are counted apart") {
  const Contributions found = example();
  const auto& bulk = found.groups().at("bulk");
  CHECK(bulk[0].sum == 4.0);
  CHECK(bulk[1].sum == 9.0);
  CHECK(bulk[1].rows == 2);
  CHECK(bulk[1].left_out == 1);
  CHECK(bulk[2].rows == 0);
  CHECK(found.total() == 14.0);
}

TEST_CASE("programs read sums and shares, people a table and which rows have no say") {
  const Json json = contributions_json(example());
  CHECK(json["total"] == 14.0);
  CHECK(json["groups"]["bulk"]["forces"]["share"] == 9.0 / 14.0);
  CHECK(json["groups"]["liquid"]["energy"]["rows"] == 1);
  CHECK(contributions_text(example()).find("64.3") != std::string::npos);
  CHECK(left_out_text(example()) == "weight 0, not fitted to: rows of bulk: 1 forces\n");
}

TEST_CASE("a perfect fit has no shares, and no division by zero") {
  Contributions perfect;
  perfect.add("bulk", 1, {.energy = true}, std::vector{1.0}, std::vector{1.0}, std::vector{1.0});
  CHECK(contributions_json(perfect)["groups"]["bulk"]["energy"]["share"] == 0.0);
  CHECK(left_out_text(perfect).empty());
}
