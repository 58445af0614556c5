#pragma once

#include <Eigen/Core>

#include "manager/solve/variables.h"

namespace ipfit {

/// The QR factorisation of a set of columns that grows and shrinks: X_active = Q T, Q with orthonormal columns.
/// Appending costs O(n k), removing O(n k).
class ActiveQr {
 public:
  explicit ActiveQr(Eigen::Index rows, Eigen::Index most);

  /// Appends a column of X, `number`. False, and nothing is done, where it adds at most `tolerance` times its length to
  /// the columns that are there.
  bool append(Eigen::Index number, const Eigen::Ref<const Eigen::VectorXd>& column, double tolerance);

  /// Removes the column at `place` of columns().
  void remove(Eigen::Index place);

  const Columns& columns() const { return columns_; }
  Eigen::Index size() const { return static_cast<Eigen::Index>(columns_.size()); }
  auto Q() const { return q_.leftCols(size()); }
  auto T() const { return t_.topLeftCorner(size(), size()); }  // upper triangular

 private:
  Columns columns_;
  Eigen::MatrixXd q_;
  Eigen::MatrixXd t_;
};

}  // namespace ipfit
