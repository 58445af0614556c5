#include "common/fit/fit_keys.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace ipfit {
namespace {

/// A row of docs/reference/fit-file.md as the table of keys has it.
std::string documented(const FitKey& key) {
  FitSpec spec = default_fit_spec(key.kind);
  const std::string usual = key.usual.empty() ? "" : fmt::format(" (usual: {})", key.usual);
  const bool words = !key.default_words.empty();
  const std::string kind = key.kind.empty() ? "" : fmt::format(" kind = \"{}\"", key.kind);
  return fmt::format("[{}]{} | `{}` | {} | {} | {} | {}{} | {} |", key.section, kind, key.name,
                     type_in_words(key.field(spec, "")), key.unit,
                     words ? default_in_words(key) : fmt::format("`{}`", default_in_words(key)), key.meaning, usual,
                     key.shapes_rows ? "yes" : "");
}

/// The rows of the tables of keys in the page, each behind the headings of its section and kind.
std::vector<std::string> rows_of_the_page() {
  std::ifstream page("docs/reference/fit-file.md");
  REQUIRE(page);
  std::vector<std::string> rows;
  std::string section;
  std::string kind;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## [")) {
      section = line.substr(3);
      kind.clear();
    } else if (line.starts_with("### kind")) {
      kind = line.substr(3);
    } else if (line.starts_with("| `")) {
      rows.push_back(section + kind + " " + line);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("the reference page lists every key of the fit file with type, unit, default and meaning, and no other") {
  std::vector<std::string> expected;
  for (const FitKey& key : fit_keys()) {
    expected.push_back(documented(key));
  }
  CHECK(rows_of_the_page() == expected);
}

TEST_CASE("every key stands once in the table of keys, for each kind of basis, and sections are in one piece") {
  std::set<std::string> seen;
  std::set<std::string_view> closed;
  std::string_view section;
  for (const FitKey& key : fit_keys()) {
    CHECK(seen.insert(fmt::format("{}.{}.{}", key.section, key.kind, key.name)).second);
    if (key.section != section) {
      CHECK_FALSE(closed.contains(key.section));
      closed.insert(section);
      section = key.section;
    }
  }
}

TEST_CASE("every key fills a place of its own") {
  const std::string_view kind = GENERATE(kAceBasis, kPairBasis);
  FitSpec spec = default_fit_spec(kind);
  std::set<std::pair<std::size_t, const void*>> places;  // with the type: a value and its first member have one address
  for (const FitKey& key : fit_keys()) {
    if (!key.kind.empty() && key.kind != kind) {
      continue;
    }
    const Field field = key.field(spec, "liquid");
    const void* place = std::visit([](const auto& of) { return static_cast<const void*>(of.value); }, field);
    INFO(key.section << "." << key.name);
    CHECK(places.emplace(field.index(), place).second);
  }
}

TEST_CASE("text becomes a TOML string whatever it holds") {
  CHECK(toml_quoted("si.xyz") == R"("si.xyz")");
  CHECK(toml_quoted("a\"b\\c") == R"("a\"b\\c")");
  CHECK(toml_quoted("a\nb\x7f") == R"("a\u000ab\u007f")");
  CHECK(toml_quoted("Å") == "\"Å\"");
}

TEST_CASE("a key is quoted only where TOML needs it") {
  CHECK(toml_key("liquid-2_b") == "liquid-2_b");
  CHECK(toml_key("my liquid") == R"("my liquid")");
  CHECK(toml_key("1.5") == R"("1.5")");
  CHECK(toml_key("") == R"("")");
}

TEST_CASE("a number is always written as a TOML float, as short as it can be") {
  CHECK(toml_number(30.0) == "30.0");
  CHECK(toml_number(-0.8) == "-0.8");
  CHECK(toml_number(1e-8) == "1e-08");
  CHECK(toml_number(1e22) == "1e+22");
  CHECK(toml_number(0.0) == "0.0");
}

}  // namespace ipfit
