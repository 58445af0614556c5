#pragma once

#include <string>

#include "common/file_system.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"
#include "manager/plan/import.h"

namespace ipfit {

/// The fit file as read, and the directory that its relative paths start from.
struct FitFile {
  FitSpec spec;
  std::string base;
};
Result<FitFile> open_fit_file(const std::string& path);

/// A fit directory that is ours for as long as this lives, with data and fit.toml in it.
struct FitSetup {
  FitDirectory directory;
  FileLock lock;
  Imported data;
  bool goes_on = false;  ///< it was there before, with the same data and basis
};

/// Makes the fit directory, or takes up the one that is there. Nothing that is in it is changed before it is clear that
/// it belongs to the same data and basis. Errors: kRefused where it does not; kStorage where another process works in
/// it, or the disk is full.
Result<FitSetup> set_up(const FitFile& file, const std::string& out);

}  // namespace ipfit
