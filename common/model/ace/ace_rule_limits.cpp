#include "common/model/ace/ace_rule_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/atoms/element.h"
#include "common/model/limits.h"

namespace ipfit {
namespace {

// So that a degree of 4.4 has room for n = 3 and l = 2 at 0.7 each, whichever way the sum is rounded.
constexpr double kRounding = 1e-9;

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
        rule_mistake("order", fmt::format("order is {}, expected 1 to {}", rule.order, AceSpec::kLargestRank), ""));
  }
  if (rule.size < 1) {
    errors.push_back(rule_mistake("size", fmt::format("size is {}, expected at least 1", rule.size), ""));
  } else if (rule.size * static_cast<std::int64_t>(rule.elements.size()) > kMostColumns) {
    errors.push_back(rule_mistake("size",
                                  fmt::format("{} functions around each of {} elements, expected at most {} in all",
                                              rule.size, rule.elements.size(), kMostColumns),
                                  "choose a smaller basis"));
  }
}

void check_length(const char* key, std::size_t length, std::vector<Error>& errors) {
  if (length < 1 || length > AceSpec::kLargestRank) {
    errors.push_back(rule_mistake(
        key, fmt::format("{} has {} numbers, expected 1 to {}, one for each rank", key, length, AceSpec::kLargestRank),
        ""));
  }
}

void check_degree(const AceRule& rule, std::vector<Error>& errors) {
  check_length("degree", rule.degree.size(), errors);
  if (!(rule.wl > 0.0)) {
    errors.push_back(rule_mistake("wl", fmt::format("wl is {}, must be > 0", rule.wl), "1 to 2 is usual"));
    return;
  }
  for (std::size_t i = 0; i < rule.degree.size(); ++i) {
    const int rank = static_cast<int>(i) + 1;
    const double level = rule.degree[i];
    if (!(level >= 0.0 && level < rank + AceSpec::kLargestN)) {
      errors.push_back(rule_mistake(
          "degree",
          fmt::format("degree of rank {} is {}, expected 0 to less than {}", rank, level, rank + AceSpec::kLargestN),
          fmt::format("n goes up to {}", AceSpec::kLargestN)));
    } else if (largest_degree(level, rank, rule.wl) > AceSpec::kLargestDegree) {
      errors.push_back(
          rule_mistake("degree",
                       fmt::format("degree {} of rank {} with wl {} asks for l = {}, expected at most {}", level, rank,
                                   rule.wl, largest_degree(level, rank, rule.wl), AceSpec::kLargestDegree),
                       "lower the degree or raise wl"));
    }
  }
}

void check_entries(const char* key, const std::vector<int>& entries, int least, int most, std::vector<Error>& errors) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] < least || entries[i] > most) {
      errors.push_back(rule_mistake(
          key, fmt::format("{} of rank {} is {}, expected {} to {}", key, i + 1, entries[i], least, most), ""));
    }
  }
}

void check_lists(const AceRule& rule, std::vector<Error>& errors) {
  check_length("n_max", rule.n_max.size(), errors);
  if (rule.l_max.size() != rule.n_max.size()) {
    errors.push_back(rule_mistake(
        "l_max",
        fmt::format("l_max has {} numbers and n_max {}, expected as many", rule.l_max.size(), rule.n_max.size()),
        "give one number for each rank in both; the l_max of rank 1 is 0"));
  }
  check_entries("n_max", rule.n_max, 0, AceSpec::kLargestN, errors);
  check_entries("l_max", rule.l_max, 0, AceSpec::kLargestDegree, errors);
}

}  // namespace

Error rule_mistake(const std::string& key, std::string what, std::string remedy) {
  return {ErrorKind::kInput, key, std::move(what), std::move(remedy)};
}

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

MultisetRange range_of(const AceRule& rule, int centre, int rank) {
  const auto at = static_cast<std::size_t>(rank - 1);
  MultisetRange range;
  range.elements = static_cast<int>(rule.elements.size());
  range.centre = centre;
  range.rank = rank;
  range.n_max = AceSpec::kLargestN;
  range.l_max = rank == 1 ? 0 : AceSpec::kLargestDegree;
  range.max_elements = rule.max_elements.empty() ? 0 : rule.max_elements[at];
  if (rule.choice == AceChoice::kLists) {
    const int n_max = rule.n_max[at];
    range.n_max = n_max;
    range.l_max = std::min(range.l_max, rule.l_max[at]);
    range.sum_n = [=](int) { return std::pair(rank, rank * n_max); };
  } else if (rule.choice == AceChoice::kDegree) {
    const double degree = rule.degree[at];
    const double wl = rule.wl;
    range.l_max = largest_degree(degree, rank, wl);
    range.sum_n = [=](int sum_l) {
      return std::pair(rank, static_cast<int>(std::floor(degree - wl * sum_l + kRounding)));
    };
  }
  return range;
}

std::vector<Error> check_choice(const AceRule& rule) {
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
    errors.push_back(rule_mistake("max_elements",
                                  fmt::format("max_elements has {} numbers, expected one for each of the {} ranks",
                                              rule.max_elements.size(), highest_rank(rule)),
                                  ""));
  }
  return errors;
}

std::vector<Error> check_bond(const AceBond& bond) {
  std::vector<Error> errors;
  if (!(bond.cutoff > 0.0)) {
    errors.push_back(
        rule_mistake("cutoff", fmt::format("cutoff is {} Å, must be > 0", bond.cutoff), "4 to 8 Å is usual"));
    return errors;
  }
  if (bond.family != RadialFamily::kSBessel && !(bond.lambda > 0.0)) {
    errors.push_back(rule_mistake("lambda", fmt::format("lambda is {}, must be > 0", bond.lambda), "5.25 is usual"));
  }
  if (bond.family == RadialFamily::kChebExpCos && !(bond.cutoff_width > 0.0 && bond.cutoff_width <= bond.cutoff)) {
    errors.push_back(
        rule_mistake("cutoff_width",
                     fmt::format("cutoff_width is {} Å, expected more than 0 and at most the cutoff, {:.4g} Å",
                                 bond.cutoff_width, bond.cutoff),
                     "0.1 to 0.5 Å is usual"));
  }
  if (!(bond.inner_cutoff >= 0.0 && bond.inner_cutoff < bond.cutoff)) {
    errors.push_back(rule_mistake("inner_cutoff",
                                  fmt::format("inner_cutoff is {} Å, expected 0 to less than the cutoff, {:.4g} Å",
                                              bond.inner_cutoff, bond.cutoff),
                                  ""));
  }
  const bool switched = bond.inner_width > 0.0 && bond.inner_width <= bond.inner_cutoff;
  if (!switched && !(bond.inner_cutoff == 0.0 && bond.inner_width == 0.0)) {
    errors.push_back(
        rule_mistake("inner_width",
                     fmt::format("inner_width is {} Å, expected more than 0 and at most inner_cutoff, {} Å",
                                 bond.inner_width, bond.inner_cutoff),
                     "at least 0.3 Å keeps forces smooth; both 0: no inner cutoff"));
  }
  return errors;
}

}  // namespace ipfit
