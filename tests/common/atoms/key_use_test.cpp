#include "common/atoms/key_use.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace ipfit;

namespace {

std::string frame(const std::string& keys, const std::string& columns = "") {
  std::string line = "H 0 0 0";
  for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(std::count(columns.begin(), columns.end(), 'R')); ++i) {
    line += " 0";
  }
  return "1\nLattice=\"4 4 4\" Properties=species:S:1:pos:R:3" + columns + " " + keys + "\n" + line + "\n";
}

Result<KeyUse> use_of(const std::string& text, const LabelKeys& asked = {}) {
  KeySurvey survey;
  REQUIRE(survey.add(LineSource::from_text(text, "a.xyz")));
  return survey.choose(asked);
}

const KeyChoice& choice(const KeyUse& use, const std::string& kind) {
  return *std::find_if(use.choices.begin(), use.choices.end(), [&](const KeyChoice& c) { return c.kind == kind; });
}

bool has_unused(const KeyUse& use, const std::string& name, bool column) {
  return std::any_of(use.unused.begin(), use.unused.end(),
                     [&](const FoundKey& key) { return key.name == name && key.column == column; });
}

}  // namespace

TEST_CASE("without names the first usual name that occurs anywhere is taken for all structures") {
  const Result<KeyUse> use = use_of(frame("dft_energy=-1", ":REF_force:R:3") + frame("REF_energy=-1 config_type=a") +
                                    frame("dft_energy=-2 free_energy=-1", ":forces:R:3"));
  REQUIRE(use);
  CHECK(use->structures == 3);
  CHECK(use->keys.energy == "dft_energy");
  CHECK(use->keys.forces == "forces");
  CHECK(use->keys.virial.empty());
  CHECK(use->keys.stress.empty());
  CHECK(choice(*use, "energy").how == HowChosen::kListed);
  CHECK(choice(*use, "energy").structures == 2);
  CHECK(choice(*use, "virial").how == HowChosen::kAbsent);
  CHECK(choice(*use, "group").structures == 1);
}

TEST_CASE("target-like keys and columns that are not used are named") {
  const Result<KeyUse> use =
      use_of(frame("energy=-1 free_energy=-2 Total_Energy_Ha=3 tag=4", ":forces:R:3:old_forces:R:3"));
  REQUIRE(use);
  CHECK(use->unused.size() == 3);
  CHECK(has_unused(*use, "free_energy", false));
  CHECK(has_unused(*use, "Total_Energy_Ha", false));
  CHECK(has_unused(*use, "old_forces", true));
  CHECK_THAT(use->text(), Catch::Contains("not used: the key 'free_energy', in 1 structures"));
  CHECK_THAT(use->text(), Catch::Contains("energy: 'energy' in 1 of 1 structures (found by the list of usual names)"));
}

TEST_CASE("a column called energy is not found as the energy") {
  const Result<KeyUse> use = use_of(frame("free_energy=1", ":energy:R:3"));
  REQUIRE(use);
  CHECK(use->keys.energy.empty());
  CHECK(has_unused(*use, "energy", true));
}

TEST_CASE("virial and stress are looked for only while neither is named") {
  const std::string text = frame("virial=\"1 0 0 0 1 0 0 0 1\" stress=\"1 0 0 0 1 0 0 0 1\" dft_stress=0");
  const Result<KeyUse> both = use_of(text);
  REQUIRE(both);
  CHECK(both->keys.virial == "virial");
  CHECK(both->keys.stress == "stress");
  LabelKeys asked;
  asked.stress = "dft_stress";
  const Result<KeyUse> stress = use_of(text, asked);
  REQUIRE(stress);
  CHECK(stress->keys.virial.empty());
  CHECK(choice(*stress, "stress").how == HowChosen::kNamed);
  CHECK(has_unused(*stress, "virial", false));
  const Result<KeyUse> found = use_of(frame("stress=\"1 0 0 0 1 0 0 0 1\""));
  REQUIRE(found);
  CHECK(found->keys.stress == "stress");
  CHECK(found->keys.virial.empty());
}

TEST_CASE("a named key that occurs nowhere is an error that says which keys there are") {
  LabelKeys asked;
  asked.energy = "dft_enregy";
  asked.forces = "force";
  asked.group = "kind";
  const Result<KeyUse> use = use_of(frame("dft_energy=-1 free_energy=-2", ":forces:R:3"), asked);
  REQUIRE_FALSE(use);
  REQUIRE(use.errors().size() == 3);
  CHECK(use.errors()[0].where == "energy_key");
  CHECK_THAT(use.errors()[0].what, Catch::Contains("'dft_enregy'") && Catch::Contains("a.xyz"));
  CHECK_THAT(use.errors()[0].remedy, Catch::Contains("there are: dft_energy, free_energy"));
  CHECK(use.errors()[1].where == "forces_key");
  CHECK_THAT(use.errors()[1].remedy, Catch::Contains("there are: forces"));
  CHECK(use.errors()[2].where == "group_key");
}

TEST_CASE("data without config_type are one group, and no error") {
  const Result<KeyUse> use = use_of(frame("energy=-1"));
  REQUIRE(use);
  CHECK(use->keys.group == "config_type");
  CHECK(choice(*use, "group").how == HowChosen::kAbsent);
}

TEST_CASE("a key that was named is never said to have been found") {
  const std::string text =
      frame("energy=-1 virial=\"1 0 0 0 1 0 0 0 1\" stress=\"1 0 0 0 1 0 0 0 1\" config_type=a", ":forces:R:3");
  LabelKeys asked;
  asked.energy = "energy";
  asked.forces = "forces";
  asked.virial = "virial";
  asked.stress = "stress";
  asked.group = "config_type";
  const Result<KeyUse> named = use_of(text, asked);
  REQUIRE(named);
  for (const KeyChoice& chosen : named->choices) {
    INFO(chosen.kind);
    CHECK(chosen.structures == 1);
  }
  CHECK_THAT(named->text(), !Catch::Contains("found"));
  // What a group is called by default cannot be told from the same name given, and need not be.
  CHECK_THAT(named->text(), Catch::Contains("group: 'config_type' in 1 of 1 structures (the usual name)"));
  CHECK_THAT(use_of(text).value().text(),
             Catch::Contains("group: 'config_type' in 1 of 1 structures (the usual name)"));
}

TEST_CASE("all files that cannot be read are named at once") {
  const Result<KeyUse> use = discover_keys({"/no/such/a.xyz", "/no/such/b.xyz"}, {});
  REQUIRE_FALSE(use);
  REQUIRE(use.errors().size() == 2);
  CHECK(use.errors()[1].where == "/no/such/b.xyz");
}

TEST_CASE("a broken file is refused before any atom line is read") {
  KeySurvey survey;
  const Status status = survey.add(LineSource::from_text(frame("energy=-1") + "x\n", "a.xyz"));
  REQUIRE_FALSE(status);
  CHECK(status.error().where == "a.xyz:4:1");
  const Status cut = survey.add(LineSource::from_text("2\nfree text\nH 0 0 0\n", "b.xyz"));
  REQUIRE_FALSE(cut);
  CHECK(cut.error().where == "b.xyz:4:1");
}
