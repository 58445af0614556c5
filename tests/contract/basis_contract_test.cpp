// What every basis must do, present and future: one body, run for every specification of the table.
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "common/atoms/element.h"
#include "common/model/ace/ace_rule.h"
#include "tests/support/image_neighbours.h"
#include "tests/support/random_structures.h"
#include "worker/evaluate.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

struct Named {
  const char* name;
  BasisSpec spec;
};

AceSpec ace(std::vector<std::uint8_t> elements, double cutoff, std::vector<int> n_max, std::vector<int> l_max,
            void (*change)(AceRule&) = nullptr) {
  AceRule rule;
  rule.elements = std::move(elements);
  rule.cutoff = cutoff;
  rule.choice = AceChoice::kLists;
  rule.n_max = std::move(n_max);
  rule.l_max = std::move(l_max);
  if (change != nullptr) {
    change(rule);
  }
  return make_ace_spec(rule).value();
}

const std::vector<Named>& specifications() {
  static const std::vector<Named> all{
      {"pair, Si, 1 function, 3 Å", PairSpec{{14}, 3.0, 1}},
      {"pair, Si, 8 functions, 5 Å", PairSpec{{14}, 5.0, 8}},
      {"pair, In P, 5 functions, 4.5 Å", PairSpec{{49, 15}, 4.5, 5}},
      {"pair, C Si O, 6 functions, 5 Å", PairSpec{{6, 14, 8}, 5.0, 6}},
      {"pair, O Si, 12 functions, 8 Å", PairSpec{{8, 14}, 8.0, 12}},
      {"ACE, Si, ranks 1 to 5, SBessel, 4 Å", ace({14}, 4.0, {5, 3, 2, 1, 1}, {0, 3, 2, 2, 1})},
      {"ACE, In P, ranks 1 to 4, SBessel, 4.5 and 3.5 Å", ace({49, 15}, 4.5, {3, 2, 1, 1}, {0, 2, 1, 1},
                                                              [](AceRule& rule) {
                                                                rule.pair_cutoffs[{15, 49}] = 3.5;
                                                              })},
      {"ACE, C Si O, ranks 1 to 3, ChebExpCos, 4.5 Å", ace({6, 14, 8}, 4.5, {3, 2, 1}, {0, 1, 1},
                                                           [](AceRule& rule) {
                                                             rule.radial = RadialFamily::kChebExpCos;
                                                             rule.lambda = 3.0;
                                                             rule.cutoff_width = 1.5;
                                                           })},
      {"ACE, Si, ranks 1 to 5, ChebPow with an inner cutoff, 4 Å", ace({14}, 4.0, {4, 2, 2, 1, 1}, {0, 2, 1, 1, 1},
                                                                       [](AceRule& rule) {
                                                                         rule.radial = RadialFamily::kChebPow;
                                                                         rule.lambda = 3.0;
                                                                         rule.inner_cutoff = 1.5;
                                                                         rule.inner_width = 1.0;
                                                                       })},
  };
  return all;
}

constexpr RowMask kAll{true, true, true};
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows with names for their parts.
struct Parts {
  RowMatrix all;
  Eigen::Index atoms;
  auto energy() const { return all.row(0); }
  auto force(Eigen::Index atom) const { return all.middleRows(1 + 3 * atom, 3); }
  auto forces() const { return all.middleRows(1, 3 * atoms); }
  auto virial() const { return all.bottomRows(6); }
  double scale() const { return 1.0 + all.cwiseAbs().maxCoeff(); }
};

Parts evaluate(Evaluator& evaluator, const Structure& structure) {
  Parts parts{RowMatrix(row_count(structure.size(), kAll), evaluator.columns()), structure.size()};
  const Status status =
      evaluator.evaluate(structure, kAll, {parts.all.data(), static_cast<std::size_t>(parts.all.size())});
  INFO((status ? "" : status.error().text()));
  REQUIRE(status.ok());
  return parts;
}

