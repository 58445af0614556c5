// The solve on stores made here: rows are random numbers, labels what given coefficients and a given reference make.
#include "manager/solve/solve_fit.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "common/file_system.h"
#include "common/fit/write_fit_file.h"
#include "common/json.h"
#include "common/lsq/reduced.h"
#include "common/model/model.h"
#include "manager/output/solution_files.h"
#include "manager/plan/dataset_index.h"
#include "manager/solve/assembled_fit.h"
#include "tests/support/made_fit.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

TEST_CASE("coefficients and one-body energies come out, with and without a reference potential in the labels") {
  for (const bool zbl : {false, true}) {
    for (const OneBodyRule rule : {OneBodyRule::kFit, OneBodyRule::kGiven}) {
      const test::TemporaryDirectory place(test::memory_folder());
      const FitDirectory directory{place.path()};
      FitSpec spec = test::silicon(zbl);
      spec.reference.one_body = rule;
      spec.solver = {.kind = SolverKind::kQr};
      if (rule == OneBodyRule::kGiven) {
        spec.reference.energies = {{14, test::kOneBody}};
      }
      test::make_fit(directory, spec);
      const auto summary = solve_fit(directory, "default");
      if (!summary) {
        FAIL(summary.error().text());
      }
      CAPTURE(zbl, static_cast<int>(rule));
      CHECK(summary->columns == test::kFunctions);
      const auto potential = read_model(*read_file(directory.potential("default")), "potential");
      REQUIRE(potential);
      CHECK(potential->zbl.has_value() == zbl);
      REQUIRE(potential->coefficients.size() == test::kCoefficients.size());
      for (std::size_t i = 0; i < test::kCoefficients.size(); ++i) {
        // 78 well-conditioned rows without noise; labels of 100 are rounded to 1e-14.
        CHECK(potential->coefficients[i] == Approx(test::kCoefficients[i]).epsilon(1e-12));
      }
      // Fitted, they come out as well, since they are fitted together with the coefficients.
      CHECK(potential->one_body.at(14) == Approx(test::kOneBody).epsilon(1e-12));
      CHECK(solve_fit(directory, "default")->was_there);
    }
  }
}

TEST_CASE("a fit file that asks for another repulsion than was assembled is refused") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(true));
  FitSpec other = test::silicon(true);
  other.reference.zbl_outer = 2.0;
  for (const FitSpec& spec : {other, test::silicon(false)}) {
    REQUIRE(write_file_durably(directory.fit_file(), write_fit_file(spec)).ok());
    const auto summary = solve_fit(directory, "default");
    REQUIRE_FALSE(summary);
    CHECK(summary.error().kind == ErrorKind::kRefused);
    CHECK(summary.error().text().find("ZBL") != std::string::npos);
  }
}

TEST_CASE("a solver with a prior and a committee leaves all that it found in coefficients.json") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  FitSpec spec = test::silicon(false);
  spec.reference.one_body = OneBodyRule::kGiven;
  spec.reference.energies = {{14, test::kOneBody}};
  spec.weights.fallback.virial = 0.0;
  spec.solver = {.kind = SolverKind::kBlr, .committee = 4, .seed = 7, .prior = {.kind = PriorKind::kAlgebraic}};
  test::make_fit(directory, spec);
  const auto summary = solve_fit(directory, "default");
  if (!summary) {
    FAIL(summary.error().text());
  }
  const Json found = Json::parse(*read_file(directory.coefficients("default")));
  CHECK(found["solver"] == Json::parse(R"({"kind": "blr", "committee": 4, "seed": 7,
    "prior": {"kind": "algebraic", "power": 2.0, "wl": 0.6666666666666666, "wn": 1.0}})"));
  CHECK(found["committee"].size() == 4);
  CHECK(found["committee"][0].size() == test::kFunctions);
  CHECK(found["effective_parameters"].get<double>() == Approx(3.0));
  CHECK(found["singular_values"].size() == test::kFunctions);
  for (std::size_t k = 0; k < test::kCoefficients.size(); ++k) {
    CHECK(found["coefficients"][k].get<double>() == Approx(test::kCoefficients[k]).epsilon(1e-10));
  }
}

