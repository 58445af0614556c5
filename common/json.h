#pragma once

// The one place that meets the JSON library.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/result.h"

namespace ipfit {

/// Keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// Parses a whole document; the error (kInput) names `where` and the byte.
inline Result<Json> parse_json(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& problem) {
    return Error{ErrorKind::kInput, where, "not valid JSON at byte " + std::to_string(problem.byte), ""};
  } catch (const nlohmann::json::out_of_range&) {
    return Error{ErrorKind::kInput, where, "not valid JSON: a number is too large for a double", ""};
  }
}

}  // namespace ipfit
