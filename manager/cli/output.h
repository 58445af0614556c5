#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace ipfit {

/// Prints the errors, a line each, to standard error; returns the exit code of the first.
int report(const std::vector<Error>& errors);

/// Prints text to standard output.
void print(const std::string& text);

}  // namespace ipfit
