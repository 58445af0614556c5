// The page about the protocol and its schema name the same messages.

#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>

#include "common/file_system.h"

using namespace ipfit;

namespace {

/// What the first group of the pattern matches in each line.
std::set<std::string> names_in(const std::string& text, const std::regex& pattern) {
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    names.insert((*match)[1].str());
  }
  return names;
}

}  // namespace

TEST_CASE("every message of the schema stands in the page about the protocol, and no other") {
  const auto schema = read_file("proto/ipfit.capnp");
  const auto page = read_file("docs/reference/protocol.md");
  REQUIRE(schema.ok());
  REQUIRE(page.ok());
  const std::size_t begin = schema->find("union {");
  const std::size_t end = schema->find("\n  }", begin);
  REQUIRE(end != std::string::npos);
  auto members = names_in(schema->substr(begin, end - begin), std::regex(R"(\n\s*(\w+) @\d+ :)"));
  CHECK(members.erase("invalid") == 1);
  CHECK(members.size() == 28);
  CHECK(names_in(*page, std::regex(R"(\n\| `(\w+)` \|)")) == members);
}
