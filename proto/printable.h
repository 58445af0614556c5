#pragma once

#include <string>

namespace ipfit {

/// What Cap'n Proto says of a message that it cannot read may quote bytes of the message, and those are whatever was
/// sent or stored: what cannot be printed becomes "?".
inline std::string printable(std::string text) {
  for (char& byte : text) {
    byte = byte < 0x20 || byte > 0x7e ? '?' : byte;
  }
  return text;
}

}  // namespace ipfit
