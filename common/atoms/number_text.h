#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ipfit {

/// A real number as the extended-XYZ specification writes it: sign, digits, point, exponent after e, E, d or D ("-1.5",
/// "+1.", ".5", "1.0D-03"); the nearest double. Leading zeros are allowed. Nothing for any other text, for NaN and
/// infinity, and for what a double cannot hold.
std::optional<double> parse_real(std::string_view text);

/// Says in words why parse_real gave nothing: "'1.0x' is not a number".
std::string why_not_real(std::string_view text);

/// Decimal digits with an optional sign, in the range of 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// T, F, True, False, true, false, TRUE, FALSE, and 1 and 0.
std::optional<bool> parse_logical(std::string_view text);

}  // namespace ipfit
