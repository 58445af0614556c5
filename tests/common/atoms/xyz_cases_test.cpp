#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "common/atoms/dataset_summary.h"
#include "common/atoms/element.h"
#include "common/atoms/extxyz.h"
#include "common/atoms/key_use.h"
#include "common/atoms/stress.h"
#include "common/json.h"
#include "tests/support/data.h"
#include "tests/support/text_file.h"

using namespace ipfit;

// Checks against files of other origin: the reading cases with their expected answers, and the sets with published
// counts.

namespace {

Json read_json(const std::filesystem::path& path) {
  const Result<Json> json = parse_json(test::text_of(path), path.string());
  REQUIRE(json);
  return *json;
}

LabelKeys keys_of(const Json& file) {
  LabelKeys keys;
  if (file.contains("read_with")) {
    const Json& names = file["read_with"];
    keys.energy = names.value("energy_key", "");
    keys.forces = names.value("forces_key", "");
    keys.virial = names.value("virial_key", "");
  }
  return keys;
}

// The expected numbers are the decimal texts of the files, so they are equal; only a virial made from a stress has been
// multiplied, twice rounded.
void check_vectors(const std::vector<Vec3>& found, const Json& expected) {
  if (expected.is_null()) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(found[i][static_cast<Eigen::Index>(k)] == expected[i][k].get<double>());
    }
  }
}

void check_virial(const std::optional<Voigt>& found, const Json& expected) {
  REQUIRE(found.has_value() == !expected.is_null());
  if (!found) {
    return;
  }
  const Mat3 virial = matrix_of(*found);
  for (std::size_t i = 0; i < 9; ++i) {
    const double value = expected[i / 3][i % 3].get<double>();
    CHECK(virial(static_cast<Eigen::Index>(i / 3), static_cast<Eigen::Index>(i % 3)) ==
          Approx(value).epsilon(4 * 2.3e-16));
  }
}

void check_cell(const Structure& found, const Json& expected) {
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(found.pbc[i] == expected["pbc"][i].get<bool>());
    for (std::size_t k = 0; k < 3; ++k) {
      const double value = expected["lattice"].is_null() ? 0.0 : expected["lattice"][i][k].get<double>();
      CHECK(found.cell(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) == value);
    }
  }
}

void check_structure(const Structure& found, const Json& expected) {
  REQUIRE(found.size() == expected["n_atoms"].get<std::int64_t>());
  REQUIRE(expected["species"].size() == found.species.size());
  for (std::size_t i = 0; i < found.species.size(); ++i) {
    CHECK(element_symbol(found.species[i]) == expected["species"][i].get<std::string>());
  }
  check_vectors(found.positions, expected["positions"]);
  check_cell(found, expected);
  REQUIRE(found.labels.energy.has_value() == !expected["energy"].is_null());
  if (found.labels.energy) {
    CHECK(*found.labels.energy == expected["energy"].get<double>());
  }
  check_vectors(found.labels.forces, expected["forces"]);
  CHECK_FALSE((found.labels.virial && !found.fully_periodic()));
  check_virial(found.fully_periodic() ? found.labels.virial : found.labels.ignored_virial, expected["virial"]);
  const std::string group = expected["config_type"].is_null() ? "default" : expected["config_type"].get<std::string>();
  CHECK(found.config_type == group);
}

void check_refusal(const Error& error, const std::filesystem::path& path, const Json& expected) {
  CAPTURE(error.text());
  std::vector<std::int64_t> lines{expected["line"].get<std::int64_t>()};
  if (expected.contains("also_accepted_lines")) {
    for (const Json& line : expected["also_accepted_lines"]) {
      lines.push_back(line.get<std::int64_t>());
    }
  }
  const bool named = std::any_of(lines.begin(), lines.end(), [&](std::int64_t line) {
    return error.where.starts_with(path.string() + ":" + std::to_string(line) + ":");
  });
  CHECK(named);
}

// What the message of each refused file must speak of.
const std::map<std::string, std::string> kMustSay = {
    {"e01_file_ends_early.xyz", "3 atoms announced on line 4, 2 found"},
    {"e02_count_not_integer.xyz", "number of atoms"},
    {"e03_too_few_columns.xyz", "7 columns expected by Properties, 6 found"},
    {"e04_too_many_columns.xyz", "7 columns expected by Properties, 8 found"},
    {"e05_bad_number.xyz", "'1.0x' is not a number"},
    {"e06_lattice_eight_numbers.xyz", "Lattice needs 9 numbers (or 3, the diagonal), 8 given"},
    {"e07_unknown_species.xyz", "'Xq' is not a chemical symbol"},
    {"e08_unclosed_quote.xyz", "quote that opens here is not closed"},
    {"e09_bad_properties.xyz", "name:type:count triplets"},
    {"e10_blank_line_between_frames.xyz", "blank line"},
    {"e11_no_positions.xyz", "no pos column"},
    {"e12_flat_cell.xyz", "no volume"},
    {"e13_nan_force.xyz", "'NaN' is not a number"},
    {"e14_stress_not_symmetric.xyz", "stress is not symmetric"},
    {"e15_duplicate_key.xyz", "'energy' is given twice"},
    {"e16_properties_wrong_type.xyz", "'1.5' is not an integer"},
    {"e17_energy_not_number.xyz", "'unknown' is not a number"}};

