#include "common/atoms/own_weights.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/atoms/extxyz.h"

using namespace ipfit;

namespace {

Result<std::optional<Structure>> read(const std::string& keys, const std::string& column = "",
                                      const std::string& a = "", const std::string& b = "") {
  const std::string text = "2\nProperties=species:S:1:pos:R:3:forces:R:3" + column + " energy=-1 " + keys +
                           "\nSi 0 0 0 0 0 0" + a + "\nSi 0 0 2 0 0 0" + b + "\n";
  return ExtxyzReader::from_text(text, {}, "a.xyz").next();
}

OwnWeights weights(const std::string& keys, const std::string& column = "", const std::string& a = "",
                   const std::string& b = "") {
  const auto structure = read(keys, column, a, b);
  if (!structure) {
    FAIL(structure.error().text());
  }
  return (**structure).weights;
}

}  // namespace

TEST_CASE("a structure without weights has none") {
  const OwnWeights none = weights("");
  CHECK_FALSE(none.energy);
  CHECK_FALSE(none.virial);
  CHECK(none.forces.empty());
}

TEST_CASE("sigmas and weights of a structure are read, a sigma as one over a weight") {
  const OwnWeights found = weights("energy_sigma=0.5 force_weight=3 virial_sigma=4");
  CHECK(found.energy == 2.0);
  CHECK(found.forces == std::vector{3.0});
  CHECK(found.virial == 0.25);
  CHECK(weights("energy_weight=0").energy == 0.0);
}

TEST_CASE("forces may have a sigma or a weight for each atom") {
  CHECK(weights("", ":force_sigma:R:1", " 0.5", " 0.25").forces == std::vector{2.0, 4.0});
  CHECK(weights("", ":forces_weight:I:1", " 0", " 3").forces == std::vector{0.0, 3.0});
}

TEST_CASE("weights that cannot be meant are refused with their place") {
  for (const std::string keys :
       {"energy_sigma=0", "energy_sigma=-1", "energy_weight=-1", "energy_sigma=a", "energy_sigma=\"1 2\"",
        "energy_sigma=1 energy_weight=1", "energy_sigma=1e-320", "force_sigma=1 forces_sigma=1", "virial_weight=nan"}) {
    CAPTURE(keys);
    const auto refused = read(keys);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().where, Catch::StartsWith("a.xyz:2:"));
  }
  CHECK_FALSE(read("force_sigma=1", ":force_sigma:R:1", " 1", " 1"));
  CHECK_FALSE(read("", ":force_sigma:R:1:force_weight:R:1", " 1 1", " 1 1"));
  CHECK_FALSE(read("", ":force_sigma:R:3", " 1 1 1", " 1 1 1"));
  const auto zero = read("", ":force_sigma:R:1", " 1", " 0");
  REQUIRE_FALSE(zero);
  CHECK_THAT(zero.error().what, Catch::Contains("no number > 0"));
}
