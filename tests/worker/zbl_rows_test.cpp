#include "worker/zbl_rows.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <cmath>

#include "common/lsq/observation.h"
#include "common/model/ace/ace_rule.h"
#include "tests/support/image_neighbours.h"
#include "tests/support/random_structures.h"
#include "worker/evaluate.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

constexpr RowMask kAll{true, true, true};
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

AceSpec ace_spec() {
  AceRule rule;
  rule.elements = {14, 8};
  rule.cutoff = 4.5;
  rule.size = 23;
  return make_ace_spec(rule).value();
}

// Larger than a bond, so that atoms at ordinary distances feel the repulsion; once within the cutoff, once beyond it.
const Model kModels[] = {{PairSpec{{14, 8}, 4.5, 3}, {}, {}, Zbl{1.5, 3.5}},
                         {PairSpec{{14, 8}, 2.5, 3}, {}, {}, Zbl{1.5, 3.5}},
                         {ace_spec(), {}, {}, Zbl{1.5, 3.5}}};

RowMatrix rows_of(const Model& model, const Structure& structure, RowMask mask = kAll) {
  Evaluator evaluator(model);
  RowMatrix rows(row_count(structure.size(), mask), evaluator.columns());
  const Status status = evaluator.evaluate(structure, mask, {rows.data(), static_cast<std::size_t>(rows.size())});
  INFO((status ? "" : status.error().text()));
  REQUIRE(status.ok());
  return rows;
}

/// Random structures of every kind of cell in which no distance is at an end of the switch, where the third derivative
/// jumps, or very short, where the repulsion is steep.
std::vector<Structure> structures() {
  std::vector<Structure> all;
  for (int kind = 0; kind < kCellKinds; ++kind) {
    for (std::uint64_t seed = 1;; ++seed) {
      REQUIRE(seed < 100'000);
      RandomStructures random(seed);
      Structure s = random.structure(static_cast<CellKind>(kind), 4, {14, 8});
      bool regular = true;
      for (std::int32_t i = 0; i < s.size(); ++i) {
        for (const ImageNeighbour& neighbour : image_neighbours(s, i, 4.6)) {
          const double r = neighbour.r.norm();
          regular = regular && r > 0.9 && std::abs(r - 1.5) > 0.01 && std::abs(r - 3.5) > 0.01 &&
                    std::abs(r - 2.5) > 0.01 && std::abs(r - 4.5) > 0.01;
        }
      }
      if (regular) {
        all.push_back(std::move(s));
        break;
      }
    }
  }
  return all;
}

/// Central difference of sixth order.
template <class Function>
double derivative(Function f, double h) {
  const auto difference = [&](double by) { return f(by) - f(-by); };
  return (45.0 * difference(h) - 9.0 * difference(2.0 * h) + difference(3.0 * h)) / (60.0 * h);
}

// h⁶/140 times the seventh derivative, at 0.9 Å about 7!/0.9⁷ times an energy of 100 eV: 1e-9 of the scale; rounding is
// below.
constexpr double kStep = 1e-3;
constexpr double kTolerance = 1e-9;

}  // namespace

TEST_CASE("the last column is the repulsion of all pairs, whose forces are minus the gradient of the energy") {
  bool felt = false;
  for (const Model& model : kModels) {
    for (const Structure& s : structures()) {
      const RowMatrix rows = rows_of(model, s);
      const Eigen::Index last = rows.cols() - 1;
      double energy = 0.0;
      for (std::int32_t i = 0; i < s.size(); ++i) {
        for (const ImageNeighbour& neighbour : image_neighbours(s, i, model.zbl->outer)) {
          energy += 0.5 * zbl_energy(*model.zbl, s.species[static_cast<std::size_t>(i)],
                                     s.species[static_cast<std::size_t>(neighbour.atom)], neighbour.r.norm())
                              .energy;
        }
      }
      felt = felt || energy > 0.1;
      const double scale = 1.0 + rows.col(last).cwiseAbs().maxCoeff();
      CHECK(std::abs(rows(0, last) - energy) < 1e-13 * scale);
      for (Eigen::Index i = 0; i < 3 * s.size(); ++i) {
        const auto energy_at = [&](double by) {
          Structure moved = s;
          moved.positions[static_cast<std::size_t>(i / 3)][i % 3] += by;
          return rows_of(model, moved, {true, false, false})(0, last);
        };
        CHECK(std::abs(rows(1 + i, last) + derivative(energy_at, kStep)) < kTolerance * scale);
      }
    }
  }
  CHECK(felt);
}

