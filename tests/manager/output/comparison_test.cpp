#include "manager/output/comparison.h"

#include <catch2/catch.hpp>

#include "common/file_system.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

void write_solution(const FitDirectory& directory, const std::string& name, const std::string& solver,
                    const std::string& errors) {
  REQUIRE(make_directories(directory.solution(name)).ok());
  REQUIRE(write_file_durably(directory.coefficients(name),
                             R"({"columns": ["a", "b"], "coefficients": [1.5, 0], "solver": )" + solver + "}")
              .ok());
  if (!errors.empty()) {
    REQUIRE(write_file_durably(directory.errors_json(name), errors).ok());
  }
}

std::string energy_errors(double mae) {
  return R"({"train": {"total": {"energy": {"mae": )" + std::to_string(mae) + R"(, "rmse": 5.0}}}})";
}

}  // namespace

TEST_CASE("solutions stand in one table, the default first, the best numbers with a star") {
  const test::TemporaryDirectory place;
  const FitDirectory directory{place.path()};
  CHECK(read_solutions(directory).error().kind == ErrorKind::kInput);
  write_solution(directory, "a", R"({"kind": "ridge", "lambda": 0.5})", energy_errors(2.0));
  write_solution(directory, "default", R"({"kind": "qr"})", energy_errors(3.0));
  write_solution(directory, "new", R"({"kind": "qr"})", "");
  const auto solutions = read_solutions(directory);
  REQUIRE(solutions);
  REQUIRE(solutions->size() == 3);
  CHECK(solutions->front().name == "default");
  CHECK(solutions->front().functions == 1);
  CHECK(solver_in_words((*solutions)[1].solver) == "ridge, lambda = 0.5");
  const std::string text = comparison_text(*solutions);
  CHECK(text.find("2.00*") != std::string::npos);
  CHECK(text.find("3.00*") == std::string::npos);
  CHECK(text.find("training set") != std::string::npos);
  CHECK(text.find("test set") == std::string::npos);  // no solution has errors there
  const Json json = *parse_json(comparison_json(*solutions), "comparison");
  CHECK(json["solutions"][1]["errors"]["train"]["energy"]["mae"] == 2.0);
  CHECK(json["solutions"][2]["errors"].empty());
}

TEST_CASE("a damaged file of a solution is named") {
  const test::TemporaryDirectory place;
  const FitDirectory directory{place.path()};
  write_solution(directory, "default", R"({"kind": "qr"})", "{");
  CHECK(read_solutions(directory).error().where.find("errors.json") != std::string::npos);
}

TEST_CASE("what a solution weighs in another way is said") {
  FitSpec base;
  base.weights.groups["liquid"] = {10.0, 1.0, 1.0};
  FitSpec own = base;
  CHECK(weight_changes(base, own).empty());
  own.weights.fallback.forces = 2.0;
  own.weights.groups["liquid"] = {0.0, 0.0, 0.0};
  own.weights.groups["bulk"] = {.energy_sigma = 0.25};
  own.reference.one_body = OneBodyRule::kNone;
  const std::vector<std::string> expected{"default forces = 2", "bulk energy_sigma = 0.25", "without liquid",
                                          "one_body"};
  CHECK(weight_changes(base, own) == expected);
}
