#include "common/model/ace/ace_rule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "common/model/ace/ace_labels.h"
#include "common/model/ace/coupling.h"
#include "common/model/ace/default_cutoff.h"
#include "common/model/ace/enumerate_multisets.h"
#include "common/model/ace/orthonormal_transform.h"

using namespace ipfit;

namespace {

AceRule by_size(std::vector<std::uint8_t> elements, int order, int size) {
  AceRule rule;
  rule.elements = std::move(elements);
  rule.cutoff = 5.0;
  rule.orthonormal = false;
  rule.order = order;
  rule.size = size;
  return rule;
}

AceRule by_degree(std::vector<std::uint8_t> elements, std::vector<double> degree, double wl) {
  AceRule rule = by_size(std::move(elements), 4, 1);
  rule.choice = AceChoice::kDegree;
  rule.degree = std::move(degree);
  rule.wl = wl;
  return rule;
}

AceRule by_lists(std::vector<std::uint8_t> elements, std::vector<int> n_max, std::vector<int> l_max) {
  AceRule rule = by_size(std::move(elements), 4, 1);
  rule.choice = AceChoice::kLists;
  rule.n_max = std::move(n_max);
  rule.l_max = std::move(l_max);
  return rule;
}

AceSpec spec_of(const AceRule& rule) {
  Result<AceSpec> spec = make_ace_spec(rule);
  if (!spec) {
    FAIL(spec.error().text());
  }
  return std::move(*spec);
}

// Functions around the element, by rank from 1 on.
std::vector<std::int64_t> ranks_of(const AceSpec& spec, std::uint8_t centre) {
  std::vector<std::int64_t> functions;
  for (const AceRankCount& each : functions_by_rank(spec)) {
    if (each.centre == centre) {
      functions.resize(static_cast<std::size_t>(each.rank), 0);
      functions.back() = each.functions;
    }
  }
  return functions;
}

// The level, times 100 to be an integer.
int level_of(const AceMultiset& multiset) {
  const int rank = static_cast<int>(multiset.labels.size());
  int sum = 100 * rank;
  int largest_n = 0;
  for (const AceLabel& label : multiset.labels) {
    sum += 100 * label.n + 115 * label.l;
    largest_n = std::max<int>(largest_n, label.n);
  }
  return std::max(sum, 100 * rank * largest_n);
}

// All multisets with a level up to a bound, from a box around them, sorted, and taken while they fit.
std::vector<AceMultiset> dumb_choice(int elements, int centre, int order, int size, int largest_level) {
  std::vector<AceMultiset> all;
  for (int rank = 1; rank <= order; ++rank) {
    MultisetRange range;
    range.elements = elements;
    range.centre = centre;
    range.rank = rank;
    range.n_max = largest_level;
    range.l_max = rank == 1 ? 0 : 10;
    range.sum_n = [&](int sum_l) { return std::pair(rank, largest_level - rank - sum_l); };
    for_each_multiset(range, [&](const AceMultiset& multiset, std::int32_t) {
      if (level_of(multiset) <= 100 * largest_level) {
        all.push_back(multiset);
      }
      return true;
    });
  }
  std::sort(all.begin(), all.end(), [](const AceMultiset& a, const AceMultiset& b) {
    const std::pair level_a(level_of(a), a.labels.size());
    const std::pair level_b(level_of(b), b.labels.size());
    return level_a != level_b ? level_a < level_b : column_order(a, b) < 0;
  });
  std::vector<AceMultiset> taken;
  for (const AceMultiset& multiset : all) {
    const std::int32_t count = coupling_count(shape_of(multiset));
    if (count <= size) {
      taken.push_back(multiset);
      size -= count;
    }
  }
  REQUIRE(size == 0);
  std::sort(taken.begin(), taken.end(),
            [](const AceMultiset& a, const AceMultiset& b) { return column_order(a, b) < 0; });
  return taken;
}

// The first error of a rule, as "key: what".
std::string refusal(const AceRule& rule) {
  const Result<AceSpec> spec = make_ace_spec(rule);
  if (spec) {
    return "accepted";
  }
  CHECK(spec.error().kind == ErrorKind::kInput);
  return spec.error().where + ": " + spec.error().what;
}

}  // namespace

TEST_CASE("a size gives exactly so many functions around each element") {
  for (const int size : {1, 2, 17, 100, 333, 1000}) {
    for (const int order : {2, 3, 4, 6}) {
      CAPTURE(size, order);
      const AceSpec one = spec_of(by_size({14}, order, size));
      CHECK(column_count(one) == size);
      const AceSpec three = spec_of(by_size({14, 15, 31}, order, size));
      std::map<int, std::int64_t> functions;
      for (const AceRankCount& each : functions_by_rank(three)) {
        functions[each.centre] += each.functions;
      }
      CHECK(functions == std::map<int, std::int64_t>{{0, size}, {1, size}, {2, size}});
    }
  }
}

