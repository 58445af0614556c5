#include "manager/output/error_table.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "common/json.h"

namespace ipfit {
namespace {

struct Sample {
  DataSet set;
  std::string group;
  std::int64_t atoms;
  RowMask mask;
  std::vector<double> labels;
  std::vector<double> predictions;
};

std::vector<double> any_rows(std::int64_t count) {
  return *rc::gen::container<std::vector<double>>(
      static_cast<std::size_t>(count),
      rc::gen::map(rc::gen::inRange(-100000, 100000), [](int n) { return n / 1000.0; }));
}

Sample any_sample() {
  Sample sample;
  sample.set = *rc::gen::element(DataSet::kTrain, DataSet::kTest);
  sample.group = *rc::gen::element<std::string>("bulk", "liquid", "surface", "default");
  sample.atoms = *rc::gen::inRange<std::int64_t>(1, 8);
  sample.mask = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  const std::int64_t rows = row_count(sample.atoms, sample.mask);
  sample.labels = any_rows(rows);
  sample.predictions = any_rows(rows);
  return sample;
}

std::vector<Sample> any_samples() {
  const auto count = *rc::gen::inRange<std::size_t>(0, 12);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(any_sample());
  }
  return samples;
}

ErrorTable table_of(const std::vector<Sample>& samples) {
  ErrorTable table;
  for (const Sample& s : samples) {
    table.add(s.set, s.group, s.atoms, s.mask, s.labels, s.predictions);
  }
  return table;
}

/// The errors of one kind in the samples that `chosen` accepts, straight from the definition.
template <class Chosen>
std::vector<double> naive_errors(const std::vector<Sample>& samples, int kind, Chosen chosen) {
  std::vector<double> errors;
  for (const Sample& s : samples) {
    const bool has[] = {s.mask.energy, s.mask.forces, s.mask.virial};
    const std::int64_t rows[] = {1, 3 * s.atoms, 6};
    std::int64_t first = 0;
    for (int before = 0; before < kind; ++before) {
      first += has[before] ? rows[before] : 0;
    }
    for (std::int64_t i = first; chosen(s) && has[kind] && i < first + rows[kind]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double error = s.predictions[at] - s.labels[at];
      errors.push_back(kind == 1 ? error : 1000.0 * error / static_cast<double>(s.atoms));
    }
  }
  return errors;
}

/// A kind of errors.json against a list of errors.
void check_kind(const Json& found, const std::vector<double>& errors) {
  RC_ASSERT(found["count"] == errors.size());
  RC_ASSERT(found.size() == 3U);
  if (errors.empty()) {
    RC_ASSERT(found["mae"].is_null());
    RC_ASSERT(found["rmse"].is_null());
    return;
  }
  long double absolute = 0.0L;
  long double squared = 0.0L;
  for (const double error : errors) {
    absolute += std::abs(error);
    squared += static_cast<long double>(error) * error;
  }
  const auto n = static_cast<long double>(errors.size());
  // Each of n terms is rounded a few times and added once to a sum of positive terms: n + 8 roundings at most.
  const double tolerance = (static_cast<double>(n) + 8) * std::numeric_limits<double>::epsilon();
  const auto near = [&](double a, long double b) { return std::abs(a - static_cast<double>(b)) <= tolerance * a; };
  RC_ASSERT(near(found["mae"].get<double>(), absolute / n));
  RC_ASSERT(near(found["rmse"].get<double>(), std::sqrt(squared / n)));
}

template <class Chosen>
void check_kinds(const Json& found, const std::vector<Sample>& samples, Chosen chosen) {
  RC_ASSERT(found.size() == 3U);
  check_kind(found["energy"], naive_errors(samples, 0, chosen));
  check_kind(found["forces"], naive_errors(samples, 1, chosen));
  check_kind(found["virial"], naive_errors(samples, 2, chosen));
}

/// The same groups of a set of errors.json under other names, in alphabetical order.
Json renamed(const Json& groups, const std::map<std::string, std::string>& names) {
  std::map<std::string, Json> sorted;
  for (const auto& [name, errors] : groups.items()) {
    sorted[names.at(name)] = errors;
  }
  Json out = Json::object();
  for (const auto& [name, errors] : sorted) {
    out[name] = errors;
  }
  return out;
}

std::size_t characters(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start)) {
    lines.push_back(text.substr(start, end - start));
  }
  return lines;
}

}  // namespace

TEST_CASE("errors.json agrees with a naive evaluation of mean absolute and root mean squared errors") {
  REQUIRE(rc::check([] {
    const std::vector<Sample> samples = any_samples();
    const Json json = Json::parse(errors_json(table_of(samples)));
    RC_ASSERT(json.size() == 2U);
    for (const auto& [name, set] : {std::pair("train", DataSet::kTrain), std::pair("test", DataSet::kTest)}) {
      std::set<std::string> groups;
      for (const Sample& s : samples) {
        if (s.set == set) {
          groups.insert(s.group);
        }
      }
      RC_ASSERT(json[name].size() == 2U);
      check_kinds(json[name]["total"], samples, [set = set](const Sample& s) { return s.set == set; });
      RC_ASSERT(json[name]["groups"].size() == groups.size());
      for (const std::string& group : groups) {
        check_kinds(json[name]["groups"][group], samples,
                    [&, set = set](const Sample& s) { return s.set == set && s.group == group; });
      }
    }
  }));
}

