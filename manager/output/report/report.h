#pragma once

#include <string>

#include "common/result.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// Writes report.html and report.txt of a solution, from what its fit directory holds; evaluates nothing. Predictions
/// and dimers that are missing, or belong to another potential, are left out of it. Errors: a solution that is not
/// there, a fit directory without its data, a disk that cannot be written.
Status write_report(const FitDirectory& directory, const std::string& name);

}  // namespace ipfit
