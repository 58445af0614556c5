#include "common/fit/basis_choice.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "common/model/ace/default_cutoff.h"

namespace ipfit {
namespace {

AceRule small_rule() {
  AceRule rule;
  rule.elements = {49, 15};
  rule.size = 30;
  return rule;
}

TEST_CASE("a pair basis means what it says") {
  const PairSpec pair{{49, 15}, 5.0, 3};
  CHECK(*resolve_basis(pair) == BasisSpec(pair));
  CHECK(with_cutoff(pair, pair) == BasisChoice(pair));
}

TEST_CASE("an ACE basis without a cutoff has the one of its bond lengths, which can be written out") {
  const AceRule rule = small_rule();
  const auto spec = resolve_basis(rule);
  REQUIRE(spec.ok());
  CHECK(cutoff_of(*spec) == std::max({default_cutoff(49, 49), default_cutoff(49, 15), default_cutoff(15, 15)}));
  const AceRule settled = std::get<AceRule>(with_cutoff(rule, *spec));
  CHECK(settled.cutoff == cutoff_of(*spec));
  CHECK(*resolve_basis(settled) == *spec);
}

TEST_CASE("writing the cutoff out changes nothing, whichever pairs have their own") {
  REQUIRE(rc::check([] {
    AceRule rule = small_rule();
    for (const std::pair<std::uint8_t, std::uint8_t> pair : {std::pair{15, 15}, std::pair{15, 49}, std::pair{49, 49}}) {
      if (*rc::gen::arbitrary<bool>()) {
        rule.pair_cutoffs[pair] = *rc::gen::element(4.0, 5.5, 9.0);
      }
    }
    rule.cutoff = *rc::gen::element(0.0, 6.0);
    const auto spec = resolve_basis(rule);
    RC_ASSERT(spec.ok());
    const BasisChoice settled = with_cutoff(rule, *spec);
    RC_ASSERT(std::get<AceRule>(settled).cutoff > 0.0);
    RC_ASSERT(std::get<AceRule>(settled).pair_cutoffs == rule.pair_cutoffs);
    RC_ASSERT(*resolve_basis(settled) == *spec);
  }));
}

TEST_CASE("what is wrong with a rule names the key") {
  AceRule rule = small_rule();
  rule.order = 1;
  rule.size = 1000;
  CHECK(resolve_basis(rule).error().where == "basis.size");
  rule = small_rule();
  rule.inner_cutoff = 8.0;
  rule.inner_width = 1.0;
  rule.cutoff = 7.0;
  CHECK(resolve_basis(rule).error().where == "basis.inner_cutoff");
  rule = small_rule();
  rule.pair_cutoffs[{14, 15}] = 5.0;
  CHECK(resolve_basis(rule).error().where == "basis.pair_cutoffs");
}

TEST_CASE("a basis whose couplings no worker could find in time is refused") {
  AceRule rule;
  rule.elements = {14};
  rule.choice = AceChoice::kLists;
  rule.n_max = {1, 1, 1, 1, 1, 1};
  rule.l_max = {0, 0, 0, 0, 0, 8};
  const auto spec = resolve_basis(rule);
  REQUIRE_FALSE(spec.ok());
  CHECK(spec.error().where == "basis");
  CHECK(spec.error().what.find("couplings") != std::string::npos);
}

}  // namespace
}  // namespace ipfit
