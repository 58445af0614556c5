#pragma once

#include <string>

#include "common/result.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// Compares the predictions that the workers stored with the labels, and writes errors.json and errors.txt of the
/// solution. Returns the text of the table. Errors: kFailed where predictions are missing.
Result<std::string> write_error_report(const FitDirectory& directory, const std::string& name);

}  // namespace ipfit
