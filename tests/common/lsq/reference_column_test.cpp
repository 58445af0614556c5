#include "common/lsq/reference_column.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace ipfit;

TEST_CASE("rows come apart into the design matrix and the reference potential") {
  const std::vector<double> rows{1, 2, 3, 10, 4, 5, 6, 20};
  std::vector<double> a(6);
  std::vector<double> reference(2);
  split_reference(rows, 3, a, reference);
  CHECK(a == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(reference == std::vector<double>{10, 20});
}

TEST_CASE("a basis without functions leaves the reference potential alone") {
  std::vector<double> reference(2);
  split_reference(std::vector<double>{7, 8}, 0, {}, reference);
  CHECK(reference == std::vector<double>{7, 8});
}
