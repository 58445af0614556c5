// The basis against the definitions (tests/support/ace_reference.h), for every set of vector instructions that this
// processor has. What a basis must do besides is in tests/contract.
#include "worker/basis/ace/ace_basis.h"

#include <catch2/catch.hpp>

#include "common/model/ace/ace_rule.h"
#include "tests/support/ace_reference.h"
#include "tests/support/random_structures.h"
#include "worker/neighbours.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

using RowMatrix = AceReference::RowMatrix;

AceSpec spec_of(const AceRule& rule) {
  const Result<AceSpec> spec = make_ace_spec(rule);
  INFO((spec ? "" : spec.error().text()));
  REQUIRE(spec.ok());
  return *spec;
}

AceRule lists(std::vector<std::uint8_t> elements, double cutoff, std::vector<int> n_max, std::vector<int> l_max) {
  AceRule rule;
  rule.elements = std::move(elements);
  rule.cutoff = cutoff;
  rule.choice = AceChoice::kLists;
  rule.n_max = std::move(n_max);
  rule.l_max = std::move(l_max);
  return rule;
}

std::vector<std::pair<const char*, AceSpec>> specifications() {
  std::vector<std::pair<const char*, AceSpec>> all;
  all.emplace_back("one element, ranks 1 to 4", spec_of(lists({14}, 4.0, {5, 3, 2, 2}, {0, 3, 2, 2})));
  all.emplace_back("one element, ranks 1 to 6", spec_of(lists({14}, 3.5, {3, 2, 2, 1, 1, 1}, {0, 4, 2, 3, 2, 1})));
  AceRule two = lists({49, 15}, 4.0, {4, 2, 2, 1}, {0, 2, 1, 1});
  two.radial = RadialFamily::kChebExpCos;
  two.pair_cutoffs[{15, 49}] = 3.2;
  all.emplace_back("two elements, two cutoffs", spec_of(two));
  AceRule three = lists({6, 14, 8}, 3.8, {3, 2, 1}, {0, 2, 1});
  three.radial = RadialFamily::kChebPow;
  three.lambda = 3.0;
  three.inner_cutoff = 1.2;
  three.inner_width = 0.6;
  all.emplace_back("three elements, inner cutoff", spec_of(three));
  // Functions around one element only, and an element that only ever is a neighbour.
  AceSpec partial = all[2].second;
  std::erase_if(partial.multisets, [](const AceMultiset& m) { return m.centre == 1; });
  all.emplace_back("functions around one of two elements", partial);
  return all;
}

/// Adds all sites of a structure.
RowMatrix rows_of(AceBasis& basis, const Structure& s, bool forces = true, bool virial = true) {
  RowMatrix out = RowMatrix::Zero(1 + 3 * s.size() + 6, basis.columns());
  const Rows rows{out.data(), forces ? out.row(1).data() : nullptr, virial ? out.row(1 + 3 * s.size()).data() : nullptr,
                  basis.columns()};
  NeighbourSearch search;
  REQUIRE(search.prepare(s, basis.cutoff()).ok());
  for (std::int32_t i = 0; i < s.size(); ++i) {
    const auto found = search.of(i);
    REQUIRE(found.ok());
    basis.add_site({i, s.species[static_cast<std::size_t>(i)], *found}, rows);
  }
  return out;
}

