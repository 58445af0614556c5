#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/model/model.h"
#include "common/result.h"
#include "manager/plan/dataset_index.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {

/// What reading the data of a fit gave.
struct Imported {
  FitSpec spec;                           ///< keys, elements, cutoff and ends of the repulsion are written out
  Model model;                            ///< what the workers will evaluate for `spec`
  std::string report;                     ///< tables of the data and of the keys used, for a person
  std::vector<StructureInfo> structures;  ///< training structures first
  std::size_t train_count = 0;
  std::string hash;  ///< fingerprint of all records
};

/// Takes the records of dataset.bin, in order.
using RecordSink = std::function<Status(std::span<const std::byte>)>;

/// Reads all files of the fit, checks them, and hands each structure as a record to `sink`; never holds more than one
/// structure. `base` is the directory that relative paths start from. Errors: everything wrong with the data, before
/// any work.
Result<Imported> import_data(const FitSpec& spec, const std::string& base, const RecordSink& sink);

/// The data of the fit as `partial_dataset()` of the directory, synced.
Result<Imported> import_to(const FitDirectory& directory, const FitSpec& spec, const std::string& base);

/// Gives the partial data set its name, durably.
Status keep_dataset(const FitDirectory& directory);

}  // namespace ipfit