void check_case(const std::filesystem::path& path, const Json& expected) {
  const LabelKeys asked = keys_of(expected);
  const Result<std::vector<Structure>> found = read_extxyz(path.string(), asked);
  if (expected.contains("error")) {
    REQUIRE_FALSE(found);
    check_refusal(found.error(), path, expected["error"]);
    CHECK_THAT(found.error().what, Catch::Contains(kMustSay.at(path.filename().string())));
    return;
  }
  if (!found) {
    FAIL(found.error().text());
  }
  REQUIRE(found->size() == expected["n_frames"].get<std::size_t>());
  REQUIRE(found->size() == expected["frames"].size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    check_structure((*found)[i], expected["frames"][i]);
  }
  // The names that a survey of the file finds lead to the same reading.
  const Result<KeyUse> use = discover_keys({path.string()}, asked);
  REQUIRE(use);
  const Result<std::vector<Structure>> again = read_extxyz(path.string(), use->keys);
  REQUIRE(again);
  for (std::size_t i = 0; i < found->size(); ++i) {
    check_structure((*again)[i], expected["frames"][i]);
  }
}

}  // namespace

TEST_CASE("every reading case is read or refused as expected") {
  IPFIT_DATA_OR_SKIP(data);
  const std::filesystem::path folder = data / "xyz_cases";
  const Json expected = read_json(folder / "expected.json");
  CHECK(expected["files"].size() == 47);
  for (const auto& [name, file] : expected["files"].items()) {
    INFO(name);
    check_case(folder / name, file);
  }
}

TEST_CASE("a _JSON string and quoted strings keep their quotes and backslashes") {
  IPFIT_DATA_OR_SKIP(data);
  const Json expected = read_json(data / "xyz_cases" / "expected.json");
  LabelKeys keys;
  keys.group = "comment";
  const Result<std::vector<Structure>> read =
      read_extxyz((data / "xyz_cases" / "08_quoted_strings.xyz").string(), keys);
  REQUIRE(read);
  CHECK(read->front().config_type ==
        expected["files"]["08_quoted_strings.xyz"]["frames"][0]["comment"].get<std::string>());
}

TEST_CASE("the reference sets have the published counts and ranges") {
  IPFIT_DATA_OR_SKIP(data);
  struct Set {
    std::string file;
    std::int64_t structures, atoms;
    double lowest, highest, largest_force;  // as printed, to four digits behind the point
  };
  const Set sets[] = {{"si_train.xyz", 214, 13233, -5.4253, -4.5666, 9.4659},
                      {"mo_train.xyz", 194, 10087, -10.8502, -9.4083, 13.9866},
                      {"ta_train.xyz", 363, 4224, -11.8484, 28.1314, 8.2523}};
  for (const Set& set : sets) {
    INFO(set.file);
    const Result<std::vector<Structure>> structures = read_extxyz((data / set.file).string(), {});
    REQUIRE(structures);
    DatasetSummary summary;
    for (const Structure& s : *structures) {
      summary.add(s);
    }
    CHECK(summary.all().structures == set.structures);
    CHECK(summary.all().atoms == set.atoms);
    CHECK(summary.all().energies == set.structures);
    CHECK(summary.all().virials == set.structures);
    CHECK(summary.rows().forces == 3 * set.atoms);
    CHECK(*summary.all().lowest_energy_per_atom == Approx(set.lowest).margin(0.5e-4));
    CHECK(*summary.all().highest_energy_per_atom == Approx(set.highest).margin(0.5e-4));
    CHECK(std::abs(summary.largest_force()->value) == Approx(set.largest_force).margin(0.5e-4));
  }
}

TEST_CASE("the pressure of a group has the published sign and size") {
  IPFIT_DATA_OR_SKIP(data);
  // Bulk of inp_train is one structure, printed as -0.5 kbar; aa has 20 structures that all print as -9.0 kbar.
  const Result<std::vector<Structure>> structures = read_extxyz((data / "inp_train.xyz").string(), {});
  REQUIRE(structures);
  DatasetSummary summary;
  for (const Structure& s : *structures) {
    summary.add(s);
  }
  for (const auto& [name, group] : summary.groups()) {
    if (name == "Bulk" || name == "aa") {
      CHECK(*group.mean_pressure() * kKbarPerEvPerCubicAngstrom == Approx(name == "Bulk" ? -0.5 : -9.0).margin(0.05));
    }
  }
}