/// Distances at which functions are only twice differentiable, which finite differences of high order do not like.
std::vector<double> kinks(const PairSpec& spec) {
  return {spec.cutoff};
}
std::vector<double> kinks(const AceSpec& spec) {
  std::vector<double> all;
  for (const AceBond& bond : spec.bonds) {
    all.insert(all.end(),
               {bond.cutoff, bond.cutoff - bond.cutoff_width, bond.inner_cutoff, bond.inner_cutoff - bond.inner_width});
  }
  return all;
}

double pair_cutoff(const PairSpec& spec, std::uint8_t /*a*/, std::uint8_t /*b*/) {
  return spec.cutoff;
}
double pair_cutoff(const AceSpec& spec, std::uint8_t a, std::uint8_t b) {
  const auto index = [&](std::uint8_t Z) {
    return static_cast<std::size_t>(std::find(spec.elements.begin(), spec.elements.end(), Z) - spec.elements.begin());
  };
  return spec.bonds[spec.bond_index(index(a), index(b))].cutoff;
}

/// No two atoms (or images) closer than 0.7 Å, none within `margin` of a kink.
bool regular(const Structure& s, const BasisSpec& spec, double margin) {
  const std::vector<double> avoided = std::visit([](const auto& kind) { return kinks(kind); }, spec);
  for (std::int32_t i = 0; i < s.size(); ++i) {
    for (const ImageNeighbour& neighbour : image_neighbours(s, i, cutoff_of(spec) + margin)) {
      const double r = neighbour.r.norm();
      if (r < 0.7 ||
          std::any_of(avoided.begin(), avoided.end(), [&](double at) { return std::abs(r - at) < margin; })) {
        return false;
      }
    }
  }
  return true;
}

/// Structures of all kinds of cells, small enough for finite differences.
std::vector<Structure> structures_for(const BasisSpec& spec, double margin) {
  std::vector<Structure> all;
  for (int kind = 0; kind < kCellKinds; ++kind) {
    for (std::uint64_t seed = 1;; ++seed) {
      REQUIRE(seed < 100'000);
      RandomStructures random(seed);
      const auto cell = static_cast<CellKind>(kind);
      const int atoms = cell == CellKind::kSmall ? 2 : cell == CellKind::kSlab ? 9 : 5;
      Structure s = random.structure(cell, atoms, elements_of(spec));
      if (regular(s, spec, margin)) {
        all.push_back(std::move(s));
        break;
      }
    }
  }
  // Left-handed, and a dimer and an atom alone in a vacuum and in a cell.
  Structure left = all[static_cast<std::size_t>(CellKind::kTriclinic)];
  left.cell.row(0).swap(left.cell.row(1));
  left.source.file = "left-handed";
  all.push_back(left);
  Structure dimer;
  dimer.species = {elements_of(spec).front(), elements_of(spec).back()};
  dimer.positions = {Vec3(0.1, 0.2, 0.3), Vec3(0.9, 1.4, 1.3)};
  all.push_back(dimer);
  Structure alone;
  alone.species = {elements_of(spec).front()};
  alone.positions = {Vec3(1.0, 1.0, 1.0)};
  all.push_back(alone);
  alone.cell = Mat3::Identity() * 0.6 * cutoff_of(spec);
  alone.pbc = {true, true, true};
  all.push_back(alone);
  return all;
}

/// x -> rotation * x of everything that is a vector.
Structure transformed(Structure s, const Mat3& matrix) {
  for (Vec3& r : s.positions) {
    r = (matrix * r).eval();
  }
  s.cell = s.cell * matrix.transpose();
  return s;
}

Mat3 random_rotation(RandomStructures& random) {
  return Eigen::Quaterniond(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1))
      .normalized()
      .toRotationMatrix();
}