TEST_CASE("every member of a committee has the one-body energies that fit best to it") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  FitSpec spec = test::silicon(false);
  spec.weights.fallback.virial = 0.0;
  spec.solver = {.kind = SolverKind::kBlr, .committee = 3};
  test::make_fit(directory, spec);
  REQUIRE(solve_fit(directory, "default"));
  const Json found = Json::parse(*read_file(directory.coefficients("default")));
  REQUIRE(found["committee_one_body"].size() == 3);

  // By hand: with 2 atoms in each dimer all energies weigh the same, and the best one-body energy leaves a mean of
  // zero.
  const auto fit = open_assembled(directory, spec);
  REQUIRE(fit);
  for (std::size_t member = 0; member < 3; ++member) {
    double mean = 0.0;
    std::vector<double> numbers(test::kFunctions);
    for (std::size_t i = 0; i < fit->structures.size(); ++i) {
      REQUIRE(fit->store.read({13 * static_cast<std::int64_t>(i), 1}, numbers).ok());
      mean += *fit->structures[i].labels.energy / 6.0;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        mean -= found["committee"][member][k].get<double>() * numbers[k] / 6.0;
      }
    }
    CHECK(found["committee_one_body"][member]["Si"].get<double>() == Approx(mean / 2.0).epsilon(1e-12));
  }
}

TEST_CASE("rows of weight 0 are not taken for rows that are met without error, and the prior is that of the basis") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  FitSpec spec = test::silicon(false);
  spec.reference.one_body = OneBodyRule::kGiven;
  spec.reference.energies = {{14, test::kOneBody + 0.5}};  // which leaves an error of 1 eV in every energy
  spec.weights.fallback.virial = 0.0;
  spec.solver = {.kind = SolverKind::kBlr, .prior = {.kind = PriorKind::kAlgebraic, .power = 4.0}};
  test::make_fit(directory, spec);
  REQUIRE(solve_fit(directory, "default"));
  const Json found = Json::parse(*read_file(directory.coefficients("default")));
  // MacKay's conditions: the effective parameters are alpha |gamma .* c|^2 and rows - beta |A c - y|^2, with gamma = 1,
  // 16, 81, and 6 energies and 36 forces.
  double weighed = 0.0;
  for (std::size_t k = 0; k < test::kCoefficients.size(); ++k) {
    weighed += std::pow(std::pow(static_cast<double>(k + 1), 4) * found["coefficients"][k].get<double>(), 2);
  }
  const double parameters = found["effective_parameters"];
  CHECK(found["prior_precision"].get<double>() * weighed == Approx(parameters).epsilon(1e-6));
  CHECK(42.0 - found["noise_precision"].get<double>() * std::pow(found["residual"].get<double>(), 2) ==
        Approx(parameters).epsilon(1e-6));
}

TEST_CASE("rows of weight 0 and of validation structures have no part in the fit, and both systems can be had") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  const FitSpec spec = test::silicon(false);
  test::make_fit(directory, spec, 2);

  const auto fit = open_assembled(directory, spec);
  REQUIRE(fit);
  CHECK(fit->of(DataSet::kTrain).size() == 4);
  CHECK(fit->of(DataSet::kValidation).size() == 2);
  CHECK(fit->of(DataSet::kTest).empty());
  WeightsSpec weights;
  weights.groups["odd"] = {0.0, 1.0, 0.0};
  const auto rows = weigh(*fit, weights, {{14, test::kOneBody}});
  REQUIRE(rows);
  const auto training = reduce_set(*fit, *rows, DataSet::kTrain);
  const auto validation = reduce_set(*fit, *rows, DataSet::kValidation);
  REQUIRE(training);
  REQUIRE(validation);
  CHECK(training->rows == 2 * 13 + 2 * 6);
  CHECK(validation->rows == 13 + 6);
  CHECK(reduce_set(*fit, *rows, DataSet::kTest)->rows == 0);
  // Labels are exact: these coefficients leave nothing in either set. Labels of some tens times weights of 30 round.
  const Eigen::Map<const Eigen::VectorXd> exact(test::kCoefficients.data(), test::kFunctions);
  for (const ReducedSystem& system : {*training, *validation}) {
    CHECK((system.R * exact - system.z).norm() < 1e-10);
    CHECK(system.rho < 1e-10);
  }
}

