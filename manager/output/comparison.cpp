#include "manager/output/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/lsq/weights.h"
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

/// How one group, or the default, is weighed in another way.
void add_changes(const std::string& group, const GroupWeights& base, const GroupWeights& own,
                 std::vector<std::string>& changes) {
  struct KindOfWeight {
    std::string_view name;
    double GroupWeights::*weight;
    double GroupWeights::*sigma;
  };
  constexpr std::array<KindOfWeight, 3> kKindsOfWeight{
      {{"energy", &GroupWeights::energy, &GroupWeights::energy_sigma},
       {"forces", &GroupWeights::forces, &GroupWeights::forces_sigma},
       {"virial", &GroupWeights::virial, &GroupWeights::virial_sigma}}};
  if (own == base) {
    return;
  }
  if (own == GroupWeights{0.0, 0.0, 0.0}) {
    changes.push_back("without " + group);
    return;
  }
  for (const KindOfWeight& kind : kKindsOfWeight) {
    const bool by_sigma = own.*kind.sigma > 0.0;
    if (own.*kind.weight != base.*kind.weight || own.*kind.sigma != base.*kind.sigma) {
      changes.push_back(fmt::format("{} {}{} = {}", group, kind.name, by_sigma ? "_sigma" : "",
                                    by_sigma ? own.*kind.sigma : own.*kind.weight));
    }
  }
}

/// The first few, so that a line stays a line.
std::string changes_cell(const std::vector<std::string>& changes) {
  constexpr std::ptrdiff_t kShown = 3;
  const auto count = static_cast<std::ptrdiff_t>(changes.size());
  const std::string shown =
      fmt::format("{}", fmt::join(changes.begin(), changes.begin() + std::min(count, kShown), ", "));
  return count > kShown ? fmt::format("{} and {} more", shown, count - kShown) : shown;
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
  const auto base = load_fit_file(directory.fit_file());
  const auto own = load_fit_file(directory.fit_file_of(name));
  if (base && own) {
    summary.changes = weight_changes(*base, *own);
  }
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

std::vector<std::string> weight_changes(const FitSpec& base, const FitSpec& own) {
  std::vector<std::string> changes;
  add_changes("default", base.weights.fallback, own.weights.fallback, changes);
  std::set<std::string> groups;
  for (const WeightsSpec* weights : {&base.weights, &own.weights}) {
    for (const auto& [group, of_group] : weights->groups) {
      groups.insert(group);
    }
  }
  for (const std::string& group : groups) {
    add_changes(group, weights_of(base.weights, group), weights_of(own.weights, group), changes);
  }
  if (own.reference != base.reference) {
    changes.emplace_back("one_body");
  }
  return changes;
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
  TextTable table({"solution", "functions", "solver", "differs from fit.toml in"});
  for (const SolutionSummary& solution : solutions) {
    table.add_row({solution.name, std::to_string(solution.functions), solver_in_words(solution.solver),
                   changes_cell(solution.changes)});
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
                    {"changes", solution.changes},
                    {"errors", errors}});
  }
  return Json{{"solutions", list}}.dump(1) + "\n";
}

}  // namespace ipfit
