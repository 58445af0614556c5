#include "common/atoms/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/atoms/text_line.h"

namespace ipfit {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// from_chars knows no plus sign.
std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

// One or more digits with at most one point: "1", "1.", ".5". A minus sign may stand before.
bool starts_like_number(std::string_view text) {
  const std::size_t i = !text.empty() && text[0] == '-' ? 1 : 0;
  return i < text.size() && (is_digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1])));
}

std::from_chars_result convert(std::string_view text, double& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value);
}

// The Fortran way to write an exponent; rare, so it may cost a copy.
std::string with_e_exponent(std::string_view text) {
  std::string copy(text);
  std::replace(copy.begin(), copy.end(), 'd', 'e');
  std::replace(copy.begin(), copy.end(), 'D', 'e');
  return copy;
}

std::from_chars_result convert_whole(std::string_view text, double& value) {
  const std::from_chars_result result = convert(text, value);
  const bool whole = result.ptr == text.data() + text.size();
  return whole ? result : std::from_chars_result{result.ptr, std::errc::invalid_argument};
}

std::errc read_real(std::string_view text, double& value) {
  text = without_plus(text);
  if (!starts_like_number(text)) {
    return std::errc::invalid_argument;
  }
  std::from_chars_result result = convert_whole(text, value);
  if (result.ec == std::errc::invalid_argument && (*result.ptr == 'd' || *result.ptr == 'D')) {
    const std::string copy = with_e_exponent(text);
    result = convert_whole(copy, value);
  }
  if (result.ec == std::errc() && !std::isfinite(value)) {
    return std::errc::result_out_of_range;
  }
  return result.ec;
}

}  // namespace

std::optional<double> parse_real(std::string_view text) {
  double value = 0.0;
  return read_real(text, value) == std::errc() ? std::optional<double>(value) : std::nullopt;
}

std::string why_not_real(std::string_view text) {
  double value = 0.0;
  if (read_real(text, value) == std::errc::result_out_of_range) {
    return shown(text) + " is outside the range of double precision";
  }
  return shown(text) + " is not a number";
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = without_plus(text);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<bool> parse_logical(std::string_view text) {
  if (text == "T" || text == "True" || text == "true" || text == "TRUE" || text == "1") {
    return true;
  }
  if (text == "F" || text == "False" || text == "false" || text == "FALSE" || text == "0") {
    return false;
  }
  return std::nullopt;
}

}  // namespace ipfit