TEST_CASE("weight 0 gives what a fit without these rows gives") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  FitSpec spec = test::silicon(false);
  test::make_fit(directory, spec);
  const auto fit = open_assembled(directory, spec);
  REQUIRE(fit);
  const auto rows = weigh(*fit, spec.weights, {});
  REQUIRE(rows);
  // By hand: the rows of the even dimers, which are those of the even blocks of 13 rows.
  std::vector<double> a;
  std::vector<double> y;
  for (std::int64_t row = 0; row < 6 * 13; ++row) {
    if (row / 13 % 2 == 0) {
      std::vector<double> numbers(test::kFunctions);
      REQUIRE(fit->store.read({row, 1}, numbers).ok());
      const double weight = rows->weights[static_cast<std::size_t>(row)];
      for (const double number : numbers) {
        a.push_back(weight * number);
      }
      y.push_back(weight * rows->targets[static_cast<std::size_t>(row)]);
    }
  }
  const ReducedSystem expected = ipfit::reduce(a, y, test::kFunctions);
  WeightsSpec without_odd = spec.weights;
  without_odd.groups["odd"] = {0.0, 0.0, 0.0};
  const auto found = reduce_set(*fit, *weigh(*fit, without_odd, {}), DataSet::kTrain);
  REQUIRE(found);
  CHECK(found->rows == expected.rows);
  CHECK(found->R == expected.R);  // the same rows in the same order: the same bits
  CHECK(found->z == expected.z);
}

// ---- damage --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::array<int, 3> kChanges{0x01, 0x80, 0xff};

/// The content with one byte changed, and what is left of it when it ends there.
std::vector<std::string> damaged_at(const std::string& content, std::size_t at) {
  std::string changed = content;
  changed[at] = static_cast<char>(changed[at] ^ kChanges[at % kChanges.size()]);
  return {changed, content.substr(0, at)};
}

/// Without its last line feed a text is as good as with it; and a reader that passes over keys which it does not know
/// sees no checksum where its name is damaged, with everything else as it was.
bool harmless(const std::string& damaged, const std::string& whole) {
  const std::size_t seal = whole.rfind("\"checksum\"") + 1;
  const bool name_only = damaged.size() == whole.size() && damaged.substr(0, seal) == whole.substr(0, seal) &&
                         damaged.substr(seal + 8) == whole.substr(seal + 8) && parse_json(damaged, "").ok() &&
                         whole.find("\"inputs\"") != std::string::npos;
  return damaged + "\n" == whole || name_only;
}

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

void replace(const std::string& path, const std::string& content) {
  REQUIRE(write_file_durably(path, content));
}

}  // namespace

TEST_CASE("a data set that is damaged at any byte, or ends there, is not solved with") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(false));
  const std::string whole = content_of(directory.dataset());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const std::string& damaged : damaged_at(whole, at)) {
      replace(directory.dataset(), damaged);
      INFO("byte " << at << " of " << damaged.size());
      const auto summary = solve_fit(directory, "default");
      REQUIRE_FALSE(summary);
      REQUIRE(summary.error().kind == ErrorKind::kStorage);
      REQUIRE_FALSE(summary.error().remedy.empty());
    }
  }
  replace(directory.dataset(), whole);
  CHECK(solve_fit(directory, "default"));
}

TEST_CASE(
    "a matrix or journal that is damaged at any byte, or ends there, is not solved with, unless nothing is lost") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(false));
  for (const std::string& path : {directory.system() + "/blocks.f64", directory.system() + "/journal"}) {
    const std::string whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const std::string& damaged : damaged_at(whole, at)) {
        replace(path, damaged);
        INFO(path << " byte " << at << " of " << damaged.size());
        const auto summary = solve_fit(directory, "default");
        // The last record says only that the phase is finished.
        REQUIRE(summary.ok() == (path.ends_with("journal") && at >= whole.size() - 40));
      }
    }
    replace(path, whole);
  }
}

TEST_CASE("a solution file that is damaged at any byte, or ends there, is refused, and solving gives the same bits") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(true));
  REQUIRE(solve_fit(directory, "default"));
  for (const std::string& path : {directory.potential("default"), directory.coefficients("default")}) {
    const std::string whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const std::string& damaged : damaged_at(whole, at)) {
        replace(path, damaged);
        INFO(path << " byte " << at << " of " << damaged.size());
        const bool refused =
            path == directory.potential("default") ? !read_model(damaged, path) : !read_coefficients(damaged, path);
        REQUIRE(refused != harmless(damaged, whole));
        REQUIRE(solve_fit(directory, "default")->was_there != refused);
        REQUIRE((!refused || content_of(path) == whole));
      }
    }
    replace(path, whole);
  }
}
