// The functions that the independent evaluator of .yace files is made of, each against tabulated values.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "common/json.h"
#include "tests/support/reference.h"
#include "tests/support/text_file.h"
#include "tests/support/yace/harmonics.h"
#include "tests/support/yace/radial.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

Json table_of(const std::filesystem::path& golden) {
  const auto path = golden / "radial_and_harmonics.json";
  const auto json = parse_json(text_of(path), path.string());
  REQUIRE(json);
  return *json;
}

yace::InnerCutoff inner_of(const Json& entry) {
  const std::string name = entry["inner_cutoff_type"];
  return name == "zbl"        ? yace::InnerCutoff::kZbl
         : name == "distance" ? yace::InnerCutoff::kDistance
                              : yace::InnerCutoff::kDensity;
}

/// Relative to the value, or to the size that terms have before they cancel.
void check(double found, const Json& expected, double scale, double tolerance) {
  const double value = expected.get<double>();
  CHECK(std::abs(found - value) <= tolerance * std::max(std::abs(value), scale));
}

yace::Bond bond_of(const Json& entry) {
  yace::Bond bond;
  bond.rcut = entry["rcut"];
  bond.dcut = entry["dcut"];
  bond.rcut_in = entry["rcut_in"];
  bond.dcut_in = entry["dcut_in"];
  return bond;
}

}  // namespace

TEST_CASE("radial functions of all families and inner cutoffs have the tabulated values and slopes") {
  IPFIT_REFERENCE_OR_SKIP(golden, "golden");
  const Json table = table_of(golden);
  for (const Json& entry : table["radial"]) {
    yace::Bond bond = bond_of(entry);
    const std::string name = entry["radbasename"];
    bond.family = name == "ChebExpCos"   ? yace::Family::kChebExpCos
                  : name == "ChebPow"    ? yace::Family::kChebPow
                  : name == "ChebLinear" ? yace::Family::kChebLinear
                                         : yace::Family::kSBessel;
    bond.lambda = entry["lambda"];
    bond.nradbasemax = entry["nradbase"];
    for (const Json& row : entry["values"]) {
      const double r = row["r"];
      INFO(name << " " << entry["inner_cutoff_type"] << " r = " << r);
      const auto g = r < bond.rcut ? yace::radial_functions(bond, inner_of(entry), r)
                                   : std::vector<yace::Slope>(static_cast<std::size_t>(bond.nradbasemax));
      for (std::size_t k = 0; k < g.size(); ++k) {
        // Both sides round in sums of terms of order 1 (values) and 10 per Å (slopes), some of which cancel.
        check(g[k].value, row["g"][k], 1e-2, 1e-12);
        check(g[k].slope, row["dg"][k], 1e-1, 1e-12);
      }
    }
  }
}

TEST_CASE("core repulsions of all types have the tabulated values and slopes") {
  IPFIT_REFERENCE_OR_SKIP(golden, "golden");
  const Json table = table_of(golden);
  for (const Json& entry : table["core"]) {
    yace::Bond bond = bond_of(entry);
    bond.prehc = entry["prehc"];
    bond.lambdahc = entry["lambdahc"];
    for (const Json& row : entry["values"]) {
      const double r = row["r"];
      INFO(entry["inner_cutoff_type"] << " r = " << r);
      const yace::Slope phi =
          r < bond.rcut ? yace::core_repulsion(bond, inner_of(entry), r, entry["Z_i"], entry["Z_j"]) : yace::Slope{};
      check(phi.value, row["phi"], 1e-3, 1e-12);
      check(phi.slope, row["dphi"], 1e-3, 1e-12);
    }
  }
}

TEST_CASE("the smooth step has the tabulated values and slopes") {
  IPFIT_REFERENCE_OR_SKIP(golden, "golden");
  const Json table = table_of(golden);
  for (const Json& row : table["step"]) {
    const yace::Slope step = yace::smooth_step(row["x"], row["xc"], row["delta"]);
    check(step.value, row["f"], 1.0, 1e-14);
    check(step.slope, row["df"], 1.0, 1e-13);
  }
}

TEST_CASE("spherical harmonics and their gradients have the tabulated values") {
  IPFIT_REFERENCE_OR_SKIP(golden, "golden");
  const Json table = table_of(golden);
  for (const Json& entry : table["harmonics"]) {
    const Vec3 u(entry["u"][0], entry["u"][1], entry["u"][2]);
    const yace::Harmonics Y(u, 6);
    for (const Json& row : entry["lm"]) {
      const int l = row["l"];
      const int m = row["m"];
      INFO("u = " << u.transpose() << ", l = " << l << ", m = " << m);
      check(Y.value(l, m).real(), row["y"][0], 1.0, 1e-13);
      check(Y.value(l, m).imag(), row["y"][1], 1.0, 1e-13);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto component = Y.tangent(l, m)[static_cast<Eigen::Index>(axis)];
        check(component.real(), row["grad"][axis][0], 10.0, 1e-13);
        check(component.imag(), row["grad"][axis][1], 10.0, 1e-13);
      }
    }
  }
}

TEST_CASE("an embedding's slope is the derivative of its value") {
  for (const auto kind : {yace::EmbeddingKind::kFinnisSinclair, yace::EmbeddingKind::kFinnisSinclairShiftedScaled}) {
    for (const double m : {0.5, 0.8, 1.0, 2.0}) {
      for (const double rho : {-3.0, -0.2, -1.1e-6, 1.7e-6, 0.4, 25.0}) {
        const double h = 1e-4 * std::abs(rho);
        const auto f = [&](double by) { return yace::embedding_function(kind, rho + by, m).value; };
        const double slope = (8.0 * (f(h) - f(-h)) - f(2.0 * h) + f(-2.0 * h)) / (12.0 * h);
        INFO("m = " << m << ", rho = " << rho);
        // Fourth-order differences: (h/rho)^4 = 1e-16, and rounding of differences of numbers around 1, over the step.
        CHECK(yace::embedding_function(kind, rho, m).slope == Approx(slope).epsilon(1e-9).margin(1e-15 / h));
      }
      CHECK(yace::embedding_function(kind, 0.0, m).value == 0.0);
    }
  }
}
