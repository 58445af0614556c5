#include "common/fit/basis_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atoms/element.h"
#include "common/model/ace/coupling.h"

namespace ipfit {
namespace {

std::vector<Error> check_pairs(const AceRule& rule) {
  std::vector<Error> errors;
  for (const auto& [pair, cutoff] : rule.pair_cutoffs) {
    for (const std::uint8_t element : {pair.first, pair.second}) {
      if (std::ranges::count(rule.elements, element) == 0) {
        errors.push_back({ErrorKind::kInput, "basis.pair_cutoffs",
                          fmt::format("has the pair {}, but {} is not among the elements of the basis",
                                      pair_text(pair.first, pair.second), element_symbol(element)),
                          "remove the pair"});
        break;
      }
    }
  }
  return errors;
}

// What make_ace_spec lists quickly may take a worker hours to couple.
std::vector<Error> check_couplings(const AceSpec& spec) {
  double weights = 0.0;
  AceShape last;
  for (const AceMultiset& multiset : spec.multisets) {
    if (AceShape shape = shape_of(multiset); shape != last) {
      weights += coupling_weights(shape);
      last = std::move(shape);
    }
  }
  if (weights <= kMostCouplingWeights) {
    return {};
  }
  return {{ErrorKind::kInput, "basis",
           fmt::format("the couplings of these functions have {:.1g} coefficients, expected at most {:.1g}", weights,
                       kMostCouplingWeights),
           "lower the largest l of the functions with most factors"}};
}

Result<BasisSpec> resolve(const PairSpec& pair) {
  return BasisSpec(pair);
}

Result<BasisSpec> resolve(const AceRule& rule) {
  if (std::vector<Error> wrong = check_pairs(rule); !wrong.empty()) {
    return wrong;
  }
  Result<AceSpec> spec = make_ace_spec(rule);
  if (!spec) {
    std::vector<Error> errors = spec.errors();
    for (Error& error : errors) {
      error.where = "basis." + error.where;
    }
    return errors;
  }
  if (std::vector<Error> wrong = check_couplings(*spec); !wrong.empty()) {
    return wrong;
  }
  return BasisSpec(std::move(*spec));
}

}  // namespace

std::vector<std::uint8_t>& elements_of(BasisChoice& choice) {
  return std::visit([](auto& kind) -> std::vector<std::uint8_t>& { return kind.elements; }, choice);
}

const std::vector<std::uint8_t>& elements_of(const BasisChoice& choice) {
  return std::visit([](const auto& kind) -> const std::vector<std::uint8_t>& { return kind.elements; }, choice);
}

Result<BasisSpec> resolve_basis(const BasisChoice& choice) {
  return std::visit([](const auto& kind) { return resolve(kind); }, choice);
}

BasisChoice with_cutoff(const BasisChoice& choice, const BasisSpec& spec) {
  const auto* rule = std::get_if<AceRule>(&choice);
  const auto* ace = std::get_if<AceSpec>(&spec);
  if (rule == nullptr || ace == nullptr || rule->cutoff != 0.0) {
    return choice;
  }
  AceRule out = *rule;
  for (std::size_t a = 0; a < ace->elements.size(); ++a) {
    for (std::size_t b = a; b < ace->elements.size(); ++b) {
      if (!rule->pair_cutoffs.contains(std::minmax(ace->elements[a], ace->elements[b]))) {
        out.cutoff = ace->bonds[ace->bond_index(a, b)].cutoff;  // all pairs without their own have the same
      }
    }
  }
  out.cutoff = out.cutoff == 0.0 ? cutoff_of(spec) : out.cutoff;
  return out;
}

}  // namespace ipfit
