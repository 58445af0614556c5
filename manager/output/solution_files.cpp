#include "manager/output/solution_files.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <set>

#include "common/atoms/element.h"
#include "common/json.h"
#include "common/json_seal.h"

namespace ipfit {
namespace {

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(const SolverSpec& solver) {
  if (solver.kind == SolverKind::kRidge) {
    return {{"kind", "ridge"}, {"lambda", solver.lambda}};
  }
  return {{"kind", "qr"}};
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
                              const std::string& inputs) {
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
