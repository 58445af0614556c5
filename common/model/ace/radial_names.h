#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// What the families of radial functions are called in fit files and potential files.
inline constexpr std::array<std::pair<std::string_view, RadialFamily>, 3> kRadialNames{{
    {"SBessel", RadialFamily::kSBessel},
    {"ChebExpCos", RadialFamily::kChebExpCos},
    {"ChebPow", RadialFamily::kChebPow},
}};

constexpr std::string_view radial_name(RadialFamily family) {
  for (const auto& [name, named] : kRadialNames) {
    if (named == family) {
      return name;
    }
  }
  return {};
}

}  // namespace ipfit
