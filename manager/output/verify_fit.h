#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result.h"
#include "manager/plan/fit_directory.h"
#include "manager/store/verify_store.h"

namespace ipfit {

/// What was found in a fit directory that was read from end to end.
struct VerifiedFit {
  std::uint64_t records = 0;     ///< of the journals
  std::uint64_t blocks = 0;      ///< whose rows have their checksums
  std::int64_t rows = 0;         ///< in them
  std::uint64_t structures = 0;  ///< of dataset.bin
  std::uint64_t solutions = 0;
  std::uint64_t bytes = 0;    ///< read
  std::vector<Error> damage;  ///< kStorage or kInput: file, place, bytes, and what becomes of it
};

/// Bytes that verify_fit will read, about.
std::uint64_t bytes_to_verify(const FitDirectory& directory);

/// Checks all that is stored in a fit directory: journals and rows of the matrix and of the predictions, dataset.bin,
/// fit.toml, and that potential and coefficients of every solution are whole and belong together and to the matrix.
/// What is not there is no damage, as in a fit that is not finished or was fetched without its matrix; files that ipfit
/// does not read back (for LAMMPS, reports, tables) are not looked at. Changes nothing. Errors: kUsage where it is no
/// fit directory; kRefused for stores of another format version.
Result<VerifiedFit> verify_fit(const FitDirectory& directory, const BytesRead& progress);

/// "whole: 31702 rows in 214 blocks, ..." or "damaged in 2 places: ...", without figures that depend on the time.
std::string summary_of(const VerifiedFit& fit);

}  // namespace ipfit
