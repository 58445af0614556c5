#include "manager/plan/basis_text.h"

#include <catch2/catch.hpp>

#include "common/fit/basis_choice.h"

namespace ipfit {
namespace {

AceRule rule_of(std::vector<std::uint8_t> elements) {
  AceRule rule;
  rule.elements = std::move(elements);
  rule.cutoff = 5.0;
  return rule;
}

TEST_CASE("an ACE basis is told as functions around each element by rank") {
  AceRule rule = rule_of({14});
  rule.choice = AceChoice::kLists;
  rule.n_max = {15, 3, 2, 2, 1};
  rule.l_max = {0, 2, 2, 1, 1};
  CHECK(basis_text(*resolve_basis(rule)) ==
        "basis    ace: 82 functions, SBessel with n up to 15, harmonics with l up to 2\n"
        "cutoff   5 Å\n"
        "\n"
        "functions (products) around  rank 1  rank 2  rank 3   rank 4  rank 5      all\n"
        "-----------------------------------------------------------------------------\n"
        "Si                               15      18      26  20 (19)       3  82 (81)\n"
        "\n");
}

TEST_CASE("pairs with another cutoff are listed") {
  AceRule rule = rule_of({49, 15});
  rule.pair_cutoffs[{15, 49}] = 6.25;
  rule.order = 2;
  rule.size = 10;
  const std::string text = basis_text(*resolve_basis(rule));
  CHECK(text.find("cutoff   In-In 5 Å, In-P 6.25 Å, P-P 5 Å\n") != std::string::npos);
  CHECK(text.find("\nIn ") != std::string::npos);
  CHECK(text.find("\nP ") != std::string::npos);
}

TEST_CASE("a rank without functions is a dash") {
  AceRule rule = rule_of({14});
  rule.choice = AceChoice::kLists;
  rule.n_max = {4, 0, 2};
  rule.l_max = {0, 0, 1};
  CHECK(basis_text(*resolve_basis(rule)).find("\nSi                                4       -  ") != std::string::npos);
}

TEST_CASE("a pair basis is told as functions of each pair") {
  CHECK(basis_text(PairSpec{{29, 79}, 6.0, 10}) ==
        "basis    pair: 10 functions of the distance for each pair of elements\ncutoff   6 Å\n\n");
}

}  // namespace
}  // namespace ipfit