TEST_CASE("a size takes the simplest functions first, and passes over what does not fit") {
  // Some of these sizes end inside a multiset of several functions.
  for (const int size : {5, 60, 345, 346, 347, 350, 795, 796, 797}) {
    CAPTURE(size);
    CHECK(spec_of(by_size({14}, 4, size)).multisets == dumb_choice(1, 0, 4, size, 19));
  }
  std::vector<AceMultiset> both = dumb_choice(2, 0, 5, 250, 12);
  const std::vector<AceMultiset> second = dumb_choice(2, 1, 5, 250, 12);
  both.insert(both.end(), second.begin(), second.end());
  CHECK(spec_of(by_size({14, 8}, 5, 250)).multisets == both);
}

TEST_CASE("a size bounds n and l of each rank, and the bounds grow with it") {
  const auto bounds = [](int size, int order) {
    std::map<int, std::pair<int, int>> largest;  // by rank: of n, of l
    for (const AceMultiset& multiset : spec_of(by_size({14}, order, size)).multisets) {
      auto& [n, l] = largest[static_cast<int>(multiset.labels.size())];
      for (const AceLabel& label : multiset.labels) {
        n = std::max<int>(n, label.n);
        l = std::max<int>(l, label.l);
      }
    }
    return largest;
  };
  CHECK(bounds(1040, 4) == std::map<int, std::pair<int, int>>{{1, {17, 0}}, {2, {9, 6}}, {3, {6, 5}}, {4, {4, 4}}});
  CHECK(bounds(320, 3) == std::map<int, std::pair<int, int>>{{1, {15, 0}}, {2, {8, 5}}, {3, {5, 4}}});
  // Of a small and a large size that end with a level the large one has all functions of the small one; others differ
  // by a multiset or two that were passed over.
  const auto small = spec_of(by_size({14, 8}, 4, 200)).multisets;
  const auto large = spec_of(by_size({14, 8}, 4, 800)).multisets;
  const auto in_large = std::count_if(small.begin(), small.end(), [&](const AceMultiset& multiset) {
    return std::find(large.begin(), large.end(), multiset) != large.end();
  });
  CHECK(in_large == static_cast<std::ptrdiff_t>(small.size()));
}

TEST_CASE("a degree gives the known numbers of functions") {
  const std::vector<double> ten(5, 10.0);
  CHECK(ranks_of(spec_of(by_degree({14}, ten, 1.5)), 0) == std::vector<std::int64_t>{10, 41, 59, 46, 27});
  CHECK(ranks_of(spec_of(by_degree({14}, ten, 1.0)), 0) == std::vector<std::int64_t>{10, 55, 100, 87, 46});
  const AceSpec two = spec_of(by_degree({14, 8}, std::vector<double>(5, 8.0), 1.5));
  CHECK(ranks_of(two, 0) == std::vector<std::int64_t>{16, 85, 148, 137, 88});
  CHECK(ranks_of(two, 1) == ranks_of(two, 0));
}

TEST_CASE("a degree is not missed by rounding") {
  // n = 1 and 1, l = 1 and 1: 2 + 2 * 0.7 is 3.4 on paper, and three times 1.1 is not 3.3 in binary.
  CHECK(ranks_of(spec_of(by_degree({14}, {1.0, 3.4}, 0.7)), 0) == std::vector<std::int64_t>{1, 3});
  CHECK(ranks_of(spec_of(by_degree({14}, {1.0, 2.0 + 6 * 0.1}, 0.1)), 0) == std::vector<std::int64_t>{1, 4});
}

TEST_CASE("lists per rank give the known numbers of functions") {
  CHECK(ranks_of(spec_of(by_lists({14}, {15, 3, 2, 2, 1}, {0, 2, 2, 1, 1})), 0) ==
        std::vector<std::int64_t>{15, 18, 26, 20, 3});
  CHECK(ranks_of(spec_of(by_lists({14}, {15, 6, 4, 3, 2, 2}, {0, 3, 3, 2, 2, 1})), 0) ==
        std::vector<std::int64_t>{15, 84, 304, 300, 192, 50});
  CHECK(ranks_of(spec_of(by_lists({14}, {0, 2}, {3, 1})), 0) == std::vector<std::int64_t>{0, 6});
}

