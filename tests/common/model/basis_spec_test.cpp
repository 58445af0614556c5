#include "common/model/basis_spec.h"

#include <catch2/catch.hpp>

using namespace ipfit;

TEST_CASE("the columns of a pair basis are the pairs of elements in order, and within a pair the functions by degree") {
  const BasisSpec spec = PairSpec{{49, 15}, 5.0, 2};
  REQUIRE(column_labels(spec) ==
          std::vector<std::string>{"In-In k=0", "In-In k=1", "In-P k=0", "In-P k=1", "P-P k=0", "P-P k=1"});
  REQUIRE(column_count(spec) == 6);
  REQUIRE(elements_of(spec) == std::vector<std::uint8_t>{49, 15});
  REQUIRE(cutoff_of(spec) == 5.0);
}

TEST_CASE("there are as many columns as labels") {
  for (const std::vector<std::uint8_t>& elements :
       {std::vector<std::uint8_t>{14}, std::vector<std::uint8_t>{8, 14, 6}, std::vector<std::uint8_t>{1, 2, 3, 4, 5}}) {
    const BasisSpec spec = PairSpec{elements, 5.0, 7};
    REQUIRE(static_cast<std::size_t>(column_count(spec)) == column_labels(spec).size());
  }
}
