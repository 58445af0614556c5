#include "common/model/column_factors.h"

#include <catch2/catch.hpp>

#include "common/model/ace/ace_labels.h"
#include "common/model/ace/ace_rule.h"

using namespace ipfit;

TEST_CASE("a function of the pair basis is one factor with n = k + 1 and l = 0") {
  const auto factors = column_factors(BasisSpec(PairSpec{{14, 8}, 5.0, 4}));
  REQUIRE(factors.size() == 12);
  for (std::size_t column = 0; column < 12; ++column) {
    CHECK(factors[column] == std::vector<ColumnFactor>{{static_cast<std::int32_t>(column % 4) + 1, 0}});
  }
}

TEST_CASE("there is an entry for every column of an ACE basis, with the degrees that its label names") {
  AceRule rule;
  rule.elements = {14, 15};
  rule.size = 300;
  const Result<AceSpec> spec = make_ace_spec(rule);
  REQUIRE(spec.ok());
  const auto factors = column_factors(BasisSpec(*spec));
  const std::vector<std::string> labels = column_labels(*spec);
  REQUIRE(factors.size() == labels.size());
  // The label of a column reads "Si: Si(1,1) P(2,2) k=0", n before l.
  for (std::size_t column = 0; column < labels.size(); ++column) {
    std::string expected;
    for (const ColumnFactor& factor : factors[column]) {
      expected += "(" + std::to_string(factor.n) + "," + std::to_string(factor.l) + ")";
    }
    std::string found;
    for (std::size_t open = labels[column].find('('); open != std::string::npos;
         open = labels[column].find('(', open + 1)) {
      found += labels[column].substr(open, labels[column].find(')', open) + 1 - open);
    }
    CHECK(found == expected);
  }
}
