#include "manager/output/report/compare_data.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/lsq/targets.h"
#include "tests/support/small_fit.h"

using namespace ipfit;

namespace {

/// The structures compared with their own labels, each shifted by `error`.
EachCompared with_errors(const std::vector<Structure>& structures, double error) {
  return [&structures, error](const std::function<void(const Compared&)>& visit) -> Status {
    for (const Structure& structure : structures) {
      const RowMask mask = mask_of(structure);
      std::vector<double> labels(static_cast<std::size_t>(row_count(structure.size(), mask)));
      fill_targets(structure, mask, {}, labels);
      std::vector<double> predictions = labels;
      for (double& row : predictions) {
        row += error;
      }
      visit({structure, mask, labels, predictions});
    }
    return Done{};
  };
}

}  // namespace

TEST_CASE("a comparison counts each label once, in the set where it belongs") {
  const std::vector<Structure> structures = test::dimers(6, 2);
  const auto comparison = compare_data(with_errors(structures, 0.25), test::small_model(), {});
  REQUIRE(comparison.ok());
  REQUIRE(comparison->parities.size() == 3);
  const std::array<std::uint64_t, 3> rows{1, 6, 6};
  for (std::size_t kind = 0; kind < 3; ++kind) {
    CHECK(comparison->parities[kind].values[0].points() == 4 * rows[kind]);
    CHECK(comparison->parities[kind].values[2].points() == 2 * rows[kind]);
    CHECK(comparison->parities[kind].errors[0].beyond() == 0);
  }
  // The same error on every component.
  for (const BinnedRmse& by : {comparison->by_force[0], comparison->by_distance[0], comparison->by_distance[2]}) {
    for (const auto& [value, rmse] : by.points()) {
      CHECK((std::isnan(value) || rmse == Approx(0.25)));
    }
  }
  REQUIRE(comparison->worst_energies.list().size() == 6);
  CHECK(comparison->worst_energies.list()[0].error == Approx(125.0));  // meV/atom: 0.25 eV over two atoms
  CHECK(comparison->worst_forces.list()[0].error == Approx(0.25));
  CHECK(comparison->table.of(DataSet::kTest).total.of(Kind::kForces).count == 12);
}

TEST_CASE("kinds without labels have no plot") {
  std::vector<Structure> structures = test::dimers(3);
  for (Structure& structure : structures) {
    structure.labels.forces.clear();
    structure.labels.virial.reset();
  }
  const auto comparison = compare_data(with_errors(structures, 0.0), test::small_model(), {});
  REQUIRE(comparison.ok());
  CHECK(comparison->parities.size() == 1);
  CHECK(comparison->by_force[0].points().empty());
  CHECK(comparison->worst_forces.list().empty());
  const auto nothing = compare_data(with_errors({}, 0.0), test::small_model(), {});
  REQUIRE(nothing.ok());
  CHECK(nothing->parities.empty());
}
