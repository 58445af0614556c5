#include "common/lsq/one_body.h"

#include <rapidcheck.h>

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/least_squares.h"

using namespace ipfit;

namespace {

constexpr std::uint8_t kSi = 14;
constexpr std::uint8_t kP = 15;
constexpr std::uint8_t kIn = 49;
constexpr double kCutoff = 5.0;

Composition composition(std::map<std::uint8_t, std::int64_t> counts, std::optional<double> energy, std::int64_t frame) {
  return {std::move(counts), energy, 0.0, {"inp.xyz", frame, 10 * frame}};
}

Composition isolated(std::uint8_t element, std::optional<double> energy, std::int64_t frame) {
  Composition out = composition({{element, 1}}, energy, frame);
  out.image_distance = std::numeric_limits<double>::infinity();
  return out;
}

Structure atom_in_cell(const Mat3& cell, std::array<bool, 3> pbc) {
  Structure out;
  out.species = {kSi};
  out.positions = {Vec3::Zero()};
  out.cell = cell;
  out.pbc = pbc;
  return out;
}

}  // namespace

TEST_CASE("without one-body energies every element has zero") {
  const auto result = one_body_energies({.one_body = OneBodyRule::kNone, .energies = {}}, {kIn, kP}, {}, kCutoff);
  REQUIRE(result.ok());
  CHECK(result->energies == std::map<std::uint8_t, double>{{kIn, 0.0}, {kP, 0.0}});
}

TEST_CASE("given one-body energies are taken as they are, and a missing one is named with the line to write") {
  const ReferenceSpec reference{.one_body = OneBodyRule::kGiven, .energies = {{kIn, -1.5}, {kSi, -0.8}}};
  CHECK(one_body_energies(reference, {kSi, kIn}, {}, kCutoff)->energies == reference.energies);
  const auto result = one_body_energies(reference, {kIn, kP}, {}, kCutoff);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().kind == ErrorKind::kInput);
  CHECK(result.error().text() ==
        "reference.one_body: no energy is given for P; write one_body = { In = -1.5, P = ? }, in eV per atom");
}

TEST_CASE("isolated atoms in the data give the one-body energies") {
  const std::vector<Composition> data{isolated(kIn, -0.25, 1), composition({{kIn, 4}, {kP, 4}}, -30.0, 2),
                                      isolated(kP, std::nullopt, 3), isolated(kP, -1.75, 4),
                                      isolated(kP, -1.7500005, 5)};
  const auto result =
      one_body_energies({.one_body = OneBodyRule::kIsolatedAtom, .energies = {}}, {kIn, kP}, data, kCutoff);
  REQUIRE(result.ok());
  CHECK(result->energies == std::map<std::uint8_t, double>{{kIn, -0.25}, {kP, -1.75}});
}

TEST_CASE("an element without isolated atom is named with the structures that contain it and the line to write") {
  const std::vector<Composition> data{isolated(kIn, -0.25, 1), isolated(kP, std::nullopt, 2),
                                      composition({{kIn, 4}, {kP, 4}}, -30.0, 3), composition({{kP, 8}}, -30.0, 4),
                                      composition({{kP, 4}}, -15.0, 5)};
  const ReferenceSpec reference{.one_body = OneBodyRule::kIsolatedAtom, .energies = {}};
  const auto result = one_body_energies(reference, {kIn, kP, kSi}, data, kCutoff);
  REQUIRE_FALSE(result.ok());
  REQUIRE(result.errors().size() == 2);
  CHECK(result.errors()[0].text() ==
        "reference.one_body: the training data have no isolated atom of P with an energy; 4 structures contain it: "
        "inp.xyz frame 2 (line 20), inp.xyz frame 3 (line 30), inp.xyz frame 4 (line 40), ...; add one, or write "
        "one_body = { In = -0.25, P = ?, Si = ? }, in eV per atom");
  CHECK(result.errors()[1].what ==
        "the training data have no isolated atom of Si with an energy; no structure contains it");
}

TEST_CASE("isolated atoms of one element that disagree are both named") {
  const std::vector<Composition> data{isolated(kP, -1.75, 1), isolated(kP, -1.7502, 2)};
  const auto result = one_body_energies({.one_body = OneBodyRule::kIsolatedAtom, .energies = {}}, {kP}, data, kCutoff);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().text() ==
        "inp.xyz:20: this isolated atom of P has -1.7502 eV, the one in inp.xyz frame 1 (line 10) has -1.75 eV; remove "
        "the wrong one, or give the energies as one_body = { P = ? }");
}

