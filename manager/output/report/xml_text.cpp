#include "manager/output/report/xml_text.h"

#include <cstdint>

namespace ipfit {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// How many bytes a character has that begins with this one; 0 where none can.
std::size_t length_of(std::uint32_t lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xc2 || lead > 0xf4) {
    return 0;
  }
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/// The length of the character at the start of `text`; 0 where it is none, or none of XML.
std::size_t character(std::string_view text) {
  constexpr std::uint32_t kSmallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t length = length_of(byte_at(text, 0));
  if (length == 0 || length > text.size()) {
    return 0;
  }
  std::uint32_t code = length == 1 ? byte_at(text, 0) : byte_at(text, 0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80U) {
      return 0;
    }
    code = (code << 6U) | (byte_at(text, i) & 0x3fU);
  }
  const bool blank = code == '\t' || code == '\n' || code == '\r';
  const bool control = (code < 0x20 && !blank) || (code >= 0x7f && code < 0xa0);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool beyond = code > 0x10ffff || (code & 0xfffeU) == 0xfffe;
  return code < kSmallest[length] || control || surrogate || beyond ? 0 : length;
}

std::string_view reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view written = reference(text[0]);
    out += written.empty() ? text.substr(0, length) : written;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace ipfit
