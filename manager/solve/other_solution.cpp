#include "manager/solve/other_solution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/file_system.h"
#include "common/fit/assembly_model.h"
#include "common/fit/fit_file.h"
#include "common/fit/fit_keys.h"
#include "common/fit/repulsion.h"
#include "common/lsq/weights.h"
#include "common/model/model.h"

namespace ipfit {
namespace {

constexpr GroupWeights kNoSay{0.0, 0.0, 0.0};

/// Weights, solver and one-body energies of another fit file. The rest of it must mean the same rows, since nothing is
/// evaluated; where the data are is left to the directory.
Status take_over(const std::string& path, FitSpec& spec) {
  auto other = load_fit_file(path);
  if (!other) {
    return other.errors();
  }
  if (elements_of(other->basis).empty()) {
    elements_of(other->basis) = elements_of(spec.basis);
  }
  auto reference = resolve_zbl(other->reference, elements_of(other->basis));
  if (!reference) {
    return reference.errors();
  }
  other->reference = *reference;
  const auto wanted = assembly_model(*other);
  const auto there = assembly_model(spec);
  if (!wanted || !there) {
    return wanted ? there.errors() : wanted.errors();
  }
  if (write_model(*wanted) != write_model(*there)) {
    return Error{ErrorKind::kRefused, path, "has another basis, or another ZBL repulsion, than what was assembled here",
                 "fit it into a directory of its own: ipfit fit " + path};
  }
  spec.weights = std::move(other->weights);
  spec.solver = other->solver;
  spec.reference = std::move(other->reference);
  return Done{};
}

/// The section [solver] that the options make: of another kind with nothing but lambda, else the one that is there with
/// another lambda.
std::string solver_text(const FitSpec& spec, const SolutionChanges& changes) {
  std::string text = "[solver]\n";
  if (changes.solver) {
    text += fmt::format("kind = {}\n", toml_quoted(*changes.solver));
  } else {
    FitSpec fields = spec;
    for (const FitKey& key : fit_keys()) {
      if (key.section == "solver" && key.name != "lambda" && matters(key, spec)) {
        text += fmt::format("{} = {}\n", key.name, toml_value(key.field(fields, "")));
      }
    }
  }
  return changes.lambda ? text + fmt::format("lambda = {}\n", toml_number(*changes.lambda)) : text;
}

std::vector<Error> unknown_groups(const std::string& where, const std::vector<std::string>& names,
                                  const std::set<std::string>& groups) {
  std::vector<Error> errors;
  for (const std::string& name : names) {
    if (!groups.contains(name)) {
      errors.push_back(
          {ErrorKind::kInput, where,
           fmt::format("no training structure has the group \"{}\"; there are: {}", name, fmt::join(groups, ", ")),
           "mend the name"});
    }
  }
  return errors;
}

std::vector<std::string> names_of(const WeightsSpec& weights) {
  std::vector<std::string> names;
  for (const auto& [name, group] : weights.groups) {
    names.push_back(name);
  }
  return names;
}

/// Gives weight 0 to some groups. A group called "default" has no section of its own: where it shall have no say, all
/// others get one.
void silence(const std::set<std::string>& silent, const std::set<std::string>& groups, WeightsSpec& weights) {
  if (silent.contains("default")) {
    for (const std::string& group : groups) {
      if (group != "default") {
        weights.groups[group] = weights_of(weights, group);
      }
    }
    weights.fallback = kNoSay;
  }
  for (const std::string& group : silent) {
    if (group != "default") {
      weights.groups[group] = kNoSay;
    }
  }
}

}  // namespace

Result<FitSpec> with_changes(const FitSpec& spec, const SolutionChanges& changes, const std::set<std::string>& groups) {
  FitSpec out = spec;
  if (!changes.from.empty()) {
    if (Status taken = take_over(changes.from, out); !taken) {
      return taken.errors();
    }
  }
  if (!changes.weights.empty()) {
    const auto text = read_file(changes.weights);
    auto weights = text ? read_weights(*text, changes.weights) : Result<WeightsSpec>(text.errors());
    if (!weights) {
      return weights.errors();
    }
    out.weights = std::move(*weights);
  }
  std::vector<Error> errors = unknown_groups("--groups", changes.only, groups);
  std::ranges::move(unknown_groups("--without-group", changes.without, groups), std::back_inserter(errors));
  std::ranges::move(unknown_groups("[weights.NAME]", names_of(out.weights), groups), std::back_inserter(errors));
  if (changes.solver || changes.lambda) {
    auto solver = read_solver(solver_text(out, changes), "--solver and --lambda");
    if (solver) {
      out.solver = *solver;
    } else {
      std::ranges::copy(solver.errors(), std::back_inserter(errors));
    }
  }
  if (changes.functions) {
    out.solver.functions = *changes.functions;
  }
  if (!errors.empty()) {
    return errors;
  }
  std::set<std::string> silent(changes.without.begin(), changes.without.end());
  for (const std::string& group : groups) {
    if (!changes.only.empty() && std::ranges::count(changes.only, group) == 0) {
      silent.insert(group);
    }
  }
  silence(silent, groups, out.weights);
  const bool any_say = std::ranges::any_of(groups, [&](const std::string& group) {
    const GroupWeights& weights = weights_of(out.weights, group);
    return weight_of(weights, Kind::kEnergy) + weight_of(weights, Kind::kForces) + weight_of(weights, Kind::kVirial) >
           0.0;
  });
  if (!any_say) {
    return Error{ErrorKind::kInput, "weights", "all weights are 0, so there is nothing to fit to",
                 "leave a group that has a weight"};
  }
  return out;
}

}  // namespace ipfit
