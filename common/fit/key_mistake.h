#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ipfit {

// What checks across the keys of one section take and give.

/// The keys that a fit file gives, with their lines.
using GivenKeys = std::map<std::string_view, long>;

struct KeyMistake {
  std::string key;  ///< where to point: a key that is given, or else the section
  std::string what;
  std::string remedy;
};

}  // namespace ipfit