TEST_CASE("when groups swap their names, their errors go with them, and the totals stay, to the bit") {
  const std::map<std::string, std::string> names{
      {"bulk", "surface"}, {"surface", "liquid"}, {"liquid", "default"}, {"default", "bulk"}};
  REQUIRE(rc::check([&] {
    const std::vector<Sample> samples = any_samples();
    std::vector<Sample> swapped = samples;
    for (Sample& s : swapped) {
      s.group = names.at(s.group);
    }
    Json expected = Json::parse(errors_json(table_of(samples)));
    for (const char* set : {"train", "test"}) {
      expected[set]["groups"] = renamed(expected[set]["groups"], names);
    }
    RC_ASSERT(Json::parse(errors_json(table_of(swapped))) == expected);
  }));
}

TEST_CASE("errors.json has the agreed names, null where a kind has no labels, and always a test set") {
  ErrorTable table;
  // Two atoms: the energy is off by 0.5 eV, that is 250 meV/atom; each of six force components by 0.25 eV/Å.
  table.add(DataSet::kTrain, "bulk", 2, {true, true, false}, std::vector<double>{1, 0, 0, 0, 0, 0, 0},
            std::vector<double>{1.5, 0.25, -0.25, 0.25, -0.25, 0.25, 0.25});
  const std::string errors = R"({"energy": {"mae": 250.0, "rmse": 250.0, "count": 1},
      "forces": {"mae": 0.25, "rmse": 0.25, "count": 6}, "virial": {"mae": null, "rmse": null, "count": 0}})";
  const std::string none = R"({"mae": null, "rmse": null, "count": 0})";
  const std::string expected = fmt::format(R"({{
      "train": {{"total": {0}, "groups": {{"bulk": {0}}}}},
      "test": {{"total": {{"energy": {1}, "forces": {1}, "virial": {1}}}, "groups": {{}}}}}})",
                                           errors, none);
  CHECK(Json::parse(errors_json(table)) == Json::parse(expected));
}

TEST_CASE("the table for people has units, both means, groups in alphabetical order and the total last") {
  ErrorTable table;
  table.add(DataSet::kTrain, "liquid", 2, {true, true, true}, std::vector<double>(13, 0.0),
            {std::vector<double>{0.01, 0.1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}});
  table.add(DataSet::kTrain, "bulk", 1, {true, false, false}, std::vector<double>{0.0}, std::vector<double>{-0.02});
  CHECK("\n" + errors_text(table) == R"(
Training set                           energy, meV/atom          forces, eV/Å      virial, meV/atom
group                  structures         MAE      RMSE         MAE      RMSE         MAE      RMSE
---------------------------------------------------------------------------------------------------
bulk                            1       20.00     20.00           -         -           -         -
liquid                          1        5.00      5.00      0.0167    0.0408       83.33    204.12
---------------------------------------------------------------------------------------------------
total                           2       12.50     14.58      0.0167    0.0408       83.33    204.12

Test set: no structures
)");
}

TEST_CASE("the table for people keeps its columns whatever the groups are called and however large the errors are") {
  REQUIRE(rc::check([] {
    ErrorTable table;
    const auto part = rc::gen::element<std::string>("a", "Å", "原", "\n", "\t", " ", "long name ");
    for (const auto& parts : *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<std::string>>>(
             rc::gen::container<std::vector<std::string>>(part)))) {
      const double error = std::pow(10.0, *rc::gen::inRange(-12, 12)) * 1.2345;
      table.add(DataSet::kTest, fmt::format("{}", fmt::join(parts, "")), 1, {true, true, true},
                std::vector<double>(10, 0.0), std::vector<double>(10, error));
    }
    const std::vector<std::string> lines = lines_of(errors_text(table));
    for (std::size_t i = 2; i < lines.size(); ++i) {  // behind "Training set: no structures" and an empty line
      RC_ASSERT(characters(lines[i]) == 99U);
    }
    RC_ASSERT(lines.size() == 2 + 3 + table.of(DataSet::kTest).groups.size() + 2);
  }));
}

TEST_CASE("a group name that is too long for its column is cut, and says so") {
  ErrorTable table;
  table.add(DataSet::kTrain, "surface_reconstruction_7x7", 1, {true, false, false}, std::vector<double>{0.0},
            std::vector<double>{0.0});
  table.add(DataSet::kTrain, "twenty-two characters!", 1, {true, false, false}, std::vector<double>{0.0},
            std::vector<double>{0.0});
  const std::vector<std::string> lines = lines_of(errors_text(table));
  CHECK(lines[3].starts_with("surface_reconstructio…          1 "));
  CHECK(lines[4].starts_with("twenty-two characters!          1 "));
}

TEST_CASE("a group name that is no UTF-8 still gives valid JSON") {
  ErrorTable table;
  table.add(DataSet::kTrain, "caf\xe9", 1, {true, false, false}, std::vector<double>{0.0}, std::vector<double>{0.0});
  CHECK(Json::accept(errors_json(table)));
  CHECK(Json::parse(errors_json(table))["train"]["groups"].contains("caf\uFFFD"));
}

}  // namespace ipfit
