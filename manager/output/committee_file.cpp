#include "manager/output/committee_file.h"

#include <fmt/format.h>

#include <cmath>

#include "common/atoms/element.h"
#include "common/json.h"
#include "manager/output/solution_files.h"

namespace ipfit {
namespace {

Error wrong(const std::string& where, std::string what) {
  return {ErrorKind::kInput, where, std::move(what), "expected a coefficients.json as ipfit writes it"};
}

bool is_finite_number(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

/// The member's coefficients; empty where they are none.
std::vector<double> numbers_of(const Json& member) {
  std::vector<double> out;
  if (member.is_array()) {
    for (const Json& value : member) {
      if (!is_finite_number(value)) {
        return {};
      }
      out.push_back(value.get<double>());
    }
  }
  return out;
}

/// Puts the one-body energies of a member into its potential; false where they are none.
bool take_one_body(const Json& energies, Model& member) {
  if (!energies.is_object()) {
    return false;
  }
  for (const auto& item : energies.items()) {
    const auto element = atomic_number(item.key());
    if (!element || !is_finite_number(item.value())) {
      return false;
    }
    member.one_body[*element] = item.value().get<double>();
  }
  return true;
}

}  // namespace

Result<std::vector<Model>> read_committee(std::string_view coefficients_json, const std::string& where,
                                          const Model& potential) {
  const auto coefficients = read_coefficients(coefficients_json, where);
  if (!coefficients) {
    return coefficients.errors();
  }
  if (coefficients->values != potential.coefficients) {
    return wrong(where, "it does not belong to the potential beside it");
  }
  const Json document = *parse_json(coefficients_json, where);
  const auto members = document.find("committee");
  if (members == document.end() || !members->is_array() || members->empty()) {
    return Error{ErrorKind::kRefused, where, "this solution has no committee, which the uncertainty comes from",
                 "write kind = \"blr\" and committee = 16 into [solver] of its fit.toml and run ipfit solve, which "
                 "evaluates nothing"};
  }
  const auto one_body = document.find("committee_one_body");
  const bool own_energies = one_body != document.end();
  if (own_energies && (!one_body->is_array() || one_body->size() != members->size())) {
    return wrong(where, "\"committee_one_body\" has not one entry for each member of \"committee\"");
  }
  std::vector<Model> out;
  for (std::size_t i = 0; i < members->size(); ++i) {
    Model member = potential;
    member.coefficients = numbers_of((*members)[i]);
    if (member.coefficients.size() != potential.coefficients.size()) {
      return wrong(where,
                   fmt::format("committee[{}] is no list of {} finite numbers", i, potential.coefficients.size()));
    }
    if (own_energies && !take_one_body((*one_body)[i], member)) {
      return wrong(where, fmt::format("committee_one_body[{}] is no table of energies by element", i));
    }
    out.push_back(std::move(member));
  }
  return out;
}

}  // namespace ipfit
