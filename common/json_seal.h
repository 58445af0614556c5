#pragma once

#include <string>
#include <string_view>

#include "common/json.h"
#include "common/result.h"

namespace ipfit {

/// The object as text, with one more key at its end: "checksum", the XXH3-64 of all bytes before the comma in front of
/// it, 16 hexadecimal digits. So a file that a disk or a cable has changed is not taken for another one.
std::string write_sealed(const Json& object);

/// Compares the checksum of such a text, of which `object` was read. A text without one was written by a person, or by
/// an older version: nothing to compare. Errors: kInput.
Status check_seal(const Json& object, std::string_view text, const std::string& where);

}  // namespace ipfit
