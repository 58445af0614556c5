#include "common/json_seal.h"

#include <fmt/format.h>

#include <cassert>

#include "common/checksum.h"

namespace ipfit {
namespace {

constexpr const char* kKey = "checksum";
constexpr std::string_view kQuotedKey = "\"checksum\"";

std::string checksum_text(std::string_view text) {
  return fmt::format("{:016x}", checksum(text));
}

}  // namespace

std::string write_sealed(const Json& object) {
  assert(object.is_object() && !object.empty());
  std::string text = object.dump(1);
  text.resize(text.size() - 2);  // without "\n}"
  return fmt::format("{},\n {}: \"{}\"\n}}\n", text, kQuotedKey, checksum_text(text));
}

Status check_seal(const Json& object, std::string_view text, const std::string& where) {
  if (!object.is_object() || !object.contains(kKey)) {
    return Done{};
  }
  const std::size_t key = text.rfind(kQuotedKey);
  const std::size_t comma = key == std::string_view::npos ? key : text.rfind(',', key);
  if (comma != std::string_view::npos && object[kKey] == checksum_text(text.substr(0, comma))) {
    return Done{};
  }
  return Error{ErrorKind::kInput, where, "was changed after it was written: its checksum is another",
               "make it again; if you meant to change it, take out the key \"checksum\""};
}

}  // namespace ipfit