TEST_CASE("multisets are in column order, without repetition, and all have couplings") {
  for (const AceRule& rule : {by_size({14, 8, 1}, 5, 500), by_degree({14, 8}, {8.0, 8.0, 8.0, 7.0}, 1.2),
                              by_lists({8, 14}, {6, 3, 2, 1}, {0, 3, 2, 2})}) {
    const AceSpec spec = spec_of(rule);
    CHECK(spec.elements == rule.elements);
    for (std::size_t i = 0; i < spec.multisets.size(); ++i) {
      CHECK(std::is_sorted(spec.multisets[i].labels.begin(), spec.multisets[i].labels.end()));
      CHECK(coupling_count(shape_of(spec.multisets[i])) > 0);
      CHECK((i == 0 || column_order(spec.multisets[i - 1], spec.multisets[i]) < 0));
    }
  }
}

TEST_CASE("no function has more distinct elements than allowed, the centre included") {
  AceRule rule = by_lists({14, 8, 1}, {3, 2, 2}, {0, 1, 1});
  const AceSpec all = spec_of(rule);
  rule.max_elements = {2, 3, 2};
  std::vector<AceMultiset> expected = all.multisets;
  std::erase_if(expected, [&](const AceMultiset& multiset) {
    std::set<std::uint8_t> elements{multiset.centre};
    for (const AceLabel& label : multiset.labels) {
      elements.insert(label.element);
    }
    return static_cast<int>(elements.size()) > rule.max_elements[multiset.labels.size() - 1];
  });
  CHECK(expected.size() < all.multisets.size());
  CHECK(spec_of(rule).multisets == expected);
}

TEST_CASE("a bond has as many radial functions as either direction uses, and at least one") {
  const AceSpec spec = spec_of(by_size({14, 8}, 3, 120));
  std::vector<int> largest(3, 1);
  for (const AceMultiset& multiset : spec.multisets) {
    for (const AceLabel& label : multiset.labels) {
      int& n = largest[static_cast<std::size_t>(multiset.centre + label.element)];
      n = std::max(n, static_cast<int>(label.n));
    }
  }
  REQUIRE(spec.bonds.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(spec.bonds[i].size == largest[i]);
    CHECK(spec.bonds[i].transform.empty());
  }
  AceRule alone = by_lists({14, 8}, {4}, {0});
  alone.max_elements = {1};
  const AceSpec apart = spec_of(alone);
  CHECK(apart.bonds[0].size == 4);
  CHECK(apart.bonds[1].size == 1);
  CHECK(apart.bonds[2].size == 4);
}

TEST_CASE("bonds have what the rule says of radial functions") {
  AceRule rule = by_lists({14, 8}, {4}, {0});
  rule.radial = RadialFamily::kChebExpCos;
  rule.lambda = 3.0;
  rule.cutoff_width = 0.4;
  rule.inner_cutoff = 1.5;
  rule.inner_width = 0.5;
  rule.orthonormal = true;
  rule.pair_cutoffs = {{{8, 14}, 4.0}};
  const AceSpec spec = spec_of(rule);
  for (const AceBond& bond : spec.bonds) {
    CHECK(bond.family == rule.radial);
    CHECK(bond.lambda == rule.lambda);
    CHECK(bond.cutoff_width == rule.cutoff_width);
    CHECK(bond.inner_cutoff == rule.inner_cutoff);
    CHECK(bond.inner_width == rule.inner_width);
    CHECK(bond.transform == orthonormal_transform(bond));
  }
  CHECK(spec.bonds[0].cutoff == 5.0);
  CHECK(spec.bonds[1].cutoff == 4.0);
  CHECK(spec.bonds[2].cutoff == 5.0);
}

TEST_CASE("without a cutoff all pairs have the longest that their bond lengths ask for") {
  AceRule rule = by_size({1, 55}, 2, 10);
  rule.cutoff = 0.0;
  rule.pair_cutoffs = {{{1, 1}, 2.5}};
  const AceSpec spec = spec_of(rule);
  const double longest = std::max({default_cutoff(1, 1), default_cutoff(1, 55), default_cutoff(55, 55)});
  CHECK(spec.bonds[0].cutoff == 2.5);
  CHECK(spec.bonds[1].cutoff == longest);
  CHECK(spec.bonds[2].cutoff == longest);
}

