#pragma once

#include <cstdint>

namespace ipfit {

// The arithmetic of common/lsq/factor.h, compiled for three sets of vector instructions (common/vectors.h). Only
// numbers and pointers meet here: an inline function of a library, compiled with the instructions of a newer processor,
// could be the copy that the linker keeps for the whole program.

/// Numbers are worked on so many at a time: lengths of columns are multiples of it.
inline constexpr std::int64_t kColumnSide = 8;
/// Columns that `eliminate` takes at most.
inline constexpr std::int64_t kLeafColumns = 8;
/// Reflectors that `apply` takes at most. With panels of 744 rows they are 286 kB, which stay in the second-level
/// cache. Measured with 1000 and 2000 columns: 72 and 96 are 2 and 4 % slower, since the triangles T grow.
inline constexpr std::int64_t kPanelColumns = 48;

/// Columns of a matrix: column j begins at at + j * stride. Fast where `at` and `stride` are multiples of 64 bytes.
struct ColumnSpan {
  double* at;
  std::int64_t stride;
};

struct ColumnKernel {
  const char* name;

  /// [R; B] = Q [R'; 0] for `width` <= kLeafColumns columns. The upper triangle of R becomes R', B becomes the lower
  /// part V of the reflectors, the upper triangle of `t` their T: Q = 1 - [1; V] T [1; V]^T.
  void (*eliminate)(std::int64_t rows, std::int64_t width, ColumnSpan r, ColumnSpan b, ColumnSpan t);

  /// [top; c] becomes Q^T [top; c], for `width` <= kPanelColumns reflectors and `count` columns. `t` is read up to the
  /// next multiple of 4 in both directions; what is there and below the diagonal does not matter.
  void (*apply)(std::int64_t rows, std::int64_t width, ColumnSpan v, ColumnSpan t, std::int64_t count, ColumnSpan top,
                ColumnSpan c);

  /// out = a^T b, for `height` <= kPanelColumns columns of a and `count` of b.
  void (*products)(std::int64_t rows, std::int64_t height, ColumnSpan a, std::int64_t count, ColumnSpan b,
                   ColumnSpan out);

  /// The columns of a row-major matrix. Any number of rows.
  void (*transpose)(std::int64_t rows, std::int64_t columns, const double* a, ColumnSpan out);
};

extern const ColumnKernel kColumnKernelBaseline;
extern const ColumnKernel kColumnKernelAvx2;
extern const ColumnKernel kColumnKernelAvx512;

// Which of them to use: common/lsq/column_kernel_choice.h.

}  // namespace ipfit
