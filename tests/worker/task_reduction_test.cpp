#include "worker/task_reduction.h"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "common/lsq/reduced_row.h"
#include "common/lsq/targets.h"
#include "common/lsq/weights.h"

namespace ipfit {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kFunctions = 9;

Model model(bool zbl) {
  // Two elements: 3 pairs of 3 functions.
  Model out{PairSpec{{29, 79}, 5.0, kFunctions / 3}, {}, {}, {}};
  if (zbl) {
    out.zbl = Zbl{1.0, 2.0};
  }
  return out;
}

/// Structures with all labels, some of which bring weights; the rows are random numbers, since reducing looks at no
/// more of them.
struct Task {
  std::vector<Structure> structures;
  std::vector<RowMask> masks;
  std::vector<std::vector<double>> rows;
};

Task random_task(std::mt19937_64& random, std::size_t count, const Model& of) {
  std::normal_distribution<double> number;
  std::uniform_int_distribution<int> atoms(1, 12);
  std::bernoulli_distribution coin(0.5);
  Task task;
  for (std::size_t s = 0; s < count; ++s) {
    Structure structure;
    const auto size = static_cast<std::size_t>(atoms(random));
    for (std::size_t i = 0; i < size; ++i) {
      structure.species.push_back(coin(random) ? 29 : 79);
      structure.positions.emplace_back(number(random), number(random), number(random));
    }
    structure.cell = 10.0 * Mat3::Identity();
    structure.pbc = {true, true, true};
    structure.config_type = coin(random) ? "liquid" : "bulk";
    structure.set = s < count - 2 ? DataSet::kTrain : DataSet::kValidation;
    structure.labels.energy = 100.0 * number(random);
    for (std::size_t i = 0; i < size; ++i) {
      structure.labels.forces.emplace_back(number(random), number(random), number(random));
    }
    structure.labels.virial = Voigt{number(random), number(random), number(random), 0.5, 0.25, number(random)};
    if (s % 3 == 0) {
      structure.weights.energy = 2.5;
      structure.weights.forces.assign(size, 0.5);
      structure.weights.forces.back() = 3.0;
    }
    const RowMask mask = mask_of(structure);
    std::vector<double>& rows =
        task.rows.emplace_back(static_cast<std::size_t>(row_count(structure.size(), mask) * of.columns()));
    for (double& value : rows) {
      value = number(random);
    }
    task.masks.push_back(mask);
    task.structures.push_back(std::move(structure));
  }
  return task;
}

/// The reduced rows of the task, and which set each is of.
RowMajor reduced(const Model& of, const Task& task, const std::set<std::size_t>& excluded = {}) {
  const std::int64_t columns = reduced_columns(of);
  const TaskSets sets = task_sets(task.structures, task.masks, columns);
  RowMajor out = RowMajor::Constant(kept_rows(sets.sets), columns, NAN);
  TaskReduction reduction(of, sets, {out.data(), static_cast<std::size_t>(out.size())});
  for (std::size_t s = 0; s < task.structures.size(); ++s) {
    if (excluded.contains(s)) {
      reduction.skip();
    } else {
      reduction.add(task.structures[s], task.masks[s], task.rows[s]);
    }
  }
  reduction.finish();
  return out;
}

/// The same from the definition, for one set of rows: all of them, weighted, with what is known of each.
RowMajor rows_of_set(const Model& of, const Task& task, const TaskSets& sets, std::size_t wanted,
                     const std::set<std::size_t>& excluded = {}) {
  std::vector<Eigen::RowVectorXd> rows;
  for (std::size_t s = 0; s < task.structures.size(); ++s) {
    const Structure& structure = task.structures[s];
    std::vector<double> labels(static_cast<std::size_t>(row_count(structure.size(), task.masks[s])));
    fill_targets(structure, task.masks[s], {}, labels);
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const auto forces = static_cast<std::size_t>(3 * structure.size());
      const Kind kind = row == 0 ? Kind::kEnergy : row <= forces ? Kind::kForces : Kind::kVirial;
      if (excluded.contains(s) || set_of(sets.sets, sets.members[s], kind) != wanted) {
        continue;
      }
      const auto atoms = static_cast<double>(structure.size());
      double weight = kind == Kind::kForces ? 1.0 : 1.0 / std::sqrt(atoms);
      if (s % 3 == 0 && kind == Kind::kEnergy) {
        weight *= 2.5;
      }
      if (s % 3 == 0 && kind == Kind::kForces) {
        weight = row > forces - 3 ? 3.0 : 0.5;
      }
      Eigen::RowVectorXd all(reduced_columns(of));
      const bool energy = kind == Kind::kEnergy;
      all << Eigen::Map<const Eigen::RowVectorXd>(task.rows[s].data() + row * static_cast<std::size_t>(of.columns()),
                                                  of.columns()),
          energy ? static_cast<double>(std::ranges::count(structure.species, 29)) : 0.0,
          energy ? static_cast<double>(std::ranges::count(structure.species, 79)) : 0.0, labels[row];
      rows.emplace_back(weight * all);
    }
  }
  RowMajor out(static_cast<Eigen::Index>(rows.size()), reduced_columns(of));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) = rows[i];
  }
  return out;
}

