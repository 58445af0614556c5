// The form of what is written; that it means the fitted potential is held in tests/contract/yace_contract_test.cpp.
#include "manager/output/yace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

#include "common/model/ace/ace_labels.h"
#include "tests/support/yace/reader.h"

namespace ipfit {
namespace {

AceBond bond(RadialFamily family, int size, double cutoff) {
  AceBond made;
  made.family = family;
  made.lambda = 3.5;
  made.cutoff = cutoff;
  made.cutoff_width = 0.3;
  made.size = size;
  return made;
}

/// Around P: one factor of each element, two of P; around In nothing. P-P has a transform.
AceSpec small_spec() {
  AceSpec spec;
  spec.elements = {15, 49};
  spec.bonds = {bond(RadialFamily::kChebExpCos, 2, 4.0), bond(RadialFamily::kSBessel, 3, 5.0),
                bond(RadialFamily::kChebPow, 1, 6.0)};
  spec.bonds[0].transform = {2.0, 0.0, -3.0, 0.5};
  spec.bonds[0].inner_cutoff = 1.5;
  spec.bonds[0].inner_width = 0.25;
  spec.multisets = {{0, {{0, 0, 1}}}, {0, {{0, 0, 2}}}, {0, {{0, 1, 3}}}, {0, {{1, 0, 1}, {1, 0, 2}}}};
  REQUIRE(std::is_sorted(spec.multisets.begin(), spec.multisets.end(),
                         [](const auto& a, const auto& b) { return column_order(a, b) < 0; }));
  return spec;
}

const std::vector<double> kCoefficients{1.0, 10.0, 7.0, 3.0};

test::yace::Potential reread(const std::string& text) {
  auto potential = test::yace::read(text, "potential.yace");
  INFO((potential ? "" : potential.error().text()));
  REQUIRE(potential);
  return *potential;
}

test::yace::Potential written() {
  REQUIRE(column_count(small_spec()) == static_cast<std::int64_t>(kCoefficients.size()));
  return reread(write_yace(small_spec(), kCoefficients, {{49, -1.5}}, {}));
}

}  // namespace

TEST_CASE("a written potential has every element, one linear embedding each, and all one-body energies") {
  const auto potential = written();
  CHECK(potential.elements == std::vector<std::string>{"P", "In"});
  CHECK(potential.E0 == std::vector<double>{0.0, -1.5});
  CHECK(potential.delta_spline_bins == 0.001);
  REQUIRE(potential.embeddings.size() == 2);
  for (const auto& embedding : potential.embeddings) {
    CHECK(embedding.kind == test::yace::EmbeddingKind::kFinnisSinclairShiftedScaled);
    CHECK(embedding.w == std::vector<double>{1.0});
    CHECK(embedding.m == std::vector<double>{1.0});
    CHECK(embedding.rho_core_cutoff == 1e5);
    CHECK(embedding.drho_core_cutoff == 250.0);
  }
}

TEST_CASE("both orders of a pair of elements are written alike, with an inner cutoff and no core repulsion") {
  const auto potential = written();
  CHECK(potential.inner_cutoff == test::yace::InnerCutoff::kDistance);
  const auto& PP = potential.bond(0, 0);
  CHECK(PP.family == test::yace::Family::kChebExpCos);
  CHECK(PP.lambda == 3.5);
  CHECK(PP.rcut == 4.0);
  CHECK(PP.dcut == 0.3);
  CHECK(PP.rcut_in == 1.5);
  CHECK(PP.dcut_in == 0.25);
  CHECK(PP.prehc == 0.0);
  CHECK(PP.lambdahc == 1.0);
  CHECK(potential.bond(1, 1).family == test::yace::Family::kChebPow);
  for (const auto* pair : {&potential.bond(0, 1), &potential.bond(1, 0)}) {
    CHECK(pair->family == test::yace::Family::kSBessel);
    CHECK(pair->rcut == 5.0);
    CHECK(pair->rcut_in == 0.0);
    CHECK(pair->dcut_in == 0.0);
    CHECK(pair->nradbasemax == 3);
    CHECK(pair->nradmax == 0);  // only products of two and more factors need tables of R_nl
  }
}

TEST_CASE("the radial coefficients are the transform of the bond, for every degree l") {
  const auto PP = written().bond(0, 0);
  CHECK(PP.nradbasemax == 2);
  CHECK(PP.nradmax == 2);
  CHECK(PP.lmax == 1);
  CHECK(PP.radcoefficients == std::vector<double>{2.0, 0.0, 2.0, 0.0, -3.0, 0.5, -3.0, 0.5});
}

TEST_CASE("products of one factor go back to the raw radial functions, those of several sum their couplings") {
  const auto functions = written().functions;
  REQUIRE(functions.size() == 2);
  CHECK(functions[1].empty());
  REQUIRE(functions[0].size() == 4);
  // 1 (2 g_1) + 10 (-3 g_1 + 0.5 g_2), then 7 g_3 of In: the raw functions as they are.
  CHECK(functions[0][0].ns == std::vector<int>{1});
  CHECK(functions[0][0].ctildes[0][0] == -28.0);
  CHECK(functions[0][1].ns == std::vector<int>{2});
  CHECK(functions[0][1].ctildes[0][0] == 5.0);
  CHECK(functions[0][2].mus == std::vector<int>{1});
  CHECK(functions[0][2].ns == std::vector<int>{3});
  CHECK(functions[0][2].ctildes[0][0] == 7.0);
  // Two factors with l = 1: m = (0, 0) and (1, -1), which stands for (-1, 1) too, with full tensors of norm 1.
  const auto& pair = functions[0][3];
  CHECK(pair.rank == 2);
  CHECK(pair.ns == std::vector<int>{1, 2});
  CHECK(pair.ls == std::vector<int>{1, 1});
  REQUIRE(pair.ms.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool middle = pair.ms[i][0] == 0;
    CHECK(pair.ms[i][0] + pair.ms[i][1] == 0);
    CHECK(std::abs(pair.ctildes[i][0]) == Approx((middle ? 1.0 : 2.0) * 3.0 / std::numbers::sqrt3).epsilon(1e-15));
  }
  CHECK(pair.ctildes[0][0] * pair.ctildes[1][0] < 0.0);
}

TEST_CASE("functions with coefficient zero are left out") {
  const auto potential = reread(write_yace(small_spec(), std::vector<double>{0.0, 0.0, 7.0, 0.0}, {}, {}));
  REQUIRE(potential.functions[0].size() == 1);
  CHECK(potential.functions[0][0].mus == std::vector<int>{1});
}

TEST_CASE("numbers of any size read back to the same bits, and are real numbers for every YAML reader") {
  std::mt19937_64 random(3);
  std::vector<double> values{1e5, -1e-5, 1e22, 123456789.0, 0.1, 1.0 / 3.0, 4e-300, -2e300};
  for (int i = 0; i < 200; ++i) {
    values.push_back(std::ldexp(std::uniform_real_distribution<double>(-1.0, 1.0)(random), i - 100));
  }
  for (const double value : values) {
    const std::string text = write_yace(small_spec(), std::vector<double>{0.0, 0.0, value, 0.0}, {{15, value}}, {});
    const auto potential = reread(text);
    CHECK(potential.functions[0][0].ctildes[0][0] == value);
    CHECK(potential.E0[0] == value);
    const std::size_t from = text.find("E0: [") + 5;
    const std::string number = text.substr(from, text.find(',', from) - from);
    CHECK(number.find('.') != std::string::npos);
    const std::size_t exponent = number.find('e');
    CHECK((exponent == std::string::npos || number[exponent + 1] == '+' || number[exponent + 1] == '-'));
  }
}

TEST_CASE("the file says where it comes from, whatever is in the words") {
  const std::string text =
      write_yace(small_spec(), kCoefficients, {}, {{"inputs", "5d0c"}, {"data", "a \"b\"\n: [{'\xff"}});
  reread(text);
  CHECK(text.starts_with("# "));
  CHECK(text.find("\nmetadata:\n") != std::string::npos);
  CHECK(text.find("\"inputs\": \"5d0c\"\n") != std::string::npos);
}

TEST_CASE("each function stands on a line of its own, and the same potential gives the same bytes") {
  const std::string text = write_yace(small_spec(), kCoefficients, {}, {});
  CHECK(text == write_yace(small_spec(), kCoefficients, {}, {}));
  std::istringstream lines(text.substr(text.find("\nfunctions:\n") + 1));
  int entries = 0;
  for (std::string line; std::getline(lines, line);) {
    entries += line.starts_with("    - {") && line.ends_with("]}") ? 1 : 0;
  }
  CHECK(entries == 4);
}

}  // namespace ipfit
