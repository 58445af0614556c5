// The potential that LAMMPS gets is the potential that was fitted: rows of the basis times coefficients against the
// exported text in the hands of a reader and evaluator that share nothing with the basis.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "common/model/ace/ace_labels.h"
#include "common/model/ace/ace_rule.h"
#include "manager/output/yace.h"
#include "tests/support/image_neighbours.h"
#include "tests/support/random_structures.h"
#include "tests/support/yace/evaluator.h"
#include "tests/support/yace/reader.h"
#include "worker/evaluate.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// Of energy per atom, force component and virial per atom, eV and Å, in units of the largest of them or of 1. What is
/// rounded are sums of raw radial functions whose coefficients are up to 1e5 times as large as their sum. Found: 1e-12.
constexpr double kTolerance = 1e-10;

struct Case {
  std::string name;
  AceSpec spec;
};

AceRule lists(std::vector<std::uint8_t> elements, std::vector<int> n_max, std::vector<int> l_max) {
  AceRule rule;
  rule.elements = std::move(elements);
  rule.cutoff = 4.2;
  rule.choice = AceChoice::kLists;
  rule.n_max = std::move(n_max);
  rule.l_max = std::move(l_max);
  return rule;
}

AceSpec spec_of(const AceRule& rule) {
  const auto spec = make_ace_spec(rule);
  INFO((spec ? "" : spec.error().text()));
  REQUIRE(spec);
  return *spec;
}

/// One to three elements, all families, with and without orthonormalisation and inner cutoff, different cutoffs.
std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<AceRule> sizes{lists({14}, {8, 4, 3, 2, 2}, {0, 4, 3, 2, 1}),
                                   lists({49, 15}, {5, 3, 2, 1, 1}, {0, 2, 2, 1, 1}),
                                   lists({6, 8, 14}, {4, 2, 1}, {0, 2, 1})};
  for (AceRule rule : sizes) {
    for (const RadialFamily family : {RadialFamily::kSBessel, RadialFamily::kChebExpCos, RadialFamily::kChebPow}) {
      for (const bool orthonormal : {true, false}) {
        for (const bool inner : {true, false}) {
          rule.radial = family;
          rule.lambda = family == RadialFamily::kChebPow ? 2.5 : 4.0;
          rule.orthonormal = orthonormal;
          rule.inner_cutoff = inner ? 2.2 : 0.0;
          rule.inner_width = inner ? 0.8 : 0.0;
          rule.pair_cutoffs.clear();
          if (rule.elements.size() > 1) {
            rule.pair_cutoffs[{std::min(rule.elements[0], rule.elements[1]),
                               std::max(rule.elements[0], rule.elements[1])}] = 3.6;
          }
          all.push_back({std::to_string(rule.elements.size()) + " elements, family " +
                             std::to_string(static_cast<int>(family)) + (orthonormal ? ", orthonormal" : ", raw") +
                             (inner ? ", inner cutoff" : ""),
                         spec_of(rule)});
        }
      }
    }
  }
  // Each bond of a family of its own.
  AceSpec mixed = all.back().spec;
  mixed.bonds[0] = spec_of(sizes[2]).bonds[0];
  mixed.bonds[2].family = RadialFamily::kChebExpCos;
  mixed.bonds[2].lambda = 2.0;
  all.push_back({"3 elements, mixed families", mixed});
  // Functions around some elements only, and none of one factor.
  AceSpec partial = all[13].spec;
  std::erase_if(partial.multisets, [](const AceMultiset& m) { return m.centre == 0 || m.labels.size() == 1; });
  all.push_back({"2 elements, functions around one of them", partial});
  // Pairs only.
  AceSpec pairs = all[12].spec;
  std::erase_if(pairs.multisets, [](const AceMultiset& m) { return m.labels.size() > 1; });
  all.push_back({"2 elements, pairs only", pairs});
  return all;
}

