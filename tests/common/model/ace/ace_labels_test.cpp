#include "common/model/ace/ace_labels.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "common/model/ace/ace_rule.h"
#include "common/model/ace/coupling.h"

using namespace ipfit;

namespace {

AceSpec four_functions() {
  AceSpec spec;
  spec.elements = {14, 15};
  spec.bonds.resize(3);
  spec.multisets = {
      {0, {{0, 1, 3}}}, {0, {{1, 0, 1}, {1, 0, 1}, {2, 1, 2}}}, {1, {{1, 0, 1}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}}}};
  return spec;
}

}  // namespace

TEST_CASE("a column is named by its centre, its factors and its coupling") {
  const AceSpec spec = four_functions();
  CHECK(column_labels(spec) == std::vector<std::string>{"Si: P(3,0) k=0", "Si: Si(1,1) Si(1,1) P(2,2) k=0",
                                                        "P: Si(1,1) Si(1,1) P(1,1) P(1,1) k=0",
                                                        "P: Si(1,1) Si(1,1) P(1,1) P(1,1) k=1"});
  CHECK(column_count(spec) == 4);
}

TEST_CASE("functions are counted by centre and rank") {
  CHECK(functions_by_rank(four_functions()) == std::vector<AceRankCount>{{0, 1, 1, 1}, {0, 3, 1, 1}, {1, 4, 1, 2}});
  CHECK(functions_by_rank(AceSpec{}).empty());
}

TEST_CASE("the labels of a large basis are unique, and there are as many as columns") {
  AceRule rule;
  rule.elements = {14, 15, 31};
  rule.cutoff = 5.0;
  rule.orthonormal = false;
  rule.order = 6;
  rule.size = 4000;
  const Result<AceSpec> spec = make_ace_spec(rule);
  REQUIRE(spec);
  const std::vector<std::string> labels = column_labels(*spec);
  CHECK(std::set<std::string>(labels.begin(), labels.end()).size() == labels.size());
  CHECK(column_count(*spec) == static_cast<std::int64_t>(labels.size()));
  std::int64_t multisets = 0;
  std::int64_t functions = 0;
  for (const AceRankCount& each : functions_by_rank(*spec)) {
    multisets += each.multisets;
    functions += each.functions;
  }
  CHECK(multisets == static_cast<std::int64_t>(spec->multisets.size()));
  CHECK(functions == column_count(*spec));
}

TEST_CASE("another list of labels has another checksum") {
  const std::vector<std::string> labels = column_labels(four_functions());
  std::vector<std::string> swapped = labels;
  std::swap(swapped[0], swapped[1]);
  CHECK(labels_checksum(labels) == labels_checksum(column_labels(four_functions())));
  CHECK(labels_checksum(swapped) != labels_checksum(labels));
  CHECK(labels_checksum({"a", "b"}) != labels_checksum({"ab"}));
  CHECK(labels_checksum({}) != labels_checksum(labels));
}
