#include "common/atoms/dataset_summary.h"

#include <catch2/catch.hpp>

using namespace ipfit;

namespace {

Structure bulk(std::size_t atoms, const std::string& group) {
  Structure s;
  s.species.assign(atoms, 14);
  s.positions.assign(atoms, Vec3::Zero());
  s.cell = 5.0 * Mat3::Identity();  // 125 Å³
  s.pbc = {true, true, true};
  s.config_type = group;
  s.source = {"si.xyz", 3, 27};
  return s;
}

}  // namespace

TEST_CASE("the summary counts what each group has and what is missing") {
  DatasetSummary summary;
  Structure full = bulk(2, "liquid");
  full.labels.energy = -10.0;
  full.labels.forces = {Vec3(0, 0, 1), Vec3(0, -7.5, 0)};
  full.labels.virial = Voigt{1.25, 2.5, 3.75, 9, 9, 9};
  summary.add(full);
  Structure energy_only = bulk(4, "liquid");
  energy_only.labels.energy = -16.0;
  summary.add(energy_only);
  summary.add(bulk(3, "solid"));
  REQUIRE(summary.groups().size() == 2);
  const GroupSummary& liquid = summary.groups()[0].second;
  CHECK(liquid.structures == 2);
  CHECK(liquid.atoms == 6);
  CHECK(liquid.energies == 2);
  CHECK(liquid.forces == 1);
  CHECK(liquid.virials == 1);
  CHECK(liquid.lowest_energy_per_atom == -5.0);
  CHECK(liquid.highest_energy_per_atom == -4.0);
  // 7.5 eV / (3 * 125 Å³) = 0.02 eV/Å³ = 32.04 kbar: positive, the cell is under pressure.
  CHECK(*liquid.mean_pressure() == Approx(0.02).epsilon(1e-14));
  CHECK_FALSE(summary.groups()[1].second.mean_pressure());
  CHECK(summary.rows().energy == 2);
  CHECK(summary.rows().forces == 6);
  CHECK(summary.rows().virial == 6);
  CHECK(summary.atoms_by_element().at(14) == 9);
  CHECK(summary.structures_without_labels() == 1);
  REQUIRE(summary.largest_force());
  CHECK(summary.largest_force()->value == -7.5);
  CHECK(summary.largest_force()->atom == 2);
}

TEST_CASE("the text is a table with a line per group, and says what is odd") {
  DatasetSummary summary;
  Structure full = bulk(2, "liquid");
  full.labels.energy = -10.0;
  full.labels.virial = Voigt{2.5, 2.5, 2.5, 0, 0, 0};
  summary.add(full);
  Structure slab = bulk(1, "slab");
  slab.labels.ignored_virial = Voigt{1, 1, 1, 0, 0, 0};
  summary.add(slab);
  const std::string header =
      "group   structures  atoms  energies  missing  forces  missing  virials  missing  E/atom min (eV)  max (eV)  "
      "mean P "
      "(kbar)  (GPa)\n";
  CHECK(summary.text() == header + std::string(header.size() - 1, '-') +
                              "\n"
                              "liquid           1      2         1        0       0        1        1        0         "
                              " -5.0000   -5.0000      "
                              "    32.04  3.204\n"
                              "slab             1      1         0        1       0        1        0        1         "
                              "       -         -      "
                              "        -      -\n"
                              "all              2      3         1        1       0        2        1        1         "
                              " -5.0000   -5.0000      "
                              "    32.04  3.204\n"
                              "\n"
                              "elements: Si (3 atoms)\n"
                              "rows: 7 (1 energy, 0 forces, 6 virial)\n"
                              "virial ignored: 1 structures are not periodic in all directions\n"
                              "no label at all: 1 structures, first si.xyz:27 (frame 3)\n");
}

TEST_CASE("isolated atoms are counted by the cutoff") {
  Structure atom = bulk(1, "IsolatedAtom");
  DatasetSummary summary;
  summary.add(atom);
  summary.add(bulk(2, "pair"));
  summary.count_isolated(4.0);
  CHECK(summary.all().isolated_atoms == 1);
  CHECK(summary.groups()[0].second.isolated_atoms == 1);
  CHECK_THAT(summary.text(), Catch::Contains("isolated atoms: 1 structures"));
  summary.count_isolated(8.0);
  CHECK(summary.all().isolated_atoms == 0);
  CHECK(summary.groups()[0].second.isolated_atoms == 0);
}

TEST_CASE("a kind of label that was named and is nowhere is an error, one that is partly there is not") {
  DatasetSummary summary;
  Structure first = bulk(1, "a");
  first.labels.energy = -1.0;
  summary.add(first);
  summary.add(bulk(1, "a"));
  LabelKeys asked;
  CHECK(check_labels(summary, asked).empty());
  asked.energy = "energy";
  CHECK(check_labels(summary, asked).empty());
  asked.forces = "my_forces";
  asked.stress = "my_stress";
  const std::vector<Error> errors = check_labels(summary, asked);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].where == "forces_key");
  CHECK(errors[1].where == "stress_key");
}

TEST_CASE("data without any label are an error even where nothing was named") {
  DatasetSummary summary;
  summary.add(bulk(1, "a"));
  CHECK(check_labels(summary, {}).size() == 1);
}

TEST_CASE("virials that are all ignored are an error where a virial was named, with the reason") {
  DatasetSummary summary;
  Structure slab = bulk(1, "a");
  slab.labels.energy = 1.0;
  slab.labels.ignored_virial = Voigt{1, 1, 1, 0, 0, 0};
  summary.add(slab);
  LabelKeys asked;
  asked.virial = "virial";
  const std::vector<Error> errors = check_labels(summary, asked);
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0].what, Catch::Contains("periodic"));
}
