#pragma once

#include <string>
#include <string_view>

namespace ipfit {

/// Text as it may stand in an XML element or attribute, whatever it was: & < > " ' become references; bytes that are no
/// UTF-8, and characters that XML 1.0 does not know (control characters, noncharacters), become U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace ipfit
