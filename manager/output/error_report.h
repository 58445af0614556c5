#pragma once

#include <string>

#include "common/result.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// Compares what the potential of a solution says about the stored rows with the labels, and writes predictions,
/// errors.json and errors.txt of the solution. Evaluates nothing. Returns the text of the table. Errors: kFailed where
/// rows are missing; kRefused where the potential is not one of this fit.
Result<std::string> write_error_report(const FitDirectory& directory, const std::string& name);

}  // namespace ipfit
