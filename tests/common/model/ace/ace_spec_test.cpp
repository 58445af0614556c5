#include "common/model/ace/ace_spec.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "common/model/ace/coupling.h"

using namespace ipfit;

namespace {

AceMultiset any_multiset(std::mt19937_64& engine) {
  const auto below = [&](int end) {
    return static_cast<std::uint8_t>(std::uniform_int_distribution<int>(0, end - 1)(engine));
  };
  AceMultiset multiset{below(2), std::vector<AceLabel>(1 + below(4))};
  for (AceLabel& label : multiset.labels) {
    label = {below(3), below(2), static_cast<std::uint8_t>(1 + below(2))};
  }
  std::sort(multiset.labels.begin(), multiset.labels.end());
  return multiset;
}

}  // namespace

TEST_CASE("columns are ordered by centre, rank, degrees, equalities, then labels") {
  const AceLabel s1{0, 0, 1}, s2{0, 0, 2}, p1{1, 0, 1}, p2{1, 0, 2}, p1_other{1, 1, 1};
  const std::vector<AceMultiset> ascending = {
      {0, {s1}},           {0, {s2}},           {0, {s1, s2}},  // rank before labels
      {0, {s1, s1}},                                            // distinct labels before equal ones
      {0, {p1, p2}},       {0, {p1, p1_other}},                 // smaller n before another element
      {0, {p2, p1_other}}, {0, {p1, p1}},       {0, {p2, p2}},  // the same shape together
      {0, {s1, p1, p2}},   {0, {s2, p1, p2}},   {0, {s1, p1, p1}}, {1, {s1}}};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      CAPTURE(i, j);
      CHECK(column_order(ascending[i], ascending[j]) == (i <=> j));
    }
  }
}

TEST_CASE("the order of columns is strict, and multisets of the same shape stand together") {
  const std::uint64_t seed = 20240611;
  CAPTURE(seed);
  std::mt19937_64 engine(seed);
  std::vector<AceMultiset> multisets;
  for (int i = 0; i < 2000; ++i) {
    multisets.push_back(any_multiset(engine));
  }
  std::sort(multisets.begin(), multisets.end(),
            [](const AceMultiset& a, const AceMultiset& b) { return column_order(a, b) < 0; });
  std::set<std::pair<std::uint8_t, AceShape>> seen;
  for (std::size_t i = 1; i < multisets.size(); ++i) {
    const AceMultiset& a = multisets[i - 1];
    const AceMultiset& b = multisets[i];
    CHECK((column_order(a, b) == 0) == (a == b));
    CHECK((column_order(b, a) <=> 0) == (0 <=> column_order(a, b)));
    if (a.centre != b.centre || shape_of(a) != shape_of(b)) {
      CHECK(seen.emplace(b.centre, shape_of(b)).second);
    }
  }
}

TEST_CASE("a pair of elements has the same bond in either order") {
  AceSpec spec;
  spec.elements = {14, 15, 31};
  std::size_t next = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = a; b < 3; ++b, ++next) {
      CHECK(spec.bond_index(a, b) == next);
      CHECK(spec.bond_index(b, a) == next);
    }
  }
}