TEST_CASE("the virial of the repulsion is minus the derivative of the energy by the strain") {
  constexpr int kFirst[6] = {0, 1, 2, 1, 0, 0};
  constexpr int kSecond[6] = {0, 1, 2, 2, 2, 1};
  for (const Structure& s : structures()) {
    Structure near = s;
    const Vec3 origin = s.positions[0];
    for (Vec3& r : near.positions) {
      r -= origin;
    }
    const Model& model = kModels[0];
    const RowMatrix rows = rows_of(model, near);
    const Eigen::Index last = rows.cols() - 1;
    const double scale = 1.0 + rows.col(last).cwiseAbs().maxCoeff();
    for (int v = 0; v < 6; ++v) {
      const auto energy_at = [&](double by) {
        Mat3 strain = Mat3::Identity();
        strain(kFirst[v], kSecond[v]) += 0.5 * by;
        strain(kSecond[v], kFirst[v]) += 0.5 * by;
        Structure strained = near;
        for (Vec3& r : strained.positions) {
          r = (strain * r).eval();
        }
        strained.cell = near.cell * strain.transpose();
        return rows_of(model, strained, {true, false, false})(0, last);
      };
      CHECK(std::abs(rows(1 + 3 * s.size() + v, last) + derivative(energy_at, kStep / 4.0)) < 4.0 * kTolerance * scale);
    }
  }
}

TEST_CASE("the columns of the basis are those without a repulsion") {
  for (const Model& model : kModels) {
    Model without = model;
    without.zbl.reset();
    for (const Structure& s : structures()) {
      const RowMatrix with_zbl = rows_of(model, s);
      const RowMatrix expected = rows_of(without, s);
      REQUIRE(with_zbl.cols() == expected.cols() + 1);
      // Not the same bits where the repulsion reaches beyond the cutoff: neighbours then come in another order.
      CHECK((with_zbl.leftCols(expected.cols()) - expected).cwiseAbs().maxCoeff() <=
            1e-13 * expected.cwiseAbs().maxCoeff());
    }
  }
}

TEST_CASE("a fitted model predicts coefficients times functions plus the repulsion") {
  for (const Model& model : kModels) {
    Model fitted = model;
    Eigen::VectorXd factors = Eigen::VectorXd::Ones(model.columns());
    for (Eigen::Index i = 0; i + 1 < factors.size(); ++i) {
      factors[i] = std::cos(3.0 * static_cast<double>(i));
    }
    fitted.coefficients.assign(factors.begin(), factors.end() - 1);
    for (const Structure& s : structures()) {
      const RowMatrix rows = rows_of(model, s);
      const RowMatrix predicted = rows_of(fitted, s);
      REQUIRE(predicted.cols() == 1);
      CHECK((predicted - rows * factors).cwiseAbs().maxCoeff() < 1e-12 * (1.0 + rows.cwiseAbs().maxCoeff()));
    }
  }
}

TEST_CASE("the repulsion of atoms that nearly touch is large and finite") {
  Structure s;
  s.species = {14, 8};
  s.positions = {Vec3::Zero(), Vec3(0.0, 0.0, 0.02)};
  const RowMatrix rows = rows_of(kModels[0], s);
  const Eigen::Index last = rows.cols() - 1;
  CHECK(rows(0, last) > 1e4);
  CHECK(rows(3, last) < -1e6);  // the first atom is pushed away from the second
  CHECK(rows(3, last) == -rows(6, last));
}
