#include "common/atoms/label_keys.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/text_file.h"

using namespace ipfit;

namespace {

/// The names in back quotes of the table row "| label | `a` `b` |" of the reference page.
std::vector<std::string> documented_names(const std::string& label) {
  const std::string page = test::text_of("docs/reference/extended-xyz.md");  // tests run in the source folder
  const std::size_t marker = page.find("compared with the program by a test");
  REQUIRE(marker != std::string::npos);
  const std::string text = page.substr(marker);
  const std::string row = "| " + label + " | `";
  const std::size_t start = text.find(row);
  REQUIRE(start != std::string::npos);
  std::string line = text.substr(start + row.size() - 1, text.find('\n', start) - start - row.size() + 1);
  std::replace(line.begin(), line.end(), '`', ' ');
  std::istringstream words(line);
  std::vector<std::string> names;
  for (std::string word; words >> word && word != "|";) {
    names.push_back(word);
  }
  return names;
}

template <class Names>
std::vector<std::string> strings(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace

TEST_CASE("the reference page lists the names that are tried, in their order") {
  CHECK(documented_names("energy") == strings(kEnergyNames));
  CHECK(documented_names("forces") == strings(kForcesNames));
  CHECK(documented_names("virial") == strings(kVirialNames));
  CHECK(documented_names("stress") == strings(kStressNames));
  CHECK(documented_names("group") == std::vector<std::string>{std::string(kGroupName)});
}

TEST_CASE("free_energy is in no list") {
  CHECK(std::count(kEnergyNames.begin(), kEnergyNames.end(), "free_energy") == 0);
}

TEST_CASE("a name that was given stands alone") {
  LabelKeys keys;
  keys.energy = "free_energy";
  keys.virial = "w";
  const LabelNames names = names_to_try(keys);
  CHECK(names.energy == std::vector<std::string_view>{"free_energy"});
  CHECK(names.forces.size() == kForcesNames.size());
  CHECK(names.virial == std::vector<std::string_view>{"w"});
  CHECK(names.stress.empty());
}
