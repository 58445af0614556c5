#include "manager/output/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "common/file_system.h"
#include "common/text_table.h"
#include "manager/output/solution_files.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSets{
    {{"train", "training set"}, {"validation", "validation set"}, {"test", "test set"}}};

struct Column {
  std::string_view kind;
  std::string_view measure;
  std::string_view title;
  int decimals;
};
constexpr std::array<Column, 6> kColumns{{{"energy", "mae", "energy MAE", 2},
                                          {"energy", "rmse", "RMSE, meV/atom", 2},
                                          {"forces", "mae", "forces MAE", 4},
                                          {"forces", "rmse", "RMSE, eV/Å", 4},
                                          {"virial", "mae", "virial MAE", 2},
                                          {"virial", "rmse", "RMSE, meV/atom", 2}}};

/// The value under some keys, one inside the other; null where there is none.
const Json& at(const Json& json, std::initializer_list<std::string_view> keys) {
  static const Json kNothing;
  const Json* inner = &json;
  for (const std::string_view key : keys) {
    const auto found = inner->is_object() ? inner->find(key) : inner->end();
    if (!inner->is_object() || found == inner->end()) {
      return kNothing;
    }
    inner = &*found;
  }
  return *inner;
}

std::optional<double> error_of(const SolutionSummary& solution, std::string_view set, const Column& column) {
  const Json& value = at(solution.errors, {set, "total", column.kind, column.measure});
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// Cells of one column; the smallest has a star where there are several to choose from.
std::vector<std::string> column_cells(const std::vector<SolutionSummary>& solutions, std::string_view set,
                                      const Column& column) {
  std::optional<double> best;
  std::ptrdiff_t given = 0;
  for (const SolutionSummary& solution : solutions) {
    if (const auto error = error_of(solution, set, column)) {
      best = std::min(best.value_or(*error), *error);
      ++given;
    }
  }
  std::vector<std::string> cells;
  for (const SolutionSummary& solution : solutions) {
    const auto error = error_of(solution, set, column);
    const char* mark = given < 2 ? "" : error == best ? "*" : " ";
    cells.push_back(error ? fmt::format("{:.{}f}{}", *error, column.decimals, mark) : "-");
  }
  return cells;
}

std::string set_table(const std::vector<SolutionSummary>& solutions, std::string_view set, std::string_view title) {
  std::vector<std::string> header{std::string(title)};
  std::vector<std::vector<std::string>> columns;
  for (const Column& column : kColumns) {
    header.emplace_back(column.title);
    columns.push_back(column_cells(solutions, set, column));
  }
  TextTable table(header);
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    std::vector<std::string> row{solutions[i].name};
    for (const std::vector<std::string>& cells : columns) {
      row.push_back(cells[i]);
    }
    table.add_row(std::move(row));
  }
  return table.text();
}

bool has_set(const std::vector<SolutionSummary>& solutions, std::string_view set) {
  return std::ranges::any_of(solutions, [&](const SolutionSummary& solution) {
    return std::ranges::any_of(kColumns,
                               [&](const Column& column) { return error_of(solution, set, column).has_value(); });
  });
}

Result<Json> read_json(const std::string& path) {
  const auto text = read_file(path);
  return text ? parse_json(*text, path) : Result<Json>(text.errors());
}

Result<SolutionSummary> read_solution(const FitDirectory& directory, const std::string& name) {
  const std::string path = directory.coefficients(name);
  const auto text = read_file(path);
  if (!text) {
    return text.errors();
  }
  const auto coefficients = read_coefficients(*text, path);
  const auto json = parse_json(*text, path);
  if (!coefficients || !json) {
    return coefficients ? json.errors() : coefficients.errors();
  }
  SolutionSummary summary;
  summary.name = name;
  summary.functions = std::ranges::count_if(coefficients->values, [](double value) { return value != 0.0; });
  summary.solver = at(*json, {"solver"});
  summary.status = coefficients->status;
  if (std::error_code ignored; fs::exists(directory.errors_json(name), ignored)) {
    auto errors = read_json(directory.errors_json(name));
    if (!errors) {
      return errors.errors();
    }
    summary.errors = std::move(*errors);
  }
  return summary;
}

}  // namespace

Result<std::vector<SolutionSummary>> read_solutions(const FitDirectory& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory.solution(""), error)) {
    const std::string name = entry.path().filename();
    if (fs::exists(directory.coefficients(name))) {
      names.push_back(name);
    }
  }
  if (names.empty()) {
    return Error{ErrorKind::kInput, directory.path, "has no solutions",
                 "give the directory of a fit that has ended; ipfit fit makes one"};
  }
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name != "default", name); });
  std::vector<SolutionSummary> solutions;
  for (const std::string& name : names) {
    auto solution = read_solution(directory, name);
    if (!solution) {
      return solution.errors();
    }
    solutions.push_back(std::move(*solution));
  }
  return solutions;
}

std::string solver_in_words(const Json& solver) {
  std::string out;
  for (const auto& [key, value] : solver.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    out += key == "kind" ? text : fmt::format("{}{} = {}", out.empty() ? "" : ", ", key, text);
  }
  return out;
}

std::string comparison_text(const std::vector<SolutionSummary>& solutions) {
  TextTable table({"solution", "functions", "solver"});
  for (const SolutionSummary& solution : solutions) {
    table.add_row({solution.name, std::to_string(solution.functions), solver_in_words(solution.solver)});
  }
  std::string out = table.text();
  for (const auto& [set, title] : kSets) {
    out += has_set(solutions, set) ? "\n" + set_table(solutions, set, title) : "";
  }
  return out;
}

std::string comparison_json(const std::vector<SolutionSummary>& solutions) {
  Json list = Json::array();
  for (const SolutionSummary& solution : solutions) {
    Json errors = Json::object();
    for (const auto& [set, title] : kSets) {
      if (const Json& total = at(solution.errors, {set, "total"}); !total.is_null()) {
        errors[std::string(set)] = total;
      }
    }
    list.push_back({{"name", solution.name},
                    {"functions", solution.functions},
                    {"solver", solution.solver},
                    {"status", solution.status},
                    {"errors", errors}});
  }
  return Json{{"solutions", list}}.dump(1) + "\n";
}

}  // namespace ipfit