/// Derivative at 0 of f, a function of one number, by central differences of sixth order.
template <class Function>
auto derivative(Function f, double h) {
  const auto difference = [&](double by) { return (f(by) - f(-by)).eval(); };
  return ((45.0 * difference(h) - 9.0 * difference(2.0 * h) + difference(3.0 * h)) / (60.0 * h)).eval();
}

constexpr double kStep = 2e-3;
/// h^6/140 times the seventh derivative: 4e-19 times less than (12 per Å)^7 = 4e7; and rounding of sums of some hundred
/// terms, 100 epsilon of the scale, over the step.
constexpr double kDerivativeTolerance = 1e-10;

// Voigt component -> the two axes.
constexpr int kFirst[6] = {0, 1, 2, 1, 0, 0};
constexpr int kSecond[6] = {0, 1, 2, 2, 2, 1};

Mat3 tensor(const Eigen::VectorXd& voigt) {
  Mat3 t;
  for (int v = 0; v < 6; ++v) {
    t(kFirst[v], kSecond[v]) = t(kSecond[v], kFirst[v]) = voigt[v];
  }
  return t;
}

double difference(const RowMatrix& a, const RowMatrix& b) {
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

#define FOR_EVERY_BASIS(named)                \
  for (const Named& named : specifications()) \
  SECTION(named.name)

TEST_CASE("there is a name for every column, each once") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    auto labels = column_labels(basis.spec);
    REQUIRE(static_cast<std::int64_t>(labels.size()) == evaluator.columns());
    std::sort(labels.begin(), labels.end());
    REQUIRE(std::adjacent_find(labels.begin(), labels.end()) == labels.end());
  }
}

TEST_CASE("forces are minus the gradient of the energy") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    for (const Structure& s : structures_for(basis.spec, 3.0 * kStep)) {
      const Parts parts = evaluate(evaluator, s);
      for (Eigen::Index atom = 0; atom < s.size(); ++atom) {
        for (int axis = 0; axis < 3; ++axis) {
          const auto energy = [&](double by) {
            Structure moved = s;
            moved.positions[static_cast<std::size_t>(atom)][axis] += by;
            return evaluate(evaluator, moved).energy().eval();
          };
          const auto gradient = derivative(energy, kStep);
          REQUIRE((parts.force(atom).row(axis) + gradient).cwiseAbs().maxCoeff() <
                  kDerivativeTolerance * parts.scale());
        }
      }
    }
  }
}

TEST_CASE("the virial is minus the derivative of the energy by the strain, in all six components") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    for (const Structure& s : structures_for(basis.spec, 3.0 * kStep * cutoff_of(basis.spec))) {
      // Atoms near the origin: a strain moves the others by their distance from it.
      Structure near = s;
      const Vec3 origin = s.positions[0];
      for (Vec3& r : near.positions) {
        r -= origin;
      }
      const Parts parts = evaluate(evaluator, near);
      for (int v = 0; v < 6; ++v) {
        const auto energy = [&](double by) {
          Mat3 strain = Mat3::Identity();
          strain(kFirst[v], kSecond[v]) += by / 2.0;
          strain(kSecond[v], kFirst[v]) += by / 2.0;
          return evaluate(evaluator, transformed(near, strain)).energy().eval();
        };
        const auto slope = derivative(energy, kStep / 2.0);
        REQUIRE((parts.virial().row(v) + slope).cwiseAbs().maxCoeff() < kDerivativeTolerance * 10.0 * parts.scale());
      }
    }
  }
}

// Tolerance of the invariances: the same sums in another order or another frame, some hundred roundings of the scale,
// and positions up to 1e2 Å (3e4 Å where clusters are far apart) rounded anew, times slopes of some 10 per Å.
constexpr double kInvariance = 1e-11;
double invariance(const Structure& s, const Parts& parts) {
  double reach = 100.0;
  for (const Vec3& r : s.positions) {
    reach = std::max(reach, r.norm());
  }
  return kInvariance * reach / 100.0 * parts.scale();
}

