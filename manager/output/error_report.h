#pragma once

#include <string>

#include "common/result.h"
#include "manager/output/contributions.h"
#include "manager/output/error_table.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// How good a solution is, and what it was fitted to.
struct ErrorReport {
  ErrorTable errors;
  Contributions contributions;

  std::string text() const;  ///< errors.txt
};

/// Compares what the potential of a solution says about the stored rows with the labels, and writes predictions,
/// errors.json and errors.txt of the solution. Evaluates nothing. Errors: kFailed where rows are missing, or where rows
/// were reduced and workers have not predicted with this potential; kRefused where the potential is not one of this
/// fit.
Result<ErrorReport> write_error_report(const FitDirectory& directory, const std::string& name);

}  // namespace ipfit
