#include "manager/output/solution_files.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/json.h"
#include "common/json_seal.h"

namespace ipfit {
namespace {

Solution solution_of(const std::vector<double>& coefficients) {
  Solution solution;
  solution.coefficients =
      Eigen::Map<const Eigen::VectorXd>(coefficients.data(), static_cast<Eigen::Index>(coefficients.size()));
  solution.rank = static_cast<std::int64_t>(coefficients.size());
  solution.condition = 2.7e5;
  solution.residual = 0.125;
  solution.status = "full rank 2 of 2, condition 2.7e5";
  return solution;
}

double any_finite_double() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  double value = 0.0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return std::isfinite(value) ? value : std::copysign(0.0, value);
}

std::vector<std::string> labels_of(std::size_t count) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back(fmt::format("Si-Si k={}", i));
  }
  return labels;
}

}  // namespace

TEST_CASE("coefficients come back from their file to the bit") {
  REQUIRE(rc::check([] {
    std::vector<double> values(*rc::gen::inRange<std::size_t>(0, 20));
    std::generate(values.begin(), values.end(), any_finite_double);
    values.push_back(*rc::gen::element(-0.0, std::numeric_limits<double>::denorm_min(),
                                       std::numeric_limits<double>::max(), 0.1, 1e23, 5e-324));
    const std::vector<std::string> labels = labels_of(values.size());
    const Result<Coefficients> read =
        read_coefficients(coefficients_json(labels, solution_of(values), {}, {}, "abc"), "coefficients.json");
    RC_ASSERT(read.ok());
    RC_ASSERT(read->columns == labels);
    RC_ASSERT(read->inputs == "abc");
    RC_ASSERT(read->values.size() == values.size());
    RC_ASSERT(std::memcmp(read->values.data(), values.data(), values.size() * sizeof(double)) == 0);
  }));
}

TEST_CASE("coefficients.json says how the solution was obtained and what belongs to it") {
  const std::string text = coefficients_json({"Si-Si k=0", "Si-Si k=1"}, solution_of({1.5, -2.0}),
                                             {SolverKind::kRidge, 1e-3}, {{14, -0.8}, {8, -1.5}}, "abc");
  Json json = Json::parse(text);
  CHECK(check_seal(json, text, "coefficients.json"));
  json.erase("checksum");
  CHECK(json == Json::parse(R"({
    "columns": ["Si-Si k=0", "Si-Si k=1"], "coefficients": [1.5, -2.0], "one_body": {"O": -1.5, "Si": -0.8},
    "solver": {"kind": "ridge", "lambda": 0.001}, "status": "full rank 2 of 2, condition 2.7e5",
    "rank": 2, "condition": 270000.0, "residual": 0.125, "inputs": "abc"})"));
  CHECK(text.starts_with("{\n \"columns\": ["));
  CHECK(Json::parse(coefficients_json({}, solution_of({}), {}, {}, ""))["solver"] == Json{{"kind", "qr"}});
}

TEST_CASE("coefficients.json has what a solver found, and nothing of what it did not") {
  Solution solution = solution_of({1.5, -2.0});
  solution.lambda = 0.5;
  solution.effective_parameters = 1.75;
  solution.log_evidence = -12.0;
  solution.noise_precision = 4.0;
  solution.prior_precision = 1.0;
  solution.precisions = Eigen::Vector2d(3.0, std::numeric_limits<double>::infinity());
  solution.singular_values = Eigen::Vector2d(2.0, 0.25);
  solution.committee = Eigen::Matrix2d{{1.0, 2.0}, {3.0, 4.0}};
  solution.path = {{0, 7.0, {}}, {1, 3.0, 5.0}};
  const SolverSpec solver{.kind = SolverKind::kArd, .committee = 2, .seed = 3, .prior = {.kind = PriorKind::kGaussian}};
  Json found = Json::parse(coefficients_json({"a", "b"}, solution, solver, {}, "abc"));
  CHECK(found["solver"] == Json::parse(R"({"kind": "ard", "committee": 2, "seed": 3,
    "prior": {"kind": "gaussian", "wl": 0.6666666666666666, "wn": 1.0}})"));
  CHECK(found["committee"] == Json::parse("[[1.0, 3.0], [2.0, 4.0]]"));
  CHECK(found["precisions"] == Json::parse("[3.0, null]"));
  CHECK(found["singular_values"] == Json::parse("[2.0, 0.25]"));
  CHECK(found["path"] ==
        Json::parse(R"([{"columns": 0, "residual": 7.0}, {"columns": 1, "residual": 3.0, "validation": 5.0}])"));
  CHECK(found["lambda"] == 0.5);
  CHECK(found["effective_parameters"] == 1.75);
  CHECK(found["log_evidence"] == -12.0);
  CHECK(found["noise_precision"] == 4.0);
  CHECK(found["prior_precision"] == 1.0);
  const Json plain = Json::parse(coefficients_json({"a", "b"}, solution_of({1.5, -2.0}), {}, {}, "abc"));
  for (const char* key : {"committee", "precisions", "singular_values", "path", "lambda", "log_evidence"}) {
    CHECK_FALSE(plain.contains(key));
  }
}

