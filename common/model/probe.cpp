#include "common/model/probe.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace ipfit {
namespace {

constexpr double kTolerance = 1e-12;

// tests/golden/pair_probe.py holds the same problem and printed the numbers of the first model, ace_probe.py those of
// the two others.
constexpr ProbeEntry kEntries[] = {
    {0, 0, 1, 1.65149984354571402009},      {0, 0, 6, 5.65212263494838808471},
    {0, 1, 0, -1.83795506494536745031e-1},  {0, 5, 7, 9.38251855342714559516e-1},
    {0, 9, 6, -1.25566291442185961289e-1},  {0, 10, 2, 3.40672217721489739608},
    {0, 12, 5, 6.17011329170195126054},     {0, 13, 3, 3.98776447752782152925e-1},
    {1, 0, 0, 1.32872116331482951188},      {1, 0, 1, 2.30024991848027192403},
    {1, 0, 2, 1.56677146709268523024},      {1, 0, 3, 0.312517784612486494426},
    {1, 0, 4, 1.04090120320193742207},      {1, 0, 5, 0.429697578730544643349},
    {1, 0, 6, -0.279387137963418217265},    {1, 0, 7, 0.100156208813706479462},
    {1, 0, 8, -0.0568871744722770011779},   {1, 0, 9, -0.114794869545983041113},
    {1, 0, 10, -0.945182856251783677044},   {1, 0, 11, 1.10742593616810997915},
    {1, 0, 13, 0.0252081995895340110506},   {1, 0, 14, 0.00286185131835721948443},
    {1, 0, 15, 0.00500179624670400481902},  {1, 0, 16, 0.0000855535798326533016845},
    {1, 0, 18, 0.00735020389507365369659},  {1, 0, 19, 0.0044846493255951858953},
    {1, 0, 20, -0.00902773603876441902531}, {1, 0, 21, 0.00396549024384482698784},
    {1, 0, 22, 0.00246893995856179470713},  {1, 0, 23, 1.56677146709268523024},
    {1, 0, 24, 0.00834232169290275024727},  {1, 0, 25, 0.0333010628496861228804},
    {1, 0, 26, -0.0268987547516489196337},  {1, 2, 14, 0.0879205622472091398862},
    {1, 2, 21, -0.00360857166618850543114}, {1, 4, 10, 2.34728482014964398819},
    {1, 4, 13, 0.0339400398752887293828},   {1, 4, 18, -0.0242378861799546206092},
    {1, 9, 11, -0.472330497639602282622},   {1, 9, 15, -0.00397145098681789189073},
    {1, 9, 19, -0.00500053279893515641709}, {1, 9, 20, 0.00862533706666517556573},
    {1, 9, 22, -0.0039521561803101116374},  {1, 10, 6, -0.440633244240686407722},
    {1, 10, 18, 0.0308096634123512288922},  {1, 13, 3, -0.325080400827233293439},
    {1, 14, 10, -1.62878402850727643042},   {1, 14, 20, 0.0514029182338834210384},
    {1, 14, 26, -0.155764007221144054012},  {2, 0, 0, -3.56335492323374485909},
    {2, 2, 0, 0.39720394552842933045},      {2, 4, 0, -0.488030102481134251159},
    {2, 9, 0, 0.719334660629435932036},     {2, 10, 0, -2.20832806899768131965},
    {2, 14, 0, 0.723166957919684400436},
};

constexpr std::string_view kAce = R"json({
 "format": "ipfit potential",
 "version": 1,
 "basis": {
  "kind": "ace",
  "elements": ["Si", "O"],
  "bonds": [
   {"pair": "Si-Si", "radial": "SBessel", "lambda": 5.25, "cutoff": 4.0, "cutoff_width": 0.3,
    "inner_cutoff": 0.0, "inner_width": 0.0, "size": 2},
   {"pair": "Si-O", "radial": "ChebExpCos", "lambda": 3.5, "cutoff": 3.75, "cutoff_width": 0.5,
    "inner_cutoff": 2.5, "inner_width": 0.75, "size": 3, "transform": [1.0, 0.5, 1.25, -0.25, 0.75, 1.5]},
   {"pair": "O-O", "radial": "ChebPow", "lambda": 3.0, "cutoff": 4.0, "cutoff_width": 0.3,
    "inner_cutoff": 0.0, "inner_width": 0.0, "size": 2}
  ],
  "functions": {
   "Si": ["Si(1,0)", "Si(2,0)", "O(1,0)", "O(3,0)",
    "Si(1,0) O(1,0)", "O(2,0) O(2,0)", "Si(1,1) Si(2,1)", "Si(1,1) O(1,1)", "O(1,1) O(1,1)", "Si(1,2) O(2,2)",
    "O(1,3) O(1,3)", "Si(1,4) Si(1,4)",
    "Si(1,1) O(1,1) Si(1,2)", "Si(1,1) Si(1,1) O(1,2)", "Si(1,2) Si(2,2) O(1,2)",
    "Si(1,1) Si(2,1) O(1,1) O(2,1)", "Si(1,1) Si(1,1) O(1,1) O(1,1)",
    "Si(1,0) O(1,0) Si(1,1) O(1,1) O(1,2)",
    "Si(1,0) O(1,0) Si(1,1) Si(1,1) O(1,1) O(1,1)"],
   "O": ["Si(1,0)", "O(1,0)", "O(2,0)", "Si(1,1) Si(1,1)"]
}
, "columns" : "18c04a3ad066322a"
}
, "one_body" : {}
})json";

}  // namespace

// All lengths are multiples of 1/8 Å, which doubles hold exactly.
Structure probe_structure() {
  Structure structure;
  structure.species = {14, 8, 14};
  structure.positions = {Vec3(0.125, 0.25, -0.5), Vec3(1.75, 0.5, 1.0), Vec3(0.75, 1.875, 2.25)};
  structure.cell << 3.5, 0.0, 0.0, 1.25, 3.25, 0.0, -0.75, 0.5, 3.75;
  structure.pbc = {true, true, true};
  return structure;
}

std::vector<Model> probe_models() {
  Model rows = *read_model(kAce, "probe");
  Model potential = rows;
  potential.one_body = {{14, -1.5}, {8, 0.25}};
  for (std::int64_t column = 0; column < rows.columns(); ++column) {
    potential.coefficients.push_back(0.125 * static_cast<double>(7 * column % 11 - 5));
  }
  return {Model{PairSpec{{14, 8}, 4.0, 4}, {}, {}}, std::move(rows), std::move(potential)};
}

std::span<const ProbeEntry> probe_entries() {
  return kEntries;
}

Status check_self_test(std::span<const double> found) {
  const std::string remedy =
      "this binary or this processor does not compute what others do: use the same ipfit-worker as elsewhere, or leave "
      "this machine out";
  if (found.size() != std::size(kEntries)) {
    return Error{ErrorKind::kRefused, "self-test",
                 fmt::format("{} numbers, expected {}", found.size(), std::size(kEntries)), remedy};
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = kEntries[i].value;
    if (!(std::abs(found[i] - expected) <= kTolerance * std::abs(expected))) {
      return Error{ErrorKind::kRefused, "self-test",
                   fmt::format("number {} is {:.17g}, expected {:.17g}", i + 1, found[i], expected), remedy};
    }
  }
  return Done{};
}

}  // namespace ipfit
