// Norms that do not depend on the choice of functions inside a product: they hold the couplings, with their
// normalisation, and the slow evaluation that other tests compare with, to tables from elsewhere.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "common/atoms/element.h"
#include "common/atoms/extxyz.h"
#include "common/json.h"
#include "tests/support/ace_reference.h"
#include "tests/support/reference.h"
#include "tests/support/text_file.h"
#include "tests/support/yace/radial.h"
#include "tests/support/yace/reader.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// Relative: squares of sums of some hundred terms, which cancel by a few digits.
constexpr double kTolerance = 1e-10;

Json json_of(const std::filesystem::path& path) {
  const auto json = parse_json(text_of(path), path.string());
  REQUIRE(json);
  return *json;
}

Structure structure_of(const std::filesystem::path& file, const std::string& name) {
  const auto structures = read_extxyz(file.string(), {});
  REQUIRE(structures);
  const std::string text = text_of(file);
  std::optional<std::size_t> index;
  for (std::size_t at = 0, i = 0; i < structures->size(); ++i) {
    at = text.find("config_name=", at) + 12;
    if (text.compare(at, name.size(), name) == 0) {
      index = i;
    }
  }
  INFO("looking for " << name);
  REQUIRE(index);
  return (*structures)[*index];
}

/// R_nl of the file for products of two and more, its raw functions for single factors.
RadialLookup radial_of_file(const yace::Potential& potential, bool raw) {
  return [&potential, raw](std::size_t centre, const AceLabel& label, double r) {
    const yace::Bond& bond = potential.bond(centre, label.element);
    const auto g = yace::radial_functions(bond, potential.inner_cutoff, r);
    if (raw) {
      return RadialValue{g[label.n - 1U].value, g[label.n - 1U].slope};
    }
    RadialValue out;
    for (std::size_t k = 0; k < g.size(); ++k) {
      const double c = bond.coefficient(label.n, label.l, static_cast<int>(k) + 1);
      out.value += c * g[k].value;
      out.slope += c * g[k].slope;
    }
    return out;
  };
}

AceSpec without_functions(const yace::Potential& potential) {
  AceSpec spec;
  for (const std::string& element : potential.elements) {
    spec.elements.push_back(atomic_number(element).value());
  }
  for (std::size_t a = 0; a < spec.elements.size(); ++a) {
    for (std::size_t b = a; b < spec.elements.size(); ++b) {
      AceBond& bond = spec.bonds.emplace_back();
      bond.cutoff = potential.bond(a, b).rcut;
    }
  }
  return spec;
}

AceMultiset multiset_of(const Json& entry) {
  AceMultiset multiset;
  multiset.centre = entry["mu0"].get<std::uint8_t>();
  for (std::size_t t = 0; t < entry["ns"].size(); ++t) {
    multiset.labels.push_back(
        {entry["ls"][t].get<std::uint8_t>(), entry["mus"][t].get<std::uint8_t>(), entry["ns"][t].get<std::uint8_t>()});
  }
  std::sort(multiset.labels.begin(), multiset.labels.end());
  return multiset;
}

void check(double found, const Json& expected, double scale) {
  CHECK(std::abs(found - expected.get<double>()) <= kTolerance * std::max(expected.get<double>(), scale));
}

void check_configuration(const std::filesystem::path& golden, const Json& table) {
  const std::string name = table["potential"];
  const auto potential = yace::read(text_of(golden / "potentials" / (name + ".yace")), name);
  REQUIRE(potential);
  const Structure s = structure_of(golden / table["configurations"].get<std::string>(), table["name"]);
  AceSpec spec = without_functions(*potential);
  for (const Json& atom : table["rank1"]) {
    for (const Json& value : atom["values"]) {
      spec.multisets = {
          {atom["mu0"].get<std::uint8_t>(), {{0, value["mu"].get<std::uint8_t>(), value["n"].get<std::uint8_t>()}}}};
      const AceReference reference(spec, radial_of_file(*potential, true));
      check(reference.site(s, atom["atom"].get<std::int32_t>())[0], value["value"], 1e-3);
    }
  }
  for (const Json& entry : table["multisets"]) {
    INFO(name << ", " << table["name"] << ": " << entry.dump());
    spec.multisets = {multiset_of(entry)};
    const AceReference reference(spec, radial_of_file(*potential, false));
    const auto rows = reference.rows(s);
    REQUIRE(rows.cols() == entry["count"].get<Eigen::Index>());
    for (const auto& [atom, expected] : entry["site_norm2"].items()) {
      check(reference.site(s, std::stoi(atom)).squaredNorm(), expected, 1e-12);
    }
    // Where sites cancel, of the scale of what cancels.
    const double scale = 1e-6 * (1e-6 + rows.bottomRows(6).squaredNorm());
    check(rows.row(0).squaredNorm(), entry["energy_row_norm2"], scale);
    check(rows.middleRows(1, 3 * s.size()).squaredNorm(), entry["force_rows_norm2"], scale);
    check(rows.bottomRows(6).squaredNorm(), entry["virial_rows_norm2"], scale);
  }
}

}  // namespace

TEST_CASE("norms of values and rows of every reference product agree, up to rank 6") {
  IPFIT_REFERENCE_OR_SKIP(golden, "golden");
  const Json tables = json_of(golden / "bnorms.json");
  REQUIRE(tables.size() == 3);
  for (const Json& table : tables) {
    check_configuration(golden, table);
  }
}
