#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"
#include "common/lsq/one_body.h"
#include "common/lsq/reduced.h"
#include "common/model/model.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"
#include "manager/solve/joint_one_body.h"
#include "manager/solve/stored_sets.h"
#include "manager/store/store_reader.h"

namespace ipfit {

/// What was assembled in a fit directory: all rows, and the structures that gave them. Every solution of the directory
/// is made of these.
struct AssembledFit {
  Model model;  ///< not fitted
  StoreReader store;
  std::vector<Structure> structures;  ///< in the order of their rows, training structures first
  std::set<std::size_t> aside;        ///< structures that were set aside: they have no say
  /// The rows of the store, which are those of the structures, with a last column for a ZBL repulsion; or where
  /// `assembly.keep` is "reduced" what common/lsq/reduced_row.h says.
  std::optional<std::vector<StoredSet>> reduced;

  std::int64_t columns() const { return column_count(model.basis); }
  /// The structures of one set; they stand side by side.
  std::span<const Structure> of(DataSet set) const;
};

/// Opens what `spec` is to be solved on; checksums are compared where rows are read. Errors: kRefused where the rows
/// are of another basis or repulsion; kFailed where rows are missing.
Result<AssembledFit> open_assembled(const FitDirectory& directory, const FitSpec& spec);

/// The training structures that have a say, their energies without the reference potential.
Result<std::vector<Composition>> training_compositions(const AssembledFit& fit);

/// Targets and weights of all rows of the store; both are zero where a structure was set aside.
struct WeightedRows {
  std::vector<double> targets;  ///< label less one-body energies; 0 for reduced rows, which bring them along
  std::vector<double> weights;
  Eigen::VectorXd factors;                     ///< for reduced rows: what makes targets of their last columns
  std::array<std::int64_t, kDataSets> rows{};  ///< of structures, of each set, that have a weight
  std::vector<double> energy_weights;          ///< of each structure; 0 where its energy has no say
};

/// The columns of one-body energies that are fitted with the coefficients: those that the training energies with a
/// weight determine.
OneBodyColumns one_body_columns_of(const AssembledFit& fit, const WeightedRows& rows);

Result<WeightedRows> weigh(const AssembledFit& fit, const WeightsSpec& weights,
                           const std::map<std::uint8_t, double>& one_body);

/// The weighted system of the rows of one set, reduced. Rows of weight zero are left out and not counted: its `rows` is
/// the number of those that have a say. Its first columns are those of the one-body energies. The matrix stays on disk;
/// memory is that of reduce_rows(). kStorage where rows are damaged.
Result<ReducedSystem> reduce_set(const AssembledFit& fit, const WeightedRows& rows, DataSet set,
                                 const OneBodyColumns& one_body = {});

}  // namespace ipfit