TEST_CASE("fitted one-body energies minimise the squared errors per atom over all structures with an energy") {
  REQUIRE(rc::check([] {
    const auto structures = *rc::gen::inRange<Eigen::Index>(4, 40);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Eigen::MatrixXd counts =
        (10.0 * test::random_rows(structures, 2, seed).A.array()).abs().ceil() + Eigen::ArrayXXd::Ones(structures, 2);
    const Eigen::VectorXd energies = 100.0 * test::random_rows(structures, 1, seed).y;
    std::vector<Composition> data{composition({{kIn, 1}}, std::nullopt, 0)};
    for (Eigen::Index k = 0; k < structures; ++k) {
      data.push_back(
          composition({{kIn, static_cast<std::int64_t>(counts(k, 0))}, {kP, static_cast<std::int64_t>(counts(k, 1))}},
                      energies[k], k + 1));
    }
    const Eigen::VectorXd atoms = counts.rowwise().sum();
    const Eigen::MatrixXd fractions = atoms.cwiseInverse().asDiagonal() * counts;
    const Eigen::VectorXd per_atom = energies.cwiseQuotient(atoms);
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(fractions, Eigen::ComputeThinU | Eigen::ComputeThinV);
    RC_PRE(svd.singularValues()[1] > 1e-3);

    const auto result = one_body_energies({.one_body = OneBodyRule::kFit, .energies = {}}, {kIn, kP}, data, kCutoff);
    RC_ASSERT(result.ok());
    RC_ASSERT(result->note.empty());
    const Eigen::VectorXd expected = svd.solve(per_atom);
    const Eigen::Vector2d found(result->energies.at(kIn), result->energies.at(kP));
    // Condition number at most 1e4, its square where residuals are large: 100 epsilon times that.
    const double condition = svd.singularValues()[0] / svd.singularValues()[1];
    RC_ASSERT((found - expected).norm() <=
              100 * test::kEpsilon * condition * condition * (expected.norm() + per_atom.norm()));
  }));
}

TEST_CASE("compositions that are always the same share the energy equally, and the note says so") {
  const std::vector<Composition> data{composition({{kIn, 4}, {kP, 4}}, -32.0, 1),
                                      composition({{kIn, 32}, {kP, 32}}, -256.0, 2)};
  const auto result = one_body_energies({.one_body = OneBodyRule::kFit, .energies = {}}, {kIn, kP}, data, kCutoff);
  REQUIRE(result.ok());
  CHECK(result->energies.at(kIn) == Approx(-4.0).epsilon(1e-14));
  CHECK(result->energies.at(kP) == Approx(-4.0).epsilon(1e-14));
  CHECK(
      result->note ==
      "the compositions determine 1 of 2 one-body energies; the solution of least norm is used, whose single energies "
      "mean nothing: only sums over compositions as in the data do");
}

TEST_CASE("fitted one-body energies of elements without data, or of no data, are zero") {
  const ReferenceSpec reference{.one_body = OneBodyRule::kFit, .energies = {}};
  const std::vector<Composition> data{composition({{kSi, 2}}, -10.0, 1)};
  const auto some = one_body_energies(reference, {kSi, kP}, data, kCutoff);
  CHECK(some->energies.at(kSi) == Approx(-5.0).epsilon(1e-14));
  CHECK(some->energies.at(kP) == 0.0);
  CHECK_FALSE(some->note.empty());
  CHECK(one_body_energies(reference, {kSi}, {}, kCutoff)->energies == std::map<std::uint8_t, double>{{kSi, 0.0}});
}

TEST_CASE("the composition of a structure counts its atoms") {
  Structure structure = atom_in_cell(Mat3::Identity(), {false, false, false});
  CHECK(std::isinf(composition_of(structure).image_distance));
  structure.species = {kIn, kP, kIn};
  structure.labels.energy = -3.0;
  structure.source = {"inp.xyz", 7, 70};
  const Composition found = composition_of(structure);
  CHECK(found.counts == std::map<std::uint8_t, std::int64_t>{{kIn, 2}, {kP, 1}});
  CHECK(found.energy == -3.0);
  CHECK(found.image_distance == 0.0);
  CHECK(found.source.frame == 7);
}
