#include "common/model/ace/ace_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/atoms/element.h"
#include "common/model/ace/default_cutoff.h"
#include "common/model/ace/enumerate_multisets.h"
#include "common/model/ace/radial.h"

namespace ipfit {
namespace {

constexpr int kLargestN = 99;
constexpr std::int64_t kMostFunctions = 1'000'000;
// So that a degree of 4.4 has room for n = 3 and l = 2 at 0.7 each, whichever way the sum is rounded.
constexpr double kRounding = 1e-9;

Error mistake(const std::string& key, std::string what, std::string remedy) {
  return {ErrorKind::kInput, key, std::move(what), std::move(remedy)};
}

const std::string kSmaller = "choose a smaller basis";

int highest_rank(const AceRule& rule) {
  switch (rule.choice) {
    case AceChoice::kSize:
      return rule.order;
    case AceChoice::kDegree:
      return static_cast<int>(rule.degree.size());
    case AceChoice::kLists:
      return static_cast<int>(rule.n_max.size());
  }
  return 0;
}

// The largest l of any function of a rank: the largest degree of a product is at most the sum of the others.
int largest_degree(double level, int rank, double wl) {
  if (rank == 1 || level < rank) {
    return 0;
  }
  constexpr double kFarTooLarge = 1e6;
  return static_cast<int>(std::min((level - rank) / (2.0 * wl) + kRounding, kFarTooLarge));
}

void check_size(const AceRule& rule, std::vector<Error>& errors) {
  if (rule.order < 1 || rule.order > AceSpec::kLargestRank) {
    errors.push_back(
        mistake("order", fmt::format("order is {}, expected 1 to {}", rule.order, AceSpec::kLargestRank), ""));
  }
  if (rule.size < 1) {
    errors.push_back(mistake("size", fmt::format("size is {}, expected at least 1", rule.size), ""));
  } else if (rule.size * static_cast<std::int64_t>(rule.elements.size()) > kMostFunctions) {
    errors.push_back(mistake("size",
                             fmt::format("{} functions around each of {} elements, expected at most {} in all",
                                         rule.size, rule.elements.size(), kMostFunctions),
                             kSmaller));
  }
}

void check_length(const char* key, std::size_t length, std::vector<Error>& errors) {
  if (length < 1 || length > AceSpec::kLargestRank) {
    errors.push_back(mistake(
        key, fmt::format("{} has {} numbers, expected 1 to {}, one for each rank", key, length, AceSpec::kLargestRank),
        ""));
  }
}

void check_degree(const AceRule& rule, std::vector<Error>& errors) {
  check_length("degree", rule.degree.size(), errors);
  if (!(rule.wl > 0.0)) {
    errors.push_back(mistake("wl", fmt::format("wl is {}, must be > 0", rule.wl), "1 to 2 is usual"));
    return;
  }
  for (std::size_t i = 0; i < rule.degree.size(); ++i) {
    const int rank = static_cast<int>(i) + 1;
    const double level = rule.degree[i];
    if (!(level >= 0.0 && level < rank + kLargestN)) {
      errors.push_back(mistake(
          "degree", fmt::format("degree of rank {} is {}, expected 0 to less than {}", rank, level, rank + kLargestN),
          fmt::format("n goes up to {}", kLargestN)));
    } else if (largest_degree(level, rank, rule.wl) > AceSpec::kLargestDegree) {
      errors.push_back(
          mistake("degree",
                  fmt::format("degree {} of rank {} with wl {} asks for l = {}, expected at most {}", level, rank,
                              rule.wl, largest_degree(level, rank, rule.wl), AceSpec::kLargestDegree),
                  "lower the degree or raise wl"));
    }
  }
}

void check_entries(const char* key, const std::vector<int>& entries, int least, int most, std::vector<Error>& errors) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] < least || entries[i] > most) {
      errors.push_back(
          mistake(key, fmt::format("{} of rank {} is {}, expected {} to {}", key, i + 1, entries[i], least, most), ""));
    }
  }
}

void check_lists(const AceRule& rule, std::vector<Error>& errors) {
  check_length("n_max", rule.n_max.size(), errors);
  if (rule.l_max.size() != rule.n_max.size()) {
    errors.push_back(mistake(
        "l_max",
        fmt::format("l_max has {} numbers and n_max {}, expected as many", rule.l_max.size(), rule.n_max.size()),
        "give one number for each rank in both; the l_max of rank 1 is 0"));
  }
  check_entries("n_max", rule.n_max, 0, kLargestN, errors);
  check_entries("l_max", rule.l_max, 0, AceSpec::kLargestDegree, errors);
}

std::vector<Error> check(const AceRule& rule) {
  std::vector<Error> errors;
  switch (rule.choice) {
    case AceChoice::kSize:
      check_size(rule, errors);
      break;
    case AceChoice::kDegree:
      check_degree(rule, errors);
      break;
    case AceChoice::kLists:
      check_lists(rule, errors);
      break;
  }
  check_entries("max_elements", rule.max_elements, 1, kLargestAtomicNumber, errors);
  if (!rule.max_elements.empty() && static_cast<int>(rule.max_elements.size()) != highest_rank(rule)) {
    errors.push_back(mistake("max_elements",
                             fmt::format("max_elements has {} numbers, expected one for each of the {} ranks",
                                         rule.max_elements.size(), highest_rank(rule)),
                             ""));
  }
  return errors;
}