void check_against_definition(const Model& of, const Task& task, const std::set<std::size_t>& excluded) {
  const TaskSets sets = task_sets(task.structures, task.masks, reduced_columns(of));
  const RowMajor found = reduced(of, task, excluded);
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < sets.sets.size(); ++k) {
    const RowMajor kept = found.middleRows(first, sets.sets[k].kept);
    first += sets.sets[k].kept;
    const RowMajor all = rows_of_set(of, task, sets, k, excluded);
    if (excluded.empty()) {
      CHECK(sets.sets[k].rows == all.rows());
    }
    // Orthogonal transformations leave A^T A; so all that any solution asks of the rows is the same. Rounding: some
    // epsilon of the squared lengths, for some hundred rows.
    const Eigen::MatrixXd expected = all.transpose() * all;
    CHECK((kept.transpose() * kept - expected).norm() <= 1e-13 * expected.norm());
  }
  CHECK(first == found.rows());
}

TEST_CASE("the reduced rows of each set have the products of all its rows") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const std::size_t structures : {4U, 20U, 200U}) {
    for (const bool zbl : {false, true}) {
      check_against_definition(model(zbl), random_task(random, structures, model(zbl)), {});
    }
  }
}

TEST_CASE("structures that are left out add nothing, and the size stays") {
  std::mt19937_64 random(Catch::rngSeed());
  const Task task = random_task(random, 40, model(false));
  check_against_definition(model(false), task, {0, 7, 39});
  CHECK(reduced(model(false), task).rows() == reduced(model(false), task, {0, 1, 2, 3}).rows());
  std::set<std::size_t> everything;
  for (std::size_t s = 0; s < 40; ++s) {
    everything.insert(s);
  }
  CHECK(reduced(model(false), task, everything).isZero(0.0));
}

TEST_CASE("targets formed of reduced rows are those of the rows") {
  std::mt19937_64 random(Catch::rngSeed());
  const Model of = model(true);
  const Task task = random_task(random, 100, of);
  const std::map<std::uint8_t, double> one_body{{29, -3.5}, {79, 1.25}};
  const Eigen::VectorXd factors = target_factors(of, one_body);
  const TaskSets sets = task_sets(task.structures, task.masks, reduced_columns(of));
  const RowMajor found = reduced(of, task);
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < sets.sets.size(); ++k) {
    const RowMajor all = rows_of_set(of, task, sets, k);
    const RowMajor kept = found.middleRows(first, sets.sets[k].kept);
    first += sets.sets[k].kept;
    // y = label - ZBL - one-body energies, by hand.
    const Eigen::VectorXd y = all.col(kFunctions + 3) - all.col(kFunctions) - (-3.5) * all.col(kFunctions + 1) -
                              1.25 * all.col(kFunctions + 2);
    const Eigen::VectorXd z = kept.rightCols(4) * factors;
    const Eigen::VectorXd c = Eigen::VectorXd::Random(kFunctions);
    const double expected = (all.leftCols(kFunctions) * c - y).norm();
    CHECK((kept.leftCols(kFunctions) * c - z).norm() == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("the same task gives the same bits, and nothing of a task before it is left") {
  std::mt19937_64 random(Catch::rngSeed());
  const Task task = random_task(random, 150, model(false));
  CHECK(reduced(model(false), task) == reduced(model(false), task));
}

}  // namespace
}  // namespace ipfit