TEST_CASE("a translation changes nothing, and atoms may lie in any image of the cell") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    RandomStructures random(17);
    for (const Structure& s : structures_for(basis.spec, 1e-6)) {
      const Parts parts = evaluate(evaluator, s);
      Structure moved = s;
      const Vec3 by = random.vector(30.0);
      for (Vec3& r : moved.positions) {
        r += by;
        for (int d = 0; d < 3; ++d) {
          if (s.pbc[static_cast<std::size_t>(d)]) {
            r += random.integer(-2, 2) * s.cell.row(d).transpose();
          }
        }
      }
      REQUIRE(difference(evaluate(evaluator, moved).all, parts.all) < invariance(moved, parts));
    }
  }
}

TEST_CASE("rotation and reflection leave the energy and turn forces and virial") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    RandomStructures random(18);
    for (const Structure& s : structures_for(basis.spec, 1e-6)) {
      const Parts parts = evaluate(evaluator, s);
      for (const double handedness : {1.0, -1.0}) {
        const Mat3 turn = handedness * random_rotation(random);
        const Parts turned = evaluate(evaluator, transformed(s, turn));
        const double tolerance = invariance(s, parts);
        REQUIRE(difference(turned.energy(), parts.energy()) < tolerance);
        for (Eigen::Index atom = 0; atom < s.size(); ++atom) {
          REQUIRE(difference(turned.force(atom), turn * parts.force(atom)) < tolerance);
        }
        for (Eigen::Index c = 0; c < parts.all.cols(); ++c) {
          const Mat3 expected = turn * tensor(parts.virial().col(c)) * turn.transpose();
          REQUIRE((tensor(turned.virial().col(c)) - expected).cwiseAbs().maxCoeff() < tolerance);
        }
      }
    }
  }
}

TEST_CASE("the order of the atoms only orders the forces") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    for (const Structure& s : structures_for(basis.spec, 1e-6)) {
      const Parts parts = evaluate(evaluator, s);
      Structure reversed = s;
      std::reverse(reversed.species.begin(), reversed.species.end());
      std::reverse(reversed.positions.begin(), reversed.positions.end());
      const Parts other = evaluate(evaluator, reversed);
      const double tolerance = invariance(s, parts);
      REQUIRE(difference(other.energy(), parts.energy()) < tolerance);
      REQUIRE(difference(other.virial(), parts.virial()) < tolerance);
      for (Eigen::Index atom = 0; atom < s.size(); ++atom) {
        REQUIRE(difference(other.force(s.size() - 1 - atom), parts.force(atom)) < tolerance);
      }
    }
  }
}

TEST_CASE("a supercell has the energy and virial of its cells and the same forces") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    for (const Structure& s : structures_for(basis.spec, 1e-6)) {
      const Parts parts = evaluate(evaluator, s);
      constexpr int kRepeats[3] = {2, 1, 3};
      Structure super = s;
      super.species.clear();
      super.positions.clear();
      int copies = 1;
      int repeats[3];
      for (int d = 0; d < 3; ++d) {
        repeats[d] = s.pbc[static_cast<std::size_t>(d)] ? kRepeats[d] : 1;
        copies *= repeats[d];
        super.cell.row(d) *= repeats[d];
      }
      for (int copy = 0; copy < copies; ++copy) {
        const Vec3 shift = s.cell.transpose() *
                           Vec3(copy % repeats[0], copy / repeats[0] % repeats[1], copy / repeats[0] / repeats[1]);
        for (std::size_t i = 0; i < s.species.size(); ++i) {
          super.species.push_back(s.species[i]);
          super.positions.push_back(s.positions[i] + shift);
        }
      }
      const Parts whole = evaluate(evaluator, super);
      const double tolerance = copies * invariance(super, parts);
      REQUIRE(difference(whole.energy(), copies * parts.energy()) < tolerance);
      REQUIRE(difference(whole.virial(), copies * parts.virial()) < tolerance);
      for (Eigen::Index atom = 0; atom < super.size(); ++atom) {
        REQUIRE(difference(whole.force(atom), parts.force(atom % s.size())) < tolerance);
      }
    }
  }
}

