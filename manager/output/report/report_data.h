#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/atoms/dataset_summary.h"
#include "common/atoms/structure.h"
#include "manager/output/contributions.h"
#include "manager/output/error_table.h"
#include "manager/output/report/binned_rmse.h"
#include "manager/output/report/close_atoms.h"
#include "manager/output/report/density.h"
#include "manager/output/report/worst.h"

namespace ipfit {

/// Predictions of one kind against labels, by set (index: DataSet).
struct Parity {
  std::string title;
  std::array<Density, kDataSets> values;  ///< prediction over label
  std::array<Density, kDataSets> errors;  ///< prediction - label over label
};

/// The energy of two atoms less their one-body energies (eV) by distance (Å, ascending).
struct DimerCurve {
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  std::vector<std::pair<double, double>> points;
  std::optional<double> shortest;  ///< Å; of this pair in the training data
};

/// What the potential says of the data.
struct Comparison {
  ErrorTable table;
  std::vector<Parity> parities;
  std::array<BinnedRmse, kDataSets> by_force;     ///< eV/Å by the length of the force, eV/Å
  std::array<BinnedRmse, kDataSets> by_distance;  ///< eV/Å by the distance to the nearest atom, Å
  Worst worst_energies;                           ///< meV/atom
  Contributions contributions;                    ///< of the training data
  Worst worst_forces;                             ///< eV/Å, RMSE over the components of a structure
};

/// One file of the data.
struct DataFile {
  std::string name;
  DataSet set = DataSet::kTrain;
  std::int64_t structures = 0;
  std::int64_t atoms = 0;
};

/// Everything that a report says. What is absent is left out of it.
struct ReportData {
  std::string fit;                                          ///< name of its directory
  std::string solution;                                     ///< its name
  std::string program;                                      ///< version and build
  std::vector<std::pair<std::string, std::string>> solver;  ///< what was used and how it went, as name and value
  std::string basis;                                        ///< as `ipfit check` says it
  std::string dataset_hash;
  std::vector<DataFile> files;
  std::array<DatasetSummary, kDataSets> data;  ///< index: DataSet
  std::vector<std::string> aside;              ///< structures that were set aside
  std::optional<Comparison> comparison;        ///< absent where there are no predictions of this potential
  std::vector<DimerCurve> dimers;              ///< empty where there are none of this potential
  std::vector<double> singular_values;         ///< descending; empty where the solver has none
  std::string fit_file;                        ///< as resolved
};

}  // namespace ipfit
