#include "common/fit/ace_keys.h"

#include <fmt/format.h>

#include <array>

namespace ipfit {
namespace {

// Narrower ones make forces of 1e3 eV/Å and more inside.
constexpr double kLeastInnerWidth = 0.01;  // Å

// The keys that choose the functions, and which of them belong together.
struct ChoosingKey {
  std::string_view key;
  AceChoice choice;
};
constexpr std::array<ChoosingKey, 4> kChoosing{{{"size", AceChoice::kSize},
                                                {"degree", AceChoice::kDegree},
                                                {"n_max", AceChoice::kLists},
                                                {"l_max", AceChoice::kLists}}};

int ranks(const AceRule& rule) {
  return static_cast<int>(rule.choice == AceChoice::kDegree ? rule.degree.size() : rule.n_max.size());
}

void check_choice(const GivenKeys& given, std::vector<KeyMistake>& mistakes) {
  const ChoosingKey* first = nullptr;
  for (const ChoosingKey& key : kChoosing) {
    if (!given.contains(key.key)) {
      continue;
    }
    first = first == nullptr ? &key : first;
    if (key.choice != first->choice) {
      mistakes.push_back({std::string(key.key),
                          fmt::format("basis.{} is given, but basis.{} in line {} chooses the functions already",
                                      key.key, first->key, given.at(first->key)),
                          "keep one of size, degree, or n_max with l_max"});
    }
  }
  for (const auto& [one, other] : {std::pair{"n_max", "l_max"}, std::pair{"l_max", "n_max"}}) {
    if (given.contains(one) && !given.contains(other)) {
      mistakes.push_back({one, fmt::format("basis.{} is missing, but basis.{} needs it", other, one),
                          "give both, a number for each rank"});
    }
  }
}

void check_lengths(const AceRule& rule, const GivenKeys& given, std::vector<KeyMistake>& mistakes) {
  if (rule.choice == AceChoice::kLists && rule.l_max.size() != rule.n_max.size()) {
    mistakes.push_back({"l_max",
                        fmt::format("basis.l_max has {} numbers and basis.n_max {}, expected as many",
                                    rule.l_max.size(), rule.n_max.size()),
                        "give a number for each rank in both; the l_max of rank 1 is 0"});
  }
  if (rule.choice != AceChoice::kSize && rule.order != ranks(rule)) {
    mistakes.push_back({"order",
                        fmt::format("basis.order = {}, but basis.{} has numbers for {} ranks", rule.order,
                                    rule.choice == AceChoice::kDegree ? "degree" : "n_max", ranks(rule)),
                        "leave order out: the length of the list says it"});
  } else if (given.contains("max_elements") && !rule.max_elements.empty() &&
             static_cast<int>(rule.max_elements.size()) != rule.order) {
    mistakes.push_back({"max_elements",
                        fmt::format("basis.max_elements has {} numbers, expected one for each of the {} ranks",
                                    rule.max_elements.size(), rule.order),
                        ""});
  }
}

void check_inner_cutoff(const AceRule& rule, const GivenKeys& given, std::vector<KeyMistake>& mistakes) {
  if (rule.inner_width > rule.inner_cutoff) {
    mistakes.push_back({"inner_width",
                        fmt::format("basis.inner_width = {}, expected at most inner_cutoff, which is {} Å",
                                    rule.inner_width, rule.inner_cutoff),
                        "the functions fade out between inner_cutoff - inner_width and inner_cutoff"});
  } else if (rule.inner_cutoff > 0.0 && rule.inner_width < kLeastInnerWidth) {
    mistakes.push_back({given.contains("inner_width") ? "inner_width" : "inner_cutoff",
                        fmt::format("basis.inner_cutoff without an inner_width of {} Å or more would cut the functions "
                                    "off in a step",
                                    kLeastInnerWidth),
                        "give inner_width; 0.3 to 1 Å is usual"});
  }
}

void check_radial(const AceRule& rule, const GivenKeys& given, std::vector<KeyMistake>& mistakes) {
  if (given.contains("lambda") && rule.radial == RadialFamily::kSBessel) {
    mistakes.push_back({"lambda", "basis.lambda is given, but basis.radial = \"SBessel\" does not use it",
                        "remove it, or write radial = \"ChebExpCos\""});
  }
  if (given.contains("cutoff_width") && rule.radial != RadialFamily::kChebExpCos) {
    mistakes.push_back({"cutoff_width", "basis.cutoff_width is given, but only basis.radial = \"ChebExpCos\" uses it",
                        "remove it, or write radial = \"ChebExpCos\""});
  }
  // Near the cutoff the functions are powers lambda of the distance from it.
  if (rule.radial == RadialFamily::kChebPow && rule.lambda <= 1.0) {
    mistakes.push_back(
        {given.contains("lambda") ? "lambda" : "radial",
         fmt::format("basis.lambda = {}, expected more than 1 with basis.radial = \"ChebPow\"", rule.lambda),
         "forces would jump at the cutoff; 2 to 6 is usual"});
  }
}

}  // namespace

std::vector<KeyMistake> check_ace_keys(const GivenKeys& given) {
  std::vector<KeyMistake> mistakes;
  check_choice(given, mistakes);
  if (given.contains("wl") && !given.contains("degree")) {
    mistakes.push_back({"wl", "basis.wl is given, but without basis.degree it says nothing", "remove it"});
  }
  return mistakes;
}

void complete_ace_rule(AceRule& rule, const GivenKeys& given, bool degree_for_all) {
  if (given.contains("degree")) {
    rule.choice = AceChoice::kDegree;
    if (degree_for_all) {
      rule.degree.assign(static_cast<std::size_t>(rule.order), rule.degree.front());
    }
  } else if (given.contains("n_max")) {
    rule.choice = AceChoice::kLists;
  }
  if (rule.choice != AceChoice::kSize && !given.contains("order")) {
    rule.order = ranks(rule);
  }
}

std::vector<KeyMistake> check_ace_values(const AceRule& rule, const GivenKeys& given) {
  std::vector<KeyMistake> mistakes;
  check_radial(rule, given, mistakes);
  check_inner_cutoff(rule, given, mistakes);
  check_lengths(rule, given, mistakes);
  return mistakes;
}

}  // namespace ipfit
