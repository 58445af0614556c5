#pragma once

#include <string>

#include "manager/plan/import.h"

namespace ipfit {

/// What the fit will need: its functions, rows and columns of the matrix, disk, memory of a worker and of the solve,
/// time. Time is a rough estimate, from the speed of one ordinary core.
std::string sizes_text(const Imported& data);

/// A number of bytes as a person says it: "1.4 GB".
std::string bytes_text(double bytes);

}  // namespace ipfit
