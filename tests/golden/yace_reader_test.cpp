// What the independent reader of .yace files refuses, and in which words.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/yace/reader.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// Two elements, everything in it once; small pieces of it are replaced to make it wrong.
const std::string kGood = R"(elements: [Al, Ni]
E0: [-0.2, -0.3]
deltaSplineBins: 0.001
embeddings:
  0: {ndensity: 1, FS_parameters: [1.0, 1.0], npoti: FinnisSinclairShiftedScaled, rho_core_cutoff: 100000, drho_core_cutoff: 250}
  1: {ndensity: 2, FS_parameters: [1.0, 1.0, 1.0, 0.5], npoti: FinnisSinclair, rho_core_cutoff: 1.0e+5, drho_core_cutoff: 250}
bonds:
  [0, 0]: {radbasename: SBessel, radparameters: [5.25], nradbasemax: 2, nradmax: 1, lmax: 1, radcoefficients: [[[1, 0], [0, 1]]], rcut: 5, dcut: 0.01, prehc: 0, lambdahc: 1, rcut_in: 0, dcut_in: 0, inner_cutoff_type: density}
  [0, 1]: {radbasename: ChebPow, radparameters: [2], nradbasemax: 1, nradmax: 0, lmax: 0, radcoefficients: [], rcut: 4, dcut: 0.01, prehc: 0, lambdahc: 1}
  [1, 0]: {radbasename: ChebPow, radparameters: [2], nradbasemax: 1, nradmax: 0, lmax: 0, radcoefficients: [], rcut: 4, dcut: 0.01, prehc: 0, lambdahc: 1}
  [1, 1]: {radbasename: TEST_Ones, radparameters: [1], nradbasemax: 1, nradmax: 1, lmax: 0, radcoefficients: [[[1, 7], [3]], []], rcut: 3, dcut: 0.01, prehc: 0, lambdahc: 1, inner_cutoff_type: distance}
functions:
  0:
    - {mu0: 0, rank: 1, ndensity: 1, num_ms_combs: 1, mus: [1], ns: [1], ls: [0], ms_combs: [0], ctildes: [0.5]}
    - {mu0: 0, rank: 2, ndensity: 1, num_ms_combs: 2, mus: [0, 0], ns: [1, 1], ls: [1, 1], ms_combs: [0, 0, 1, -1], ctildes: [0.15, -0.3]}
  1: []
)";

