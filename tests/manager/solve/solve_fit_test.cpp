// The solve on stores made here: rows are random numbers, labels what given coefficients and a given reference make.
#include "manager/solve/solve_fit.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_keys.h"
#include "common/fit/repulsion.h"
#include "common/fit/write_fit_file.h"
#include "common/json.h"
#include "common/lsq/reduced.h"
#include "common/lsq/targets.h"
#include "common/model/model.h"
#include "manager/output/solution_files.h"
#include "manager/plan/dataset_index.h"
#include "manager/solve/assembled_fit.h"
#include "manager/store/block_store.h"
#include "tests/support/small_fit.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

constexpr std::int64_t kFunctions = 3;
const std::vector<double> kCoefficients{0.75, -1.5, 0.3};
constexpr double kOneBody = -4.25;  // eV

FitSpec silicon(bool zbl) {
  FitSpec spec = default_fit_spec(kPairBasis);
  spec.data.train = {"dimers.xyz"};
  spec.basis = PairSpec{{14}, 5.0, kFunctions};
  spec.reference.zbl = zbl;
  return spec;
}

/// A fit directory with 6 dimers, whose store holds random rows with a reference potential behind them, and whose
/// labels are one-body energies + coefficients times rows + reference potential.
void make_fit(const FitDirectory& directory, const FitSpec& spec) {
  std::mt19937_64 random(20240607);
  std::normal_distribution<double> number;
  const Model model{PairSpec{{14}, 5.0, kFunctions}, {}, {}, zbl_of(spec.reference, {14})};
  const auto columns = static_cast<std::size_t>(model.columns());
  std::vector<Structure> structures = test::dimers(6);
  std::vector<double> rows;
  std::int64_t count = 0;
  for (Structure& structure : structures) {
    const auto next = [&] {
      double label = 0.0;
      for (std::size_t column = 0; column < columns; ++column) {
        // The reference is larger than the rest: left in the labels, it would spoil everything.
        rows.push_back(column < kCoefficients.size() ? number(random) : 100.0 * number(random));
        label += (column < kCoefficients.size() ? kCoefficients[column] : 1.0) * rows.back();
      }
      ++count;
      return label;
    };
    structure.labels.energy = next() + 2.0 * kOneBody;
    for (Vec3& force : structure.labels.forces) {
      for (int axis = 0; axis < 3; ++axis) {
        force[axis] = next();
      }
    }
    for (double& component : *structure.labels.virial) {
      component = next();
    }
  }
  test::write_dataset(directory.dataset(), structures);
  REQUIRE(write_file_durably(directory.fit_file(), write_fit_file(spec)).ok());
  const auto dataset = open_dataset(directory.dataset());
  REQUIRE(dataset);
  auto store = BlockStore::open(directory.system(), {count, model.columns(), dataset->hash,
                                                     fingerprint(write_model(model)), std::string(build_id())});
  REQUIRE(store);
  const auto bytes = std::as_bytes(std::span(rows));
  REQUIRE(store->write({{0, count}, {bytes}, {checksum(bytes)}, "here:1", 0.1}).ok());
  REQUIRE(store->finish().ok());
}

}  // namespace

TEST_CASE("coefficients and one-body energies come out, with and without a reference potential in the labels") {
  for (const bool zbl : {false, true}) {
    for (const OneBodyRule rule : {OneBodyRule::kFit, OneBodyRule::kGiven}) {
      const test::TemporaryDirectory place(test::memory_folder());
      const FitDirectory directory{place.path()};
      FitSpec spec = silicon(zbl);
      spec.reference.one_body = rule;
      spec.solver = {.kind = SolverKind::kQr};
      if (rule == OneBodyRule::kGiven) {
        spec.reference.energies = {{14, kOneBody}};
      }
      make_fit(directory, spec);
      const auto summary = solve_fit(directory, "default");
      if (!summary) {
        FAIL(summary.error().text());
      }
      CAPTURE(zbl, static_cast<int>(rule));
      CHECK(summary->columns == kFunctions);
      const auto potential = read_model(*read_file(directory.potential("default")), "potential");
      REQUIRE(potential);
      CHECK(potential->zbl.has_value() == zbl);
      REQUIRE(potential->coefficients.size() == kCoefficients.size());
      for (std::size_t i = 0; i < kCoefficients.size(); ++i) {
        // 78 well-conditioned rows without noise; labels of 100 are rounded to 1e-14.
        CHECK(potential->coefficients[i] == Approx(kCoefficients[i]).epsilon(1e-12));
      }
      // Fitted, they come out as well, since they are fitted together with the coefficients.
      CHECK(potential->one_body.at(14) == Approx(kOneBody).epsilon(1e-12));
      CHECK(solve_fit(directory, "default")->was_there);
    }
  }
}

