#include "worker/self_test.h"

#include <catch2/catch.hpp>

#include "common/model/probe.h"

using namespace ipfit;

TEST_CASE("this build computes the numbers of the probe") {
  const Status status = check_self_test(self_test());
  INFO((status ? "" : status.error().text()));
  REQUIRE(status.ok());
}

TEST_CASE("the self-test is the same to the last bit every time") {
  REQUIRE(self_test() == self_test());
}
