#include "common/json_seal.h"

#include <catch2/catch.hpp>

using namespace ipfit;

namespace {

Status checked(const std::string& text) {
  const auto json = parse_json(text, "x.json");
  return json ? check_seal(*json, text, "x.json") : Status(json.errors());
}

}  // namespace

TEST_CASE("a sealed text reads back, and any byte that is changed is noticed, but for spaces outside the seal") {
  const std::string text = write_sealed({{"a", 1.5}, {"b", {1, 2}}, {"note", "the \"checksum\", too"}});
  CHECK(checked(text));
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int change : {0x01, 0x20, 0x80}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ change);
      INFO(at << " " << changed);
      const auto json = parse_json(changed, "x.json");
      // The name of the key itself is left to the reader, who knows which keys there may be.
      REQUIRE((!checked(changed) || !json->contains("checksum")));
    }
  }
}

TEST_CASE("a text without a seal is taken as it is") {
  CHECK(checked(R"({"a": 1})"));
  CHECK(checked("[1, 2]"));
}

TEST_CASE("a seal that is no text, or stands alone, is wrong") {
  CHECK_FALSE(checked(R"({"a": 1, "checksum": 12})"));
  CHECK_FALSE(checked(R"({"checksum": "0123456789abcdef"})"));
  CHECK_FALSE(checked(R"({"a": 1, "checksum": "0123456789abcdef"})"));
}