TEST_CASE("a fit file that asks for another repulsion than was assembled is refused") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  make_fit(directory, silicon(true));
  FitSpec other = silicon(true);
  other.reference.zbl_outer = 2.0;
  for (const FitSpec& spec : {other, silicon(false)}) {
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
  FitSpec spec = silicon(false);
  spec.reference.one_body = OneBodyRule::kGiven;
  spec.reference.energies = {{14, kOneBody}};
  spec.weights.fallback.virial = 0.0;
  spec.solver = {.kind = SolverKind::kBlr, .committee = 4, .seed = 7, .prior = {.kind = PriorKind::kAlgebraic}};
  make_fit(directory, spec);
  const auto summary = solve_fit(directory, "default");
  if (!summary) {
    FAIL(summary.error().text());
  }
  const Json found = Json::parse(*read_file(directory.coefficients("default")));
  CHECK(found["solver"] == Json::parse(R"({"kind": "blr", "committee": 4, "seed": 7,
    "prior": {"kind": "algebraic", "power": 2.0, "wl": 0.6666666666666666, "wn": 1.0}})"));
  CHECK(found["committee"].size() == 4);
  CHECK(found["committee"][0].size() == kFunctions);
  CHECK(found["effective_parameters"].get<double>() == Approx(3.0));
  CHECK(found["singular_values"].size() == kFunctions);
  for (std::size_t k = 0; k < kCoefficients.size(); ++k) {
    CHECK(found["coefficients"][k].get<double>() == Approx(kCoefficients[k]).epsilon(1e-10));
  }
}

TEST_CASE("every member of a committee has the one-body energies that fit best to it") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  FitSpec spec = silicon(false);
  spec.weights.fallback.virial = 0.0;
  spec.solver = {.kind = SolverKind::kBlr, .committee = 3};
  make_fit(directory, spec);
  REQUIRE(solve_fit(directory, "default"));
  const Json found = Json::parse(*read_file(directory.coefficients("default")));
  REQUIRE(found["committee_one_body"].size() == 3);

  // By hand: with 2 atoms in each dimer all energies weigh the same, and the best one-body energy leaves a mean of
  // zero.
  const auto fit = open_assembled(directory, spec);
  REQUIRE(fit);
  for (std::size_t member = 0; member < 3; ++member) {
    double mean = 0.0;
    std::vector<double> numbers(kFunctions);
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
  FitSpec spec = silicon(false);
  spec.reference.one_body = OneBodyRule::kGiven;
  spec.reference.energies = {{14, kOneBody + 0.5}};  // which leaves an error of 1 eV in every energy
  spec.weights.fallback.virial = 0.0;
  spec.solver = {.kind = SolverKind::kBlr, .prior = {.kind = PriorKind::kAlgebraic, .power = 4.0}};
  make_fit(directory, spec);
  REQUIRE(solve_fit(directory, "default"));
  const Json found = Json::parse(*read_file(directory.coefficients("default")));
  // MacKay's conditions: the effective parameters are alpha |gamma .* c|^2 and rows - beta |A c - y|^2, with gamma = 1,
  // 16, 81, and 6 energies and 36 forces.
  double weighed = 0.0;
  for (std::size_t k = 0; k < kCoefficients.size(); ++k) {
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
  const FitSpec spec = silicon(false);
  make_fit(directory, spec);
  // The last two of six dimers are for validation: same rows, other use.
  auto structures = *read_dataset(directory.dataset());
  structures[4].set = structures[5].set = DataSet::kValidation;
  test::write_dataset(directory.dataset(), structures);

  const auto fit = open_assembled(directory, spec);
  REQUIRE(fit);
  CHECK(fit->of(DataSet::kTrain).size() == 4);
  CHECK(fit->of(DataSet::kValidation).size() == 2);
  CHECK(fit->of(DataSet::kTest).empty());
  WeightsSpec weights;
  weights.groups["odd"] = {0.0, 1.0, 0.0};
  const auto rows = weigh(*fit, weights, {{14, kOneBody}});
  REQUIRE(rows);
  const auto training = reduce_set(*fit, *rows, DataSet::kTrain);
  const auto validation = reduce_set(*fit, *rows, DataSet::kValidation);
  REQUIRE(training);
  REQUIRE(validation);
  CHECK(training->rows == 2 * 13 + 2 * 6);
  CHECK(validation->rows == 13 + 6);
  CHECK(reduce_set(*fit, *rows, DataSet::kTest)->rows == 0);
  // Labels are exact: these coefficients leave nothing in either set. Labels of some tens times weights of 30 round.
  const Eigen::Map<const Eigen::VectorXd> exact(kCoefficients.data(), kFunctions);
  for (const ReducedSystem& system : {*training, *validation}) {
    CHECK((system.R * exact - system.z).norm() < 1e-10);
    CHECK(system.rho < 1e-10);
  }
}

TEST_CASE("weight 0 gives what a fit without these rows gives") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  FitSpec spec = silicon(false);
  make_fit(directory, spec);
  const auto fit = open_assembled(directory, spec);
  REQUIRE(fit);
  const auto rows = weigh(*fit, spec.weights, {});
  REQUIRE(rows);
  // By hand: the rows of the even dimers, which are those of the even blocks of 13 rows.
  std::vector<double> a;
  std::vector<double> y;
  for (std::int64_t row = 0; row < 6 * 13; ++row) {
    if (row / 13 % 2 == 0) {
      std::vector<double> numbers(kFunctions);
      REQUIRE(fit->store.read({row, 1}, numbers).ok());
      const double weight = rows->weights[static_cast<std::size_t>(row)];
      for (const double number : numbers) {
        a.push_back(weight * number);
      }
      y.push_back(weight * rows->targets[static_cast<std::size_t>(row)]);
    }
  }
  const ReducedSystem expected = ipfit::reduce(a, y, kFunctions);
  WeightsSpec without_odd = spec.weights;
  without_odd.groups["odd"] = {0.0, 0.0, 0.0};
  const auto found = reduce_set(*fit, *weigh(*fit, without_odd, {}), DataSet::kTrain);
  REQUIRE(found);
  CHECK(found->rows == expected.rows);
  CHECK(found->R == expected.R);  // the same rows in the same order: the same bits
  CHECK(found->z == expected.z);
}