std::string with(const std::string& before, const std::string& after) {
  std::string text = kGood;
  const std::size_t at = text.find(before);
  INFO(before);
  REQUIRE(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

}  // namespace

TEST_CASE("a whole file is read with its defaults") {
  const auto potential = yace::read(kGood, "good.yace");
  INFO((potential ? "" : potential.error().text()));
  REQUIRE(potential);
  CHECK(potential->elements == std::vector<std::string>{"Al", "Ni"});
  CHECK(potential->E0 == std::vector<double>{-0.2, -0.3});
  CHECK(potential->embeddings[1].w == std::vector<double>{1.0, 1.0});
  CHECK(potential->embeddings[1].m == std::vector<double>{1.0, 0.5});
  CHECK(potential->embeddings[1].rho_core_cutoff == 1e5);
  CHECK(potential->bond(0, 0).coefficient(1, 1, 2) == 1.0);
  CHECK(potential->bond(0, 1).rcut_in == 0.0);
  CHECK(potential->bond(1, 1).family == yace::Family::kZero);
  CHECK(potential->bond(1, 1).radcoefficients == std::vector<double>{1.0});
  CHECK(potential->largest_cutoff() == 5.0);
  CHECK(potential->inner_cutoff == yace::InnerCutoff::kDistance);  // that of the last pair
  REQUIRE(potential->functions[0].size() == 2);
  CHECK(potential->functions[0][1].ms == std::vector<std::vector<int>>{{0, 0}, {1, -1}});
  CHECK(potential->functions[0][1].ctildes == std::vector<std::vector<double>>{{0.15}, {-0.3}});
  CHECK(potential->functions[1].empty());
}

TEST_CASE("the order of the keys, further keys and comments do not matter") {
  CHECK(yace::read("# by hand\nmetadata: {fitted: [today]}\n" + with("E0: [-0.2, -0.3]\n", "") + "E0: [-0.2, -0.3]\n",
                   ""));
}

TEST_CASE("a wrong file is refused with the line and what is wrong there") {
  const auto [before, after, line, what] = GENERATE(table<std::string, std::string, int, std::string>({
      {"elements: [Al, Ni]", "", 2, "the file has no key elements"},
      {"[Al, Ni]", "Al", 1, "elements is no list of 1 to 118 names"},
      {"[Al, Ni]", "[Al, Al]", 1, "elements has an entry that is no name, or stands twice"},
      {"E0: [-0.2, -0.3]", "E0: [-0.2]", 1, "the file has 1 entries in E0, expected 2"},
      {"E0: [-0.2, -0.3]", "E0: [-0.2, .nan]", 1, "the file has something in E0 that is no finite number"},
      {"E0: [-0.2, -0.3]\n", "", 1, "the file has no key E0"},
      {"deltaSplineBins: 0.001", "deltaSplineBins: 0", 1, "the file has deltaSplineBins 0, expected more than 0"},
      {"  1: {ndensity: 2", "  2: {ndensity: 2", 6, "embeddings has a key that is no number of an element, 0 to 1"},
      {"  1: {ndensity: 2", "  0: {ndensity: 2", 6, "embeddings has the key 0 twice"},
      {"npoti: FinnisSinclairShiftedScaled", "npoti: Linear", 5,
       "embedding 0 has npoti \"Linear\", expected one of FinnisSinclair, FinnisSinclairShiftedScaled"},
      {"npoti: FinnisSinclairShiftedScaled, ", "", 5, "embedding 0 has no key npoti"},
      {"FS_parameters: [1.0, 1.0]", "FS_parameters: [1.0]", 5,
       "embedding 0 has 1 entries in FS_parameters, expected 2"},
      {"ndensity: 1", "ndensity: 1.0", 5, "embedding 0 has something in ndensity that is no integer"},
      {"ndensity: 1", "ndensity: 0", 5, "embedding 0 has 0 in ndensity, expected 1 to 100"},
      {"  [1, 0]:", "  [1, 2]:", 10, "bonds has a key that is no pair of elements [i, j], each 0 to 1"},
      {"  [1, 0]:", "  [0, 1]:", 10, "bonds has the pair [0, 1] twice"},
      {"  [1, 0]:", "  # [1, 0]:", 8, "bonds has nothing for the pair [1, 0]"},
      {"radbasename: SBessel", "radbasename: Bessel", 8,
       "bond [0, 0] has radbasename \"Bessel\", expected one of ChebExpCos, ChebPow, ChebLinear, SBessel, "
       "TEST_SBessel"},
      {"radbasename: SBessel", "radbasename: ACE.jl.base", 8,
       "bond [0, 0] has radial functions of the family ACE.jl, which this reader does not know"},
      {"radparameters: [5.25]", "radparameters: []", 8,
       "bond [0, 0] has no entry in radparameters, expected at least one"},
      {"[[[1, 0], [0, 1]]]", "[[[1, 0], [0]]]", 8,
       "bond [0, 0] has no number in radcoefficients at [0][1][1], expected [1][2][2] of them"},
      {"[[[1, 0], [0, 1]]]", "1", 8,
       "bond [0, 0] has no number in radcoefficients at [0][0][0], expected [1][2][2] of them"},
      {"rcut: 5,", "rcut: -5,", 8, "bond [0, 0] has rcut -5, expected more than 0 and at most 100 Å"},
      {"rcut: 5,", "", 8, "bond [0, 0] has no key rcut"},
      {"dcut_in: 0,", "dcut_in: -1,", 8, "bond [0, 0] has a negative dcut or dcut_in"},
      {"inner_cutoff_type: distance", "inner_cutoff_type: sharp", 11,
       "bond [1, 1] has inner_cutoff_type \"sharp\", expected one of density, distance, zbl"},
      {"  1: []", "", 13, "functions has nothing for element 1"},
      {"  1: []", "  1: {}", 16, "functions of element 1 are no list"},
      {"rank: 1, ", "", 14, "function 0 of element 0 has no key rank"},
      {"mu0: 0, rank: 1", "mu0: 1, rank: 1", 14, "function 0 of element 0 has 1 in mu0, expected 0 to 0"},
      {"mus: [1]", "mus: [2]", 14, "function 0 of element 0 has 2 in mus, expected 0 to 1"},
      {"ns: [1], ", "ns: [2], ", 14, "function 0 of element 0 has n = 2, l = 0 in factor 0, expected at most 1 and 0"},
      {"ns: [1, 1]", "ns: [1]", 15, "function 1 of element 0 has 1 entries in ns, expected 2"},
      {"ls: [1, 1]", "ls: [2, 1]", 15,
       "function 1 of element 0 has n = 1, l = 2 in factor 0, expected at most 1 and 1"},
      {"ms_combs: [0, 0, 1, -1]", "ms_combs: [0, 0, 2, -1]", 15, "function 1 of element 0 has m = 2 where l is 1"},
      {"ms_combs: [0, 0, 1, -1]", "ms_combs: [0, 0, 1]", 15,
       "function 1 of element 0 has 3 entries in ms_combs, expected 4"},
      {"ctildes: [0.15, -0.3]", "ctildes: [0.15]", 15, "function 1 of element 0 has 1 entries in ctildes, expected 2"},
      {"ctildes: [0.15, -0.3]", "ctildes: [0.15, x]", 15,
       "function 1 of element 0 has something in ctildes that is no finite number"},
  }));
  const auto potential = yace::read(with(before, after), "wrong.yace");
  INFO(before << " -> " << after);
  REQUIRE_FALSE(potential);
  CHECK(potential.error().kind == ErrorKind::kInput);
  CHECK(potential.error().where == "wrong.yace:" + std::to_string(line));
  CHECK(potential.error().what == what);
}

TEST_CASE("what is no YAML, or not the right kind of YAML, is refused") {
  for (const std::string text :
       {"", "[1, 2", "just words", "[a, b]", "{", "elements: {Al: Ni}", "\t- :", "&a [*a]", "elements: &a [*a]"}) {
    INFO(text);
    CHECK_FALSE(yace::read(text, "wrong.yace"));
  }
}

TEST_CASE("a file that is cut anywhere before its last entry is refused") {
  const std::size_t whole = kGood.find("  1: []");
  for (std::size_t length = 0; length < whole; length += 7) {
    CHECK_FALSE(yace::read(kGood.substr(0, length), "cut.yace"));
  }
}

TEST_CASE("a file cannot make the reader ask for memory without end") {
  CHECK_FALSE(
      yace::read(with("nradbasemax: 2, nradmax: 1, lmax: 1", "nradbasemax: 1000, nradmax: 1000, lmax: 50"), ""));
  CHECK_FALSE(yace::read(with("num_ms_combs: 2", "num_ms_combs: 1000000"), ""));
  CHECK_FALSE(yace::read(with("num_ms_combs: 2", "num_ms_combs: 1000000000000"), ""));
  CHECK_FALSE(yace::read("elements: " + std::string(100'000, '['), ""));
}