std::vector<double> random_coefficients(const AceSpec& spec, RandomStructures& random) {
  std::vector<double> coefficients(static_cast<std::size_t>(column_count(spec)));
  for (double& c : coefficients) {
    c = random.uniform(-1.0, 1.0);
  }
  return coefficients;
}

/// Structures of all kinds of cells without atoms closer than 1 Å.
std::vector<Structure> structures_of(const std::vector<std::uint8_t>& elements) {
  std::vector<Structure> all;
  for (int kind = 0; kind < kCellKinds; ++kind) {
    for (std::uint64_t seed = 1;; ++seed) {
      REQUIRE(seed < 100'000);
      RandomStructures random(seed);
      const auto cell = static_cast<CellKind>(kind);
      Structure s = random.structure(cell, cell == CellKind::kSmall ? 2 : 6, elements);
      bool apart = true;
      for (std::int32_t i = 0; i < s.size(); ++i) {
        apart = apart && image_neighbours(s, i, 1.0).empty();
      }
      if (apart) {
        all.push_back(std::move(s));
        break;
      }
    }
  }
  return all;
}

/// Energy, forces (3n) and the six components of the virial, from rows times coefficients.
Eigen::VectorXd by_rows(const AceSpec& spec, const std::vector<double>& coefficients,
                        const std::map<std::uint8_t, double>& one_body, const Structure& s) {
  constexpr RowMask kAll{true, true, true};
  Evaluator evaluator(Model{spec, {}, {}});
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(row_count(s.size(), kAll),
                                                                              evaluator.columns());
  REQUIRE(evaluator.evaluate(s, kAll, {rows.data(), static_cast<std::size_t>(rows.size())}).ok());
  Eigen::VectorXd values = rows * Eigen::Map<const Eigen::VectorXd>(coefficients.data(), rows.cols());
  for (const std::uint8_t species : s.species) {
    values[0] += one_body.contains(species) ? one_body.at(species) : 0.0;
  }
  return values;
}

yace::Potential read(const std::string& text) {
  auto potential = yace::read(text, "potential.yace");
  INFO((potential ? "" : potential.error().text()));
  REQUIRE(potential);
  return *potential;
}

/// The same by the witness.
Eigen::VectorXd by_text(const yace::Potential& potential, const Structure& s) {
  const auto found = yace::evaluate(potential, s);
  REQUIRE(found);
  Eigen::VectorXd values(1 + 3 * s.size() + 6);
  values[0] = found->energy;
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    values.segment<3>(1 + 3 * i) = found->forces[static_cast<std::size_t>(i)];
  }
  const Mat3 W = 0.5 * (found->virial + found->virial.transpose());
  values.tail<6>() << W(0, 0), W(1, 1), W(2, 2), W(1, 2), W(0, 2), W(0, 1);
  return values;
}

/// Energy and virial per atom.
Eigen::VectorXd per_atom(Eigen::VectorXd values, const Structure& s) {
  values[0] /= static_cast<double>(s.size());
  values.tail<6>() /= static_cast<double>(s.size());
  return values;
}

}  // namespace

TEST_CASE("what LAMMPS reads is the potential that was fitted") {
  for (const Case& one : cases()) {
    RandomStructures random(11);
    const std::vector<double> coefficients = random_coefficients(one.spec, random);
    std::map<std::uint8_t, double> one_body;
    one_body[one.spec.elements.front()] = -1.75;
    const yace::Potential potential = read(write_yace(one.spec, coefficients, one_body, {}));
    double worst = 0.0;
    for (const Structure& s : structures_of(one.spec.elements)) {
      const Eigen::VectorXd expected = per_atom(by_rows(one.spec, coefficients, one_body, s), s);
      const Eigen::VectorXd found = per_atom(by_text(potential, s), s);
      const double largest = std::max(1.0, expected.cwiseAbs().maxCoeff());
      worst = std::max(worst, (found - expected).cwiseAbs().maxCoeff() / largest);
    }
    INFO(one.name << ", " << coefficients.size() << " columns, deviation " << worst);
    CHECK(worst < kTolerance);
  }
}