MultisetRange range_of(const AceRule& rule, int centre, int rank) {
  MultisetRange range;
  range.elements = static_cast<int>(rule.elements.size());
  range.centre = centre;
  range.rank = rank;
  range.n_max = kLargestN;
  range.l_max = rank == 1 ? 0 : AceSpec::kLargestDegree;
  range.max_elements = rule.max_elements.empty() ? 0 : rule.max_elements[static_cast<std::size_t>(rank - 1)];
  return range;
}

// The multisets of one rank around one element with rank + sum of n + sum of l = p, in column order.
std::vector<std::pair<AceMultiset, std::int32_t>> shell(const AceRule& rule, int centre, int rank, int p) {
  MultisetRange range = range_of(rule, centre, rank);
  range.l_max = std::min(range.l_max, p / 2);
  range.sum_n = [&](int sum_l) { return std::pair(p - rank - sum_l, p - rank - sum_l); };
  std::vector<std::pair<AceMultiset, std::int32_t>> found;
  for_each_multiset(range, [&](const AceMultiset& multiset, std::int32_t count) {
    found.emplace_back(multiset, count);
    return true;
  });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return column_order(a.first, b.first) < 0; });
  return found;
}

// Appends `size` functions around an element; how many of them do not exist.
int take_simplest(const AceRule& rule, int centre, std::vector<AceMultiset>& multisets) {
  int missing = rule.size;
  for (int p = 2; missing > 0 && p <= rule.order * (1 + kLargestN + AceSpec::kLargestDegree); ++p) {
    for (int rank = 1; rank <= rule.order && 2 * rank <= p && missing > 0; ++rank) {
      for (auto& [multiset, count] : shell(rule, centre, rank, p)) {
        if (count <= missing) {
          multisets.push_back(std::move(multiset));
          missing -= count;
        }
      }
    }
  }
  return missing;
}

Result<std::vector<AceMultiset>> by_size(const AceRule& rule) {
  std::vector<AceMultiset> multisets;
  for (int centre = 0; centre < static_cast<int>(rule.elements.size()); ++centre) {
    if (const int missing = take_simplest(rule, centre, multisets); missing > 0) {
      return mistake(
          "size",
          fmt::format("order {} has only {} functions around {}, {} asked for", rule.order, rule.size - missing,
                      element_symbol(rule.elements[static_cast<std::size_t>(centre)]), rule.size),
          "lower size or raise order");
    }
  }
  return multisets;
}

// Bounds of the sum of the n for the two choices that list whole ranges.
std::pair<int, int> sum_n_bounds(const AceRule& rule, int rank, int sum_l) {
  const auto at = static_cast<std::size_t>(rank - 1);
  if (rule.choice == AceChoice::kLists) {
    return {rank, rank * rule.n_max[at]};
  }
  return {rank, static_cast<int>(std::floor(rule.degree[at] - rule.wl * sum_l + kRounding))};
}

Result<std::vector<AceMultiset>> by_range(const AceRule& rule) {
  std::vector<AceMultiset> multisets;
  std::int64_t functions = 0;
  for (int centre = 0; centre < static_cast<int>(rule.elements.size()); ++centre) {
    for (int rank = 1; rank <= highest_rank(rule); ++rank) {
      MultisetRange range = range_of(rule, centre, rank);
      const auto at = static_cast<std::size_t>(rank - 1);
      if (rule.choice == AceChoice::kLists) {
        range.n_max = rule.n_max[at];
        range.l_max = rank == 1 ? 0 : rule.l_max[at];
      } else {
        range.l_max = largest_degree(rule.degree[at], rank, rule.wl);
      }
      range.sum_n = [&](int sum_l) { return sum_n_bounds(rule, rank, sum_l); };
      for_each_multiset(range, [&](const AceMultiset& multiset, std::int32_t count) {
        functions += count;
        multisets.push_back(multiset);
        return functions <= kMostFunctions;
      });
    }
  }
  const std::string key = rule.choice == AceChoice::kLists ? "n_max" : "degree";
  if (functions > kMostFunctions) {
    return mistake(key, fmt::format("more than {} functions", kMostFunctions), kSmaller);
  }
  if (multisets.empty()) {
    return mistake(key, "no function at all", "rank 1 has a function for each n from 1");
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
void set_bonds(const AceRule& rule, AceSpec& spec) {
  spec.bonds = plain_bonds(rule);
  for (const AceMultiset& multiset : spec.multisets) {
    for (const AceLabel& label : multiset.labels) {
      AceBond& bond = spec.bonds[spec.bond_index(multiset.centre, label.element)];
      bond.size = std::max(bond.size, std::int32_t{label.n});
    }
  }
  if (rule.orthonormal) {
    for (AceBond& bond : spec.bonds) {
      bond.transform = orthonormal_transform(bond);
    }
  }
}

}  // namespace

Result<AceSpec> make_ace_spec(const AceRule& rule) {
  if (std::vector<Error> errors = check(rule); !errors.empty()) {
    return errors;
  }
  Result<std::vector<AceMultiset>> multisets = rule.choice == AceChoice::kSize ? by_size(rule) : by_range(rule);
  if (!multisets) {
    return multisets.errors();
  }
  AceSpec spec;
  spec.elements = rule.elements;
  spec.multisets = std::move(*multisets);
  std::sort(spec.multisets.begin(), spec.multisets.end(),
            [](const AceMultiset& a, const AceMultiset& b) { return column_order(a, b) < 0; });
  set_bonds(rule, spec);
  return spec;
}

}  // namespace ipfit