TEST_CASE("rules that make no sense are refused by the key at fault") {
  CHECK(refusal(by_size({14}, 0, 10)) == "order: order is 0, expected 1 to 6");
  CHECK(refusal(by_size({14}, 7, 10)) == "order: order is 7, expected 1 to 6");
  CHECK(refusal(by_size({14}, 4, 0)) == "size: size is 0, expected at least 1");
  CHECK(refusal(by_size({14, 8}, 4, 500001)) ==
        "size: 500001 functions around each of 2 elements, expected at most 1000000 in all");
  CHECK(refusal(by_size({14}, 1, 100)) == "size: order 1 has only 99 functions around Si, 100 asked for");
  CHECK(refusal(by_degree({14}, {}, 1.5)) == "degree: degree has 0 numbers, expected 1 to 6, one for each rank");
  CHECK(refusal(by_degree({14}, std::vector<double>(7, 3.0), 1.5)) ==
        "degree: degree has 7 numbers, expected 1 to 6, one for each rank");
  CHECK(refusal(by_degree({14}, {5.0}, 0.0)) == "wl: wl is 0, must be > 0");
  CHECK(refusal(by_degree({14}, {100.0}, 1.5)) == "degree: degree of rank 1 is 100, expected 0 to less than 100");
  CHECK(refusal(by_degree({14}, {-1.0}, 1.5)) == "degree: degree of rank 1 is -1, expected 0 to less than 100");
  CHECK(refusal(by_degree({14}, {9.0, 24.0}, 1.0)) ==
        "degree: degree 24 of rank 2 with wl 1 asks for l = 11, expected at most 10");
  CHECK(refusal(by_degree({14}, {5.0, 5.0}, 1e-300)).starts_with("degree: degree 5 of rank 2 with wl 1e-300 asks"));
  CHECK(refusal(by_degree({14}, {0.5, 1.5}, 1.5)) == "degree: no function at all");
  CHECK(refusal(by_lists({14}, {3, 2}, {0})) == "l_max: l_max has 1 numbers and n_max 2, expected as many");
  CHECK(refusal(by_lists({14}, {100}, {0})) == "n_max: n_max of rank 1 is 100, expected 0 to 99");
  CHECK(refusal(by_lists({14}, {9, 3}, {0, 11})) == "l_max: l_max of rank 2 is 11, expected 0 to 10");
  CHECK(refusal(by_lists({14}, {0, 0}, {0, 2})) == "n_max: no function at all");
  CHECK(refusal(by_lists({14, 8}, {9, 9, 9, 9, 9}, {0, 5, 5, 5, 5})) == "n_max: more than 1000000 functions");
  AceRule rule = by_size({14}, 4, 10);
  rule.max_elements = {2, 2};
  CHECK(refusal(rule) == "max_elements: max_elements has 2 numbers, expected one for each of the 4 ranks");
  rule.max_elements = {2, 2, 2, 0};
  CHECK(refusal(rule) == "max_elements: max_elements of rank 4 is 0, expected 1 to 118");
}

TEST_CASE("radial functions that do not exist are refused by the key at fault") {
  const auto with = [](auto change) {
    AceRule rule = by_size({14}, 4, 10);
    rule.radial = RadialFamily::kChebExpCos;
    change(rule);
    return refusal(rule);
  };
  CHECK(with([](AceRule& r) { r.cutoff = -1.0; }) == "cutoff: cutoff is -1 Å, must be > 0");
  CHECK(with([](AceRule& r) { r.lambda = 0.0; }) == "lambda: lambda is 0, must be > 0");
  CHECK(with([](AceRule& r) { r.cutoff_width = 6.0; }) ==
        "cutoff_width: cutoff_width is 6 Å, expected more than 0 and at most the cutoff, 5 Å");
  CHECK(with([](AceRule& r) { r.inner_cutoff = 5.0, r.inner_width = 1.0; }) ==
        "inner_cutoff: inner_cutoff is 5 Å, expected 0 to less than the cutoff, 5 Å");
  CHECK(with([](AceRule& r) { r.inner_cutoff = 1.0, r.inner_width = 2.0; }) ==
        "inner_width: inner_width is 2 Å, expected more than 0 and at most inner_cutoff, 1 Å");
  CHECK(with([](AceRule& r) { r.inner_cutoff = 1.0; }) ==
        "inner_width: inner_width is 0 Å, expected more than 0 and at most inner_cutoff, 1 Å");
}

TEST_CASE("all mistakes of a rule are reported") {
  AceRule rule = by_size({14}, 9, -3);
  rule.inner_cutoff = 7.0;
  const Result<AceSpec> spec = make_ace_spec(rule);
  REQUIRE_FALSE(spec);
  std::vector<std::string> keys;
  for (const Error& error : spec.errors()) {
    keys.push_back(error.where);
  }
  CHECK(keys == std::vector<std::string>{"order", "size", "inner_cutoff", "inner_width"});
}