TEST_CASE("what an atom adds vanishes smoothly as it leaves the cutoff") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    for (const std::uint8_t a : elements_of(basis.spec)) {
      for (const std::uint8_t b : elements_of(basis.spec)) {
        const double cutoff = std::visit([&](const auto& kind) { return pair_cutoff(kind, a, b); }, basis.spec);
        // A third atom, so that many-body functions have something to see.
        const auto rows = [&](double r) {
          Structure s;
          s.species = {a, b, a};
          s.positions = {Vec3::Zero(), Vec3(r, 0.0, 0.0), Vec3(0.0, 0.6 * cutoff, 0.0)};
          return evaluate(evaluator, s);
        };
        const RowMatrix gone = rows(cutoff + 1e-9).all;
        const double near = difference(rows(cutoff - 1e-3).all, gone);
        const double nearer = difference(rows(cutoff - 1e-4).all, gone);
        // Forces, the slowest, fall at least with the square of the distance to the cutoff: 100 times per decade.
        REQUIRE(near > 0.0);
        REQUIRE(near < 1e-3 * rows(0.5 * cutoff).scale());
        REQUIRE(nearer < near / 90.0);
        REQUIRE(difference(rows(cutoff * (1.0 - 1e-15)).all, gone) < 1e-13);
      }
    }
  }
}

TEST_CASE("rows times coefficients are what the fitted model predicts") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    RandomStructures random(19);
    std::vector<double> coefficients(static_cast<std::size_t>(evaluator.columns()));
    for (double& c : coefficients) {
      c = random.uniform(-2.0, 2.0);
    }
    const Eigen::Map<const Eigen::VectorXd> c(coefficients.data(), evaluator.columns());
    Evaluator fitted({basis.spec, coefficients, {}});
    REQUIRE(fitted.columns() == 1);
    for (const Structure& s : structures_for(basis.spec, 1e-6)) {
      const Parts parts = evaluate(evaluator, s);
      const Eigen::VectorXd size = parts.all.cwiseAbs() * c.cwiseAbs();
      const double tolerance = 1e-12 * (1.0 + size.maxCoeff());
      REQUIRE((evaluate(fitted, s).all - parts.all * c).cwiseAbs().maxCoeff() < tolerance);
    }
  }
}

TEST_CASE("the forces of every function sum to zero") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    for (const Structure& s : structures_for(basis.spec, 1e-6)) {
      const Parts parts = evaluate(evaluator, s);
      RowMatrix sum = RowMatrix::Zero(3, evaluator.columns());
      for (Eigen::Index atom = 0; atom < s.size(); ++atom) {
        sum += parts.force(atom);
      }
      REQUIRE(sum.cwiseAbs().maxCoeff() < 1e-13 * parts.scale());
    }
  }
}

TEST_CASE("the same structure gives the same bits, whatever was evaluated before") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    const std::vector<Structure> all = structures_for(basis.spec, 1e-6);
    std::vector<RowMatrix> first;
    for (const Structure& s : all) {
      Evaluator fresh({basis.spec, {}, {}});
      first.push_back(evaluate(fresh, s).all);
    }
    for (std::size_t i = all.size(); i-- > 0;) {
      REQUIRE(evaluate(evaluator, all[i]).all == first[i]);
      REQUIRE(evaluate(evaluator, all[i]).all == first[i]);
    }
  }
}

TEST_CASE("an atom without neighbours has no rows but zeros") {
  FOR_EVERY_BASIS(basis) {
    Evaluator evaluator({basis.spec, {}, {}});
    Structure alone;
    alone.species = {elements_of(basis.spec).front()};
    alone.positions = {Vec3(3.0, 2.0, 1.0)};
    REQUIRE(evaluate(evaluator, alone).all.isZero(0.0));
  }
}
