#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "common/lsq/column_kernel_choice.h"
#include "common/lsq/panel.h"

namespace ipfit {

/// The triangle U of a QR factorisation of all rows that it has absorbed: U^T U is the sum of row^T row. Its first
/// `filled` rows are upper trapezoidal, the others zero: with fewer rows than columns no rounding errors are mistaken
/// for rows. Householder reflections throughout, so the errors are those of rows changed by a few epsilon of their
/// length.
struct Factor {
  Panel u;
  Eigen::Index filled = 0;
  std::int64_t rows = 0;

  explicit Factor(Eigen::Index columns) : u(columns, columns) {}
};

/// Absorbs the first `count` rows of `rows`, which is destroyed; those below must be zero up to the next multiple of 8.
/// 2 count columns^2 flops, and about 5 % more where there are 1000 columns.
void absorb_rows(Factor& factor, Panel& rows, Eigen::Index count, const ColumnKernel& kernel = column_kernel());

/// Absorbs the rows of another factor of as many columns. 2/3 columns^3 flops.
void absorb_factor(Factor& factor, Factor&& other, const ColumnKernel& kernel = column_kernel());

}  // namespace ipfit
