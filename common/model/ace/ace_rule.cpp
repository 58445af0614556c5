#include "common/model/ace/ace_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atoms/element.h"
#include "common/model/ace/ace_rule_limits.h"
#include "common/model/ace/default_cutoff.h"
#include "common/model/ace/enumerate_multisets.h"
#include "common/model/ace/orthonormal_transform.h"
#include "common/model/limits.h"

namespace ipfit {
namespace {

// Levels are counted in twentieths, so that they compare exactly.
constexpr int kParts = 20;
constexpr int kCostOfDegree = 23;

// The level of AceChoice::kSize, in twentieths.
int level_of(const AceMultiset& multiset) {
  const int rank = static_cast<int>(multiset.labels.size());
  int level = kParts * rank;
  int largest_n = 1;
  for (const AceLabel& label : multiset.labels) {
    level += kParts * label.n + kCostOfDegree * label.l;
    largest_n = std::max(largest_n, int{label.n});
  }
  return std::max(level, kParts * rank * largest_n);
}

// A multiset with what its place in the order of kSize depends on.
struct Candidate {
  int level = 0;
  std::int32_t functions = 0;
  AceMultiset multiset;
};

// The multisets of all ranks around one element with a level of more than `level` - 1 and at most `level`, in the order
// of kSize.
std::vector<Candidate> shell(const AceRule& rule, int centre, int level) {
  std::vector<Candidate> found;
  for (int rank = 1; rank <= rule.order && 2 * rank <= level; ++rank) {
    MultisetRange range = range_of(rule, centre, rank);
    range.n_max = std::min(range.n_max, level / rank);
    range.l_max = std::min(range.l_max, level / 2);
    // Where no larger n comes in with this level, only the sum can bring a multiset here.
    const bool wider = level % rank == 0;
    range.sum_n = [=](int sum_l) {
      const int left = kParts * (level - rank) - kCostOfDegree * sum_l;
      const int largest = left < 0 ? 0 : left / kParts;
      return std::pair(wider ? rank : largest, largest);
    };
    for_each_multiset(range, [&](const AceMultiset& multiset, std::int32_t count) {
      if (const int own = level_of(multiset); own > kParts * (level - 1)) {
        found.push_back({own, count, multiset});
      }
      return true;
    });
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    const std::pair place_a(a.level, a.multiset.labels.size());
    const std::pair place_b(b.level, b.multiset.labels.size());
    return place_a != place_b ? place_a < place_b : column_order(a.multiset, b.multiset) < 0;
  });
  return found;
}

// Appends `size` functions around an element; how many of them do not exist.
int take_simplest(const AceRule& rule, int centre, std::vector<AceMultiset>& multisets) {
  constexpr int kCostOfLargestDegree = (kCostOfDegree * AceSpec::kLargestDegree + kParts - 1) / kParts;
  const int largest_level = rule.order * (1 + range_of(rule, centre, rule.order).n_max + kCostOfLargestDegree);
  int missing = rule.size;
  for (int level = 2; missing > 0 && level <= largest_level; ++level) {
    for (Candidate& candidate : shell(rule, centre, level)) {
      if (candidate.functions <= missing) {
        multisets.push_back(std::move(candidate.multiset));
        missing -= candidate.functions;
      }
    }
  }
  return missing;
}

Result<std::vector<AceMultiset>> by_size(const AceRule& rule) {
  std::vector<AceMultiset> multisets;
  for (int centre = 0; centre < static_cast<int>(rule.elements.size()); ++centre) {
    if (const int missing = take_simplest(rule, centre, multisets); missing > 0) {
      return rule_mistake(
          "size",
          fmt::format("order {} has only {} functions around {}, {} asked for", rule.order, rule.size - missing,
                      element_symbol(rule.elements[static_cast<std::size_t>(centre)]), rule.size),
          "lower size or raise order");
    }
  }
  return multisets;
}

Result<std::vector<AceMultiset>> by_range(const AceRule& rule) {
  std::vector<AceMultiset> multisets;
  std::int64_t functions = 0;
  for (int centre = 0; centre < static_cast<int>(rule.elements.size()); ++centre) {
    for (int rank = 1; rank <= highest_rank(rule); ++rank) {
      for_each_multiset(range_of(rule, centre, rank), [&](const AceMultiset& multiset, std::int32_t count) {
        functions += count;
        multisets.push_back(multiset);
        return functions <= kMostColumns;
      });
    }
  }
  const std::string key = rule.choice == AceChoice::kLists ? "n_max" : "degree";
  if (functions > kMostColumns) {
    return rule_mistake(key, fmt::format("more than {} functions", kMostColumns), "choose a smaller basis");
  }
  if (multisets.empty()) {
    return rule_mistake(key, "no function at all", "rank 1 has a function for each n from 1 on");
  }
  return multisets;
}

// The cutoff of the pairs that have none of their own: the longest that the bond lengths of the elements ask for.
double common_cutoff(const AceRule& rule) {
  if (rule.cutoff != 0.0) {
    return rule.cutoff;
  }
  double longest = 0.0;
  for (const std::uint8_t a : rule.elements) {
    for (const std::uint8_t b : rule.elements) {
      longest = std::max(longest, default_cutoff(a, b));
    }
  }
  return longest;
}

// In the order of AceSpec::bonds, without sizes and transforms.
std::vector<AceBond> plain_bonds(const AceRule& rule) {
  const double cutoff = common_cutoff(rule);
  std::vector<AceBond> bonds;
  for (std::size_t a = 0; a < rule.elements.size(); ++a) {
    for (std::size_t b = a; b < rule.elements.size(); ++b) {
      const auto own = rule.pair_cutoffs.find(std::minmax(rule.elements[a], rule.elements[b]));
      AceBond bond;
      bond.family = rule.radial;
      bond.lambda = rule.lambda;
      bond.cutoff = own == rule.pair_cutoffs.end() ? cutoff : own->second;
      bond.cutoff_width = rule.cutoff_width;
      bond.inner_cutoff = rule.inner_cutoff;
      bond.inner_width = rule.inner_width;
      bond.size = 1;
      bonds.push_back(bond);
    }
  }
  return bonds;
}

// Both directions of a pair share its bond.
void complete_bonds(const AceRule& rule, AceSpec& spec) {
  for (const AceMultiset& multiset : spec.multisets) {
    for (const AceLabel& label : multiset.labels) {
      AceBond& bond = spec.bonds[spec.bond_index(multiset.centre, label.element)];
      bond.size = std::max(bond.size, std::int32_t{label.n});
    }
  }
  if (!rule.orthonormal) {
    return;
  }
  // Most pairs have the same functions, and a transform takes milliseconds.
  const std::vector<AceBond> plain = spec.bonds;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto first = static_cast<std::size_t>(std::find(plain.begin(), plain.end(), plain[i]) - plain.begin());
    spec.bonds[i].transform = first < i ? spec.bonds[first].transform : orthonormal_transform(plain[i]);
  }
}

std::vector<Error> check(const AceRule& rule, const std::vector<AceBond>& bonds) {
  std::vector<Error> errors = check_choice(rule);
  for (const AceBond& bond : bonds) {
    if (const std::vector<Error> more = check_bond(bond); !more.empty()) {
      errors.insert(errors.end(), more.begin(), more.end());
      break;  // they differ in their cutoffs only, so the others have the same mistakes
    }
  }
  return errors;
}

}  // namespace

Result<AceSpec> make_ace_spec(const AceRule& rule) {
  AceSpec spec;
  spec.elements = rule.elements;
  spec.bonds = plain_bonds(rule);
  if (std::vector<Error> errors = check(rule, spec.bonds); !errors.empty()) {
    return errors;
  }
  Result<std::vector<AceMultiset>> multisets = rule.choice == AceChoice::kSize ? by_size(rule) : by_range(rule);
  if (!multisets) {
    return multisets.errors();
  }
  spec.multisets = std::move(*multisets);
  std::sort(spec.multisets.begin(), spec.multisets.end(),
            [](const AceMultiset& a, const AceMultiset& b) { return column_order(a, b) < 0; });
  complete_bonds(rule, spec);
  return spec;
}

}  // namespace ipfit
