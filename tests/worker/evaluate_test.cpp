#include "worker/evaluate.h"

#include <catch2/catch.hpp>
#include <limits>

#include "common/atoms/element.h"
#include "tests/support/random_structures.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

constexpr RowMask kAll{true, true, true};

Model pair_model() {
  return {PairSpec{{14, 8}, 4.5, 3}, {}, {}};
}

Structure two_atoms() {
  Structure s;
  s.species = {14, 8};
  s.positions = {Vec3(0.0, 0.0, 0.0), Vec3(1.5, 0.5, 0.2)};
  s.source = {"si.xyz", 12, 1482};
  return s;
}

std::vector<double> rows_of(Evaluator& evaluator, const Structure& structure, RowMask mask) {
  // Filled with rubbish: whatever the evaluator leaves out would stay.
  std::vector<double> out(static_cast<std::size_t>(row_count(structure.size(), mask) * evaluator.columns()), 7e77);
  const Status status = evaluator.evaluate(structure, mask, out);
  INFO((status ? "" : status.error().text()));
  REQUIRE(status.ok());
  return out;
}

Error failure_of(const Model& model, const Structure& structure) {
  Evaluator evaluator(model);
  std::vector<double> out(static_cast<std::size_t>(row_count(structure.size(), kAll) * evaluator.columns()));
  const Status status = evaluator.evaluate(structure, kAll, out);
  REQUIRE_FALSE(status.ok());
  return status.error();
}

std::vector<double> joined(std::initializer_list<std::vector<double>> parts) {
  std::vector<double> all;
  for (const auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

TEST_CASE("every choice of kinds of rows gives the same rows as all of them, in the same order") {
  const Structure s = RandomStructures(3).structure(CellKind::kTriclinic, 6, {14, 8});
  Evaluator evaluator(pair_model());
  const auto energy = rows_of(evaluator, s, {true, false, false});
  const auto forces = rows_of(evaluator, s, {false, true, false});
  const auto virial = rows_of(evaluator, s, {false, false, true});
  REQUIRE(rows_of(evaluator, s, kAll) == joined({energy, forces, virial}));
  REQUIRE(rows_of(evaluator, s, {true, true, false}) == joined({energy, forces}));
  REQUIRE(rows_of(evaluator, s, {true, false, true}) == joined({energy, virial}));
  REQUIRE(rows_of(evaluator, s, {false, true, true}) == joined({forces, virial}));
  REQUIRE(rows_of(evaluator, s, {}).empty());
}

TEST_CASE("the one-body energies of all atoms are in the energy of a fitted model and nowhere else") {
  Model bare = pair_model();
  bare.coefficients = {1.0, -2.0, 0.5, 0.3, 0.2, 0.1, -1.0, 2.0, 3.0};
  Model shifted = bare;
  shifted.one_body = {{14, -100.0}, {8, -30.0}};
  Evaluator without(bare);
  Evaluator with(shifted);
  const auto expected = rows_of(without, two_atoms(), kAll);
  const auto found = rows_of(with, two_atoms(), kAll);
  REQUIRE(found[0] == Approx(expected[0] - 130.0).epsilon(1e-14));
  for (std::size_t i = 1; i < found.size(); ++i) {
    REQUIRE(found[i] == expected[i]);
  }
}

TEST_CASE("one-body energies do not change the design matrix") {
  Model shifted = pair_model();
  shifted.one_body = {{14, -100.0}, {8, -30.0}};
  Evaluator with(shifted);
  Evaluator without(pair_model());
  REQUIRE(rows_of(with, two_atoms(), kAll) == rows_of(without, two_atoms(), kAll));
}

TEST_CASE("a structure without atoms has an energy and a virial of zero") {
  Evaluator evaluator(pair_model());
  REQUIRE(rows_of(evaluator, Structure{}, kAll) == std::vector<double>(63, 0.0));
}

TEST_CASE("an element that the basis does not have is an error that names the atom, the file and the frame") {
  Structure s = two_atoms();
  s.species[1] = 15;
  REQUIRE(failure_of(pair_model(), s).text() ==
          "si.xyz frame 12 (line 1482): atom 2 is P, an element that the basis does not have (it has Si, O); add it to "
          "elements in [basis] or leave this structure out");
}

TEST_CASE("atoms on top of each other are an error that names the file and the frame") {
  Structure s = two_atoms();
  s.positions[1] = Vec3(0.0, 0.003, 0.0);
  const Error error = failure_of(pair_model(), s);
  REQUIRE(error.kind == ErrorKind::kFailed);
  REQUIRE(error.text() ==
          "si.xyz frame 12 (line 1482): atoms 1 (Si) and 2 (O) are 0.003 Å apart, closer than 0.01 Å; correct this "
          "structure or leave it out");
}

TEST_CASE("a result that is not finite is an error that names the row and the function") {
  Model model = pair_model();
  model.coefficients.assign(9, std::numeric_limits<double>::max());
  REQUIRE_THAT(failure_of(model, two_atoms()).text(),
               Catch::Contains("the energy of the prediction is") && Catch::Contains("not a finite number"));
}

TEST_CASE("an error leaves the evaluator fit for the next structure") {
  Evaluator evaluator(pair_model());
  const auto expected = rows_of(evaluator, two_atoms(), kAll);
  Structure bad = two_atoms();
  // The first atoms are evaluated before the mistake is met, with neighbours left over in unfinished batches.
  bad.species = {14, 8, 14, 14};
  bad.positions = {Vec3::Zero(), Vec3(1.5, 0.0, 0.0), Vec3(0.0, 3.0, 0.0), Vec3(0.0, 3.0, 0.001)};
  std::vector<double> out(static_cast<std::size_t>(row_count(4, kAll) * evaluator.columns()));
  REQUIRE_FALSE(evaluator.evaluate(bad, kAll, out).ok());
  REQUIRE(rows_of(evaluator, two_atoms(), kAll) == expected);
}

TEST_CASE("the check of the forces raises no alarm where symmetry makes every force zero") {
  // In a perfect crystal the force rows are rounding alone, and so is their sum: only the size of what cancelled
  // tells that this is well.
  for (const double side : {2.7, 3.0, 4.05, 5.43}) {
    for (const int repeat : {1, 2, 4}) {
      Structure s;
      const int n = repeat;
      for (int i = 0; i < n * n * n; ++i) {
        const Vec3 corner(i % n, i / n % n, i / n / n);
        for (const Vec3& site : {Vec3(0.0, 0.0, 0.0), Vec3(0.5, 0.5, 0.5)}) {
          s.species.push_back(site.x() > 0.0 ? 8 : 14);
          s.positions.push_back(Vec3(side * (corner + site) + Vec3(0.1, 0.2, 0.3)));
        }
      }
      s.cell = Mat3::Identity() * side * n;
      s.pbc = {true, true, true};
      Evaluator evaluator({PairSpec{{14, 8}, 6.0, 20}, {}, {}});
      rows_of(evaluator, s, {false, true, false});
    }
  }
}