TEST_CASE("the solver in coefficients.json has the keys that it uses, and words where a rule was to find them") {
  const auto solver_of = [](const SolverSpec& solver) {
    return Json::parse(coefficients_json({}, solution_of({}), solver, {}, ""))["solver"];
  };
  CHECK(solver_of({.kind = SolverKind::kTsvd, .rtol = 1e-7}) == Json{{"kind", "tsvd"}, {"rtol", 1e-7}});
  CHECK(solver_of({.kind = SolverKind::kRidge, .strength = StrengthRule::kGcv}) ==
        Json{{"kind", "ridge"}, {"lambda", "gcv"}});
  CHECK(solver_of({.kind = SolverKind::kOmp, .size = 30}) == Json{{"kind", "omp"}, {"size", 30}});
  CHECK(solver_of({.kind = SolverKind::kLsqr, .lambda = 0.5, .rtol = 1e-6}) ==
        Json{{"kind", "lsqr"}, {"lambda", 0.5}, {"rtol", 1e-6}});
}

TEST_CASE("a condition that is infinite is null") {
  Solution solution = solution_of({1.0});
  solution.condition = std::numeric_limits<double>::infinity();
  CHECK(Json::parse(coefficients_json({"a"}, solution, {}, {}, ""))["condition"].is_null());
}

TEST_CASE("further keys in coefficients.json are no mistake") {
  const Result<Coefficients> read =
      read_coefficients(R"({"columns": ["a"], "coefficients": [3], "note": [1, 2]})", "c.json");
  REQUIRE(read);
  CHECK(*read == Coefficients{{"a"}, {3.0}, "", ""});
}

TEST_CASE("a coefficients.json that is not one is refused with its name and what is wrong") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {"", "not valid JSON at byte 1"},
      {"[]", "there is no list \"columns\""},
      {"{}", "there is no list \"columns\""},
      {R"({"columns": "a", "coefficients": [1]})", "there is no list \"columns\""},
      {R"({"columns": ["a"]})", "there is no list \"coefficients\""},
      {R"({"columns": ["a", "b"], "coefficients": [1]})", "2 columns, but 1 coefficients"},
      {R"({"columns": ["a", "a"], "coefficients": [1, 2]})", "columns[1] is no text, or stands twice"},
      {R"({"columns": ["a", 2], "coefficients": [1, 2]})", "columns[1] is no text, or stands twice"},
      {R"({"columns": ["a"], "coefficients": [null]})", "coefficients[0] is no finite number"},
      {R"({"columns": ["a"], "coefficients": ["1"]})", "coefficients[0] is no finite number"},
      {R"({"columns": ["a"], "coefficients": [1e999]})", "not valid JSON: a number is too large for a double"},
  }));
  INFO(text);
  const Result<Coefficients> read = read_coefficients(text, "c.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::kInput);
  CHECK(read.error().where == "c.json");
  CHECK(read.error().what == what);
}

TEST_CASE("a coefficients.json cut anywhere is refused") {
  const std::string text = coefficients_json({"a", "b"}, solution_of({1.5, -2.0}), {}, {{14, -0.8}}, "abc");
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {  // the last two bytes are "}" and the line end
    CHECK_FALSE(read_coefficients(text.substr(0, length), "c.json"));
  }
}

}  // namespace ipfit
