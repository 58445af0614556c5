#include "common/fit/nearest.h"

#include <array>
#include <catch2/catch.hpp>

namespace ipfit {
namespace {

constexpr std::array<std::string_view, 4> kWords{"kind", "elements", "cutoff", "size"};

}  // namespace

TEST_CASE("a misspelt word finds the word that was meant") {
  CHECK(nearest("cutof", kWords) == "cutoff");    // a letter too few
  CHECK(nearest("cuttoff", kWords) == "cutoff");  // one too many
  CHECK(nearest("Cutoff", kWords) == "cutoff");   // another one
  CHECK(nearest("element", kWords) == "elements");
  CHECK(nearest("elemnest", kWords) == "elements");
  CHECK(nearest("cutoff", kWords) == "cutoff");
}

TEST_CASE("the beginning of a word finds it") {
  constexpr std::array<std::string_view, 2> keys{"forces_key", "energy_key"};
  CHECK(nearest("energy", keys) == "energy_key");
  CHECK_FALSE(nearest("en", keys));
}

TEST_CASE("a word that resembles none finds none") {
  CHECK_FALSE(nearest("temperature", kWords));
  CHECK_FALSE(nearest("", kWords));
  CHECK_FALSE(nearest(std::string(100000, 'x'), kWords));
  CHECK_FALSE(nearest("kind", {}));
}

TEST_CASE("of equally near words the first is taken") {
  constexpr std::array<std::string_view, 2> keys{"train", "trait"};
  CHECK(nearest("traix", keys) == "train");
}

}  // namespace ipfit
