#include "common/vectors.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace ipfit;

TEST_CASE("vectors are the best of this processor, or those that are asked for where they are there") {
  const char* before = std::getenv("IPFIT_VECTORS");
  const std::string saved = before == nullptr ? "" : before;
  unsetenv("IPFIT_VECTORS");
  CHECK_FALSE(unusable_vectors());
  CHECK(has_vectors("baseline"));
  CHECK_FALSE(has_vectors("abacus"));
  const std::string best{chosen_vectors()};
  CHECK(has_vectors(best));
  CHECK((best == "avx512" || !has_vectors("avx512")));
  for (const std::string wanted : {"baseline", "avx2", "avx512"}) {
    setenv("IPFIT_VECTORS", wanted.c_str(), 1);
    CHECK(chosen_vectors() == (has_vectors(wanted) ? wanted : "baseline"));
    CHECK(unusable_vectors().has_value() == !has_vectors(wanted));
  }
  setenv("IPFIT_VECTORS", "abacus", 1);
  REQUIRE(unusable_vectors());
  CHECK(unusable_vectors()->text() ==
        "IPFIT_VECTORS: is \"abacus\", expected \"baseline\", \"avx2\" or \"avx512\", and a processor that has it; "
        "correct or unset this environment variable");
  if (before == nullptr) {
    unsetenv("IPFIT_VECTORS");
  } else {
    setenv("IPFIT_VECTORS", saved.c_str(), 1);
  }
}
