#include "common/fit/repulsion.h"

#include <catch2/catch.hpp>

using namespace ipfit;

namespace {

ReferenceSpec with_ends(double inner, double outer) {
  ReferenceSpec reference;
  reference.zbl = true;
  reference.zbl_inner = inner;
  reference.zbl_outer = outer;
  return reference;
}

}  // namespace

TEST_CASE("without a word there is no repulsion") {
  CHECK_FALSE(zbl_of({}, {14}).has_value());
  CHECK(resolve_zbl({}, {14}).ok());
}

TEST_CASE("ends of a repulsion that are left out come from the elements, or from the one that is given") {
  CHECK(zbl_of(with_ends(0.0, 0.0), {14}) == default_zbl({14}));
  CHECK(zbl_of(with_ends(0.0, 3.0), {14}) == Zbl{1.5, 3.0});
  CHECK(zbl_of(with_ends(0.5, 0.0), {14}) == Zbl{0.5, default_zbl({14}).outer});
  CHECK(zbl_of(with_ends(0.5, 3.0), {14}) == Zbl{0.5, 3.0});
}

TEST_CASE("a resolved reference has its ends written out and means the same") {
  for (const ReferenceSpec& reference : {with_ends(0.0, 0.0), with_ends(0.0, 3.0), with_ends(0.5, 0.0)}) {
    const auto resolved = resolve_zbl(reference, {14, 8});
    REQUIRE(resolved.ok());
    CHECK(resolved->zbl_outer > 0.0);
    CHECK(zbl_of(*resolved, {14, 8}) == zbl_of(reference, {14, 8}));
    CHECK(*resolve_zbl(*resolved, {14, 8}) == *resolved);
  }
}

TEST_CASE("an inner end beyond the bond lengths of the elements is an error") {
  const auto resolved = resolve_zbl(with_ends(2.0, 0.0), {1, 14});
  REQUIRE_FALSE(resolved.ok());
  CHECK(resolved.error().text() ==
        "reference.zbl_inner: is 2 Å, expected less than zbl_outer, which for these elements is 0.74 Å; lower it, or "
        "give zbl_outer as well");
}

TEST_CASE("a repulsion so narrow that no worker takes it is an error, whichever end says so") {
  CHECK(resolve_zbl(with_ends(0.005, 0.0), {14}).error().where == "reference.zbl_inner");
  CHECK(resolve_zbl(with_ends(0.0, 0.015), {14}).error().where == "reference.zbl_outer");
  CHECK(resolve_zbl(with_ends(0.01, 0.02), {14}).ok());
}
