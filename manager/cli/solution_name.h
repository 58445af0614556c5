#pragma once

#include <string>

#include "common/result.h"

namespace ipfit {

/// A solution's name is that of a directory, and is typed: letters, digits and . - _ +, at most 100, the first of them
/// no dot and no dash. `option` is where it stands, for the error (kUsage).
Status check_solution_name(const std::string& option, const std::string& name);

}  // namespace ipfit
