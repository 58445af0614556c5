#pragma once

#include <Eigen/Core>
#include <memory>
#include <new>

#include "common/lsq/column_kernel.h"

namespace ipfit {

/// A column-major matrix in memory as the column kernel wants it; all zero at first. Columns are an odd number of cache
/// lines long, padded with zeros, so that the same row of neighbouring columns falls into different sets of the cache.
class Panel {
 public:
  Panel(Eigen::Index rows, Eigen::Index columns)
      : rows_(rows),
        columns_(columns),
        stride_((rows + 7) / 8 * 8 + ((rows + 7) / 8 % 2 == 0 ? 8 : 0)),
        numbers_(new (std::align_val_t{64}) double[static_cast<std::size_t>(stride_ * columns)]{}) {}

  Eigen::Index rows() const { return rows_; }
  Eigen::Index columns() const { return columns_; }

  /// The matrix without its padding.
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> matrix() {
    return {numbers_.get(), rows_, columns_, Eigen::OuterStride<>(stride_)};
  }
  /// From this row and column on.
  ColumnSpan from(Eigen::Index row, Eigen::Index column) { return {numbers_.get() + row + column * stride_, stride_}; }

 private:
  struct Free {
    void operator()(double* numbers) const { ::operator delete[](numbers, std::align_val_t{64}); }
  };
  Eigen::Index rows_;
  Eigen::Index columns_;
  Eigen::Index stride_;
  std::unique_ptr<double[], Free> numbers_;
};

}  // namespace ipfit
