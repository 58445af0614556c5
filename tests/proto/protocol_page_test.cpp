// The page about the protocol and its schema name the same messages.

#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>

#include "common/file_system.h"

using namespace ipfit;

namespace {

/// Of each line that begins with `before` (after blanks), what follows up to `after`, which must be there.
std::set<std::string> names_in(const std::string& text, const std::string& before, const std::string& after) {
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    const std::size_t end = line.find(after, before.size());
    if (line.starts_with(before) && !line.starts_with('#') && end != std::string::npos) {
      names.insert(line.substr(before.size(), end - before.size()));
    }
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
  auto members = names_in(schema->substr(begin, end - begin), "", " @");
  CHECK(members.erase("invalid") == 1);
  CHECK(members.size() == 28);
  CHECK(names_in(*page, "| `", "` |") == members);
}
