#include "manager/output/solution_files.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <set>

#include "common/atoms/element.h"
#include "common/fit/solver_keys.h"
#include "common/json.h"
#include "common/json_seal.h"

namespace ipfit {
namespace {

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// A number, or the word for the rule that was to find it.
Json strength_json(const SolverSpec& solver, const Json& number) {
  return solver.strength == StrengthRule::kGiven ? number : Json(word_of(kStrengthWords, solver.strength));
}

Json to_json(const SolverSpec& solver) {
  Json json{{"kind", word_of(kSolverKinds, solver.kind)}};
  if (uses(solver.kind, "lambda")) {
    json["lambda"] = strength_json(solver, solver.lambda);
  }
  if (uses(solver.kind, "rtol")) {
    json["rtol"] = strength_json(solver, solver.rtol);
  }
  if (uses(solver.kind, "size")) {
    json["size"] = strength_json(solver, solver.size);
  }
  if (solver.committee > 0) {
    json["committee"] = solver.committee;
    json["seed"] = solver.seed;
  }
  if (solver.functions > 0) {
    json["functions"] = solver.functions;
  }
  if (solver.prior.kind != PriorKind::kNone) {
    Json prior{{"kind", word_of(kPriorKinds, solver.prior.kind)}};
    if (solver.prior.kind == PriorKind::kAlgebraic) {
      prior["power"] = solver.prior.power;
    }
    prior["wl"] = solver.prior.wl;
    prior["wn"] = solver.prior.wn;
    json["prior"] = std::move(prior);
  }
  return json;
}

Json list_of_numbers(const Eigen::VectorXd& numbers) {
  Json json = Json::array();
  for (const double number : numbers) {
    json.push_back(finite_or_null(number));
  }
  return json;
}

/// What some solvers find beside coefficients; what one does not compute is left out.
void add_findings(Json& json, const Solution& solution) {
  for (const auto& [key, value] :
       {std::pair{"lambda", solution.lambda}, std::pair{"effective_parameters", solution.effective_parameters},
        std::pair{"log_evidence", solution.log_evidence}, std::pair{"noise_precision", solution.noise_precision},
        std::pair{"prior_precision", solution.prior_precision}}) {
    if (value) {
      json[key] = finite_or_null(*value);
    }
  }
  if (solution.precisions.size() != 0) {
    json["precisions"] = list_of_numbers(solution.precisions);
  }
  if (solution.singular_values.size() != 0) {
    json["singular_values"] = list_of_numbers(solution.singular_values);
  }
  for (const auto& member : solution.committee.colwise()) {
    json["committee"].push_back(list_of_numbers(member));
  }
  for (const PathPoint& point : solution.path) {
    Json entry{{"columns", point.columns}, {"residual", finite_or_null(point.residual)}};
    if (point.validation) {
      entry["validation"] = finite_or_null(*point.validation);
    }
    json["path"].push_back(std::move(entry));
  }
}

Json one_body_json(const std::map<std::uint8_t, double>& one_body) {
  Json json = Json::object();
  for (const auto& [element, energy] : one_body) {
    json[element_symbol(element)] = energy;
  }
  return json;
}

Error wrong(const std::string& where, std::string what) {
  return {ErrorKind::kInput, where, std::move(what), "expected a coefficients.json as ipfit writes it"};
}

/// The list under `key`, or an error.
Result<const Json*> list_in(const Json& document, const char* key, const std::string& where) {
  if (!document.is_object() || !document.contains(key) || !document[key].is_array()) {
    return wrong(where, fmt::format("there is no list \"{}\"", key));
  }
  return &document[key];
}

/// The text under `key`; empty where there is none.
std::string text_in(const Json& document, const char* key) {
  return document.contains(key) && document[key].is_string() ? document[key].get<std::string>() : "";
}

}  // namespace

std::string coefficients_json(const std::vector<std::string>& columns, const Solution& solution,
                              const SolverSpec& solver, const std::map<std::uint8_t, double>& one_body,
                              const std::string& inputs,
                              const std::vector<std::map<std::uint8_t, double>>& committee_one_body) {
  assert(static_cast<std::int64_t>(columns.size()) == solution.coefficients.size());
  assert(solution.coefficients.allFinite());
  Json json;
  json["columns"] = columns;
  json["coefficients"] = std::vector<double>(solution.coefficients.begin(), solution.coefficients.end());
  json["one_body"] = one_body_json(one_body);
  json["solver"] = to_json(solver);
  json["status"] = solution.status;
  json["rank"] = solution.rank;
  json["condition"] = finite_or_null(solution.condition);
  json["residual"] = finite_or_null(solution.residual);
  add_findings(json, solution);
  for (const std::map<std::uint8_t, double>& member : committee_one_body) {
    json["committee_one_body"].push_back(one_body_json(member));
  }
  json["inputs"] = inputs;
  return write_sealed(json);
}

Result<Coefficients> read_coefficients(std::string_view text, const std::string& where) {
  const Result<Json> document = parse_json(text, where);
  if (!document) {
    return document.errors();
  }
  if (const Status sealed = check_seal(*document, text, where); !sealed) {
    return sealed.errors();
  }
  const Result<const Json*> columns = list_in(*document, "columns", where);
  if (!columns) {
    return columns.errors();
  }
  const Result<const Json*> values = list_in(*document, "coefficients", where);
  if (!values) {
    return values.errors();
  }
  if ((*columns)->size() != (*values)->size()) {
    return wrong(where, fmt::format("{} columns, but {} coefficients", (*columns)->size(), (*values)->size()));
  }
  Coefficients coefficients;
  coefficients.status = text_in(*document, "status");
  coefficients.inputs = text_in(*document, "inputs");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < (*columns)->size(); ++i) {
    const Json& label = (**columns)[i];
    const Json& value = (**values)[i];
    if (!label.is_string() || !seen.insert(label.get<std::string>()).second) {
      return wrong(where, fmt::format("columns[{}] is no text, or stands twice", i));
    }
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      return wrong(where, fmt::format("coefficients[{}] is no finite number", i));
    }
    coefficients.columns.push_back(label.get<std::string>());
    coefficients.values.push_back(value.get<double>());
  }
  return coefficients;
}

}  // namespace ipfit
