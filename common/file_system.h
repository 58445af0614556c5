#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/result.h"

namespace ipfit {

/// The whole file as bytes in a string. Errors: kInput when it is missing or unreadable.
Result<std::string> read_file(const std::string& path);

/// Replaces or creates the file so that after any crash the old or the new content is there, whole: written aside,
/// synced, renamed, directory synced. Errors: kStorage.
Status write_file_durably(const std::string& path, std::string_view content);

}  // namespace ipfit
