#include "manager/output/lammps_input.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace ipfit {
namespace {

/// What LAMMPS carries out: no comments, no blank lines, blanks single.
std::vector<std::string> commands(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string command;
    for (std::string word; words >> word;) {
      command += (command.empty() ? "" : " ") + word;
    }
    if (!command.empty()) {
      all.push_back(command);
    }
  }
  return all;
}

bool has(const std::vector<std::string>& all, const std::string& command) {
  return std::find(all.begin(), all.end(), command) != all.end();
}

}  // namespace

TEST_CASE("the input file reads the structure beside it and evaluates it with the potential beside it") {
  const auto all = commands(lammps_input({49, 15}, {}, {"potential.yace", "structure.data"}));
  REQUIRE(all.size() > 8);
  CHECK(all.front() == "units metal");
  CHECK(has(all, "newton on"));
  CHECK(has(all, "atom_style atomic"));
  CHECK(has(all, "boundary p p p"));
  CHECK(has(all, "read_data structure.data"));
  CHECK(has(all, "pair_style pace"));
  CHECK(has(all, "pair_coeff * * potential.yace In P"));
  CHECK(has(all, "run 0"));
  CHECK(all.back().starts_with("print "));
}

TEST_CASE("a repulsion that was subtracted before the fit is added for every pair of elements") {
  const auto all = commands(lammps_input({49, 15}, Zbl{1.25, 2.5}, {"potential.yace", "structure.data"}));
  CHECK(has(all, "pair_style hybrid/overlay pace zbl 1.25 2.5"));
  CHECK(has(all, "pair_coeff * * pace potential.yace In P"));
  CHECK(has(all, "pair_coeff 1 1 zbl 49 49"));
  CHECK(has(all, "pair_coeff 1 2 zbl 49 15"));
  CHECK(has(all, "pair_coeff 2 2 zbl 15 15"));
  CHECK_FALSE(has(all, "pair_style pace"));
}

TEST_CASE("names that LAMMPS would split stand in quotes") {
  const auto all = commands(lammps_input({14}, {}, {"my potential.yace", "structure.data"}));
  CHECK(has(all, "pair_coeff * * \"my potential.yace\" Si"));
}

}  // namespace ipfit