/// One structure for each kind of cell, in which no two atoms are closer than 1 Å.
std::vector<Structure> structures(const AceSpec& spec) {
  std::vector<Structure> all;
  for (int kind = 0; kind < kCellKinds; ++kind) {
    for (std::uint64_t seed = 1; seed < 100'000; ++seed) {
      RandomStructures random(seed);
      const auto cell = static_cast<CellKind>(kind);
      Structure s = random.structure(cell, cell == CellKind::kSmall ? 2 : 6, spec.elements);
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
  REQUIRE(all.size() == kCellKinds);
  return all;
}

// Some hundred products of some hundred terms each, in another order: a few thousand roundings of the largest entry;
// and where clusters are 1e4 Å apart, positions that are known to 1e-12 Å, times slopes of 10 per Å.
constexpr double kTolerance = 1e-12;

double scale(const Structure& s, const RowMatrix& rows) {
  double reach = 100.0;
  for (const Vec3& r : s.positions) {
    reach = std::max(reach, r.norm());
  }
  return (1.0 + rows.cwiseAbs().maxCoeff()) * reach / 100.0;
}

}  // namespace

TEST_CASE("rows of the ACE basis are those of the definitions") {
  for (const auto& [name, spec] : specifications()) {
    const AceReference reference(spec, radial_of(spec));
    for (const Structure& s : structures(spec)) {
      const RowMatrix expected = reference.rows(s);
      for (const SiteKernel* kernel : usable_kernels()) {
        CAPTURE(name, kernel->name, s.size());
        AceBasis basis(spec, {}, *kernel);
        REQUIRE(basis.columns() == expected.cols());
        const double tolerance = kTolerance * scale(s, expected);
        REQUIRE((rows_of(basis, s) - expected).cwiseAbs().maxCoeff() < tolerance);
        // What is not asked for changes nothing in what is.
        REQUIRE((rows_of(basis, s, true, false) - expected).topRows(1 + 3 * s.size()).cwiseAbs().maxCoeff() <
                tolerance);
        const RowMatrix no_forces = rows_of(basis, s, false, true);
        REQUIRE((no_forces - expected).bottomRows(6).cwiseAbs().maxCoeff() < tolerance);
        REQUIRE(no_forces.middleRows(1, 3 * s.size()).isZero(0.0));
        REQUIRE((rows_of(basis, s, false, false) - expected).row(0).cwiseAbs().maxCoeff() < tolerance);
      }
    }
  }
}

TEST_CASE("a fitted ACE potential is the sum of its functions times the coefficients") {
  for (const auto& [name, spec] : specifications()) {
    RandomStructures random(3);
    std::vector<double> coefficients(static_cast<std::size_t>(column_count(spec)));
    for (double& c : coefficients) {
      c = random.uniform(-1.0, 1.0);
    }
    const Eigen::Map<const Eigen::VectorXd> c(coefficients.data(), static_cast<Eigen::Index>(coefficients.size()));
    for (const SiteKernel* kernel : usable_kernels()) {
      AceBasis basis(spec, {}, *kernel);
      AceBasis potential(spec, coefficients, *kernel);
      REQUIRE(potential.columns() == 1);
      for (const Structure& s : structures(spec)) {
        CAPTURE(name, kernel->name, s.size());
        const RowMatrix rows = rows_of(basis, s);
        const double tolerance = kTolerance * (1.0 + (rows.cwiseAbs() * c.cwiseAbs()).maxCoeff());
        const Eigen::VectorXd expected = rows * c;
        REQUIRE((rows_of(potential, s) - expected).cwiseAbs().maxCoeff() < tolerance);
        REQUIRE((rows_of(potential, s, false, true) - expected).bottomRows(6).cwiseAbs().maxCoeff() < tolerance);
      }
    }
  }
}

TEST_CASE("adding the sites twice gives twice the rows, to the last bit") {
  for (const auto& [name, spec] : specifications()) {
    AceBasis basis(spec);
    const Structure s = structures(spec).front();
    NeighbourSearch search;
    REQUIRE(search.prepare(s, basis.cutoff()).ok());
    RowMatrix out = RowMatrix::Zero(1 + 3 * s.size() + 6, basis.columns());
    RowMatrix once;
    const auto found = search.of(0);
    REQUIRE(found.ok());
    for (int pass = 0; pass < 2; ++pass) {
      basis.add_site({0, s.species[0], *found},
                     {out.data(), out.row(1).data(), out.row(1 + 3 * s.size()).data(), out.cols()});
      if (pass == 0) {
        once = out;
      }
    }
    REQUIRE(out == 2.0 * once);
  }
}
