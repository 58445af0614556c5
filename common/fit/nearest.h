#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ipfit {

/// The candidate that `word` was probably meant to be: the one with the fewest single-letter changes (Levenshtein
/// distance), the first of several, and none where more than a third of the letters would have to change. The beginning
/// of a candidate ("energy" of "energy_key") counts as near whatever follows.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ipfit
