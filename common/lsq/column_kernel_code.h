#pragma once

// The body of the column kernel, included by one source file per set of vector instructions, which defines
// IPFIT_VECTOR_BYTES (16, 32, 64) and IPFIT_KERNEL, the name of the table. Everything else has no linkage.
//
// Both products of a block of reflectors with a matrix, V^T C and C - V W, run over tall columns that are in the
// second-level cache. A general product copies both factors into an order of its own first, which costs as much as the
// work itself where one of them has a few dozen columns: OpenBLAS 0.3.21 reaches 55 to 70 % of its best rate there.
// Here tiles of kTileRows x kTileColumns sums stay in registers and columns are read where they are.

#include <cmath>
#include <cstddef>
#include <utility>

#include "common/lsq/column_kernel.h"

// NOLINTBEGIN(misc-definitions-in-headers): it is the text of source files, each of which includes it once
namespace ipfit {
namespace {

#define IPFIT_INLINE inline __attribute__((always_inline))
#define IPFIT_UNROLL _Pragma("GCC unroll 8")

using Index = std::int64_t;

typedef double Vector __attribute__((vector_size(IPFIT_VECTOR_BYTES)));
typedef double Unaligned __attribute__((vector_size(IPFIT_VECTOR_BYTES), aligned(8), may_alias));
constexpr int kLanes = IPFIT_VECTOR_BYTES / 8;

// A tile's sums, a column of the one factor and a number of the other take 28 of 32 registers, or all 16.
constexpr int kTileRows = 3;
constexpr int kTileColumns = IPFIT_VECTOR_BYTES == 64 ? 8 : 4;
// Rows of the tiles of inner products: so much of 3 + 8 columns is in the first-level cache.
constexpr Index kChunkRows = 384;

/// One number of each column of a strip of the matrix.
typedef double StripRow __attribute__((vector_size(kTileColumns * 8)));

IPFIT_INLINE Vector load(const double* from) {
  return *reinterpret_cast<const Unaligned*>(from);
}
// A number that is used several times. Without `volatile` gcc reads it again for each use, as an operand of the
// multiplication, and the tile waits for the cache: 20 % of the whole factorisation.
IPFIT_INLINE Vector load_once(const double* from) {
  return *reinterpret_cast<const volatile Unaligned*>(from);
}
IPFIT_INLINE void store(double* to, const Vector& a) {
  *reinterpret_cast<Unaligned*>(to) = a;
}

/// Of each 2 x 2 block of the matrix [a; b], with blocks of kDistance lanes, the two off the diagonal change places.
template <int kDistance, int... lane>
IPFIT_INLINE void exchange(Vector& a, Vector& b, std::integer_sequence<int, lane...> /*lanes*/) {
  const Vector first = __builtin_shufflevector(a, b, ((lane & kDistance) != 0 ? kLanes + (lane ^ kDistance) : lane)...);
  b = __builtin_shufflevector(a, b, ((lane & kDistance) != 0 ? kLanes + lane : lane ^ kDistance)...);
  a = first;
}

/// The square matrix with the rows a[0] ... a[kLanes - 1].
template <int kDistance = kLanes / 2>
IPFIT_INLINE void transpose_square(Vector* a) {
  IPFIT_UNROLL
  for (int i = 0; i < kLanes; ++i) {
    if ((i & kDistance) == 0) {
      exchange<kDistance>(a[i], a[i + kDistance], std::make_integer_sequence<int, kLanes>{});
    }
  }
  if constexpr (kDistance > 1) {
    transpose_square<kDistance / 2>(a);
  }
}

/// Lane i of a[0] becomes the sum over the lanes of a[i].
template <int kDistance = kLanes / 2>
IPFIT_INLINE void sum_lanes(Vector* a) {
  IPFIT_UNROLL
  for (int i = 0; i < kDistance; ++i) {
    exchange<kDistance>(a[i], a[i + kDistance], std::make_integer_sequence<int, kLanes>{});
    a[i] += a[i + kDistance];
  }
  if constexpr (kDistance > 1) {
    sum_lanes<kDistance / 2>(a);
  }
}

IPFIT_INLINE double sum(const Vector& a) {
  double out = a[0];
  IPFIT_UNROLL
  for (int i = 1; i < kLanes; ++i) {
    out += a[i];
  }
  return out;
}

// --- Inner products ---

/// w[p][q] += v_p^T c_q. `ahead` is fetched into the second-level cache on the way.
template <int kRows, int kColumns>
IPFIT_INLINE void add_products_of_tile(Index rows, ColumnSpan v, ColumnSpan c, const double* ahead, StripRow* w) {
  constexpr int kPadded = (kColumns + kLanes - 1) / kLanes * kLanes;
  Vector sums[std::size_t{kRows}][std::size_t{kPadded}];
  IPFIT_UNROLL
  for (int p = 0; p < kRows; ++p) {
    IPFIT_UNROLL
    for (int q = 0; q < kPadded; ++q) {
      sums[p][q] = Vector{};
    }
  }
#pragma GCC unroll 2
  for (Index i = 0; i < rows; i += kLanes) {
    __builtin_prefetch(ahead + i, 0, 2);
    Vector x[std::size_t{kRows}];
    IPFIT_UNROLL
    for (int p = 0; p < kRows; ++p) {
      x[p] = load(v.at + i + p * v.stride);
    }
    IPFIT_UNROLL
    for (int q = 0; q < kColumns; ++q) {
      const Vector y = load_once(c.at + i + q * c.stride);
      IPFIT_UNROLL
      for (int p = 0; p < kRows; ++p) {
        sums[p][q] += x[p] * y;
      }
    }
  }
  IPFIT_UNROLL
  for (int p = 0; p < kRows; ++p) {
    IPFIT_UNROLL
    for (int q = 0; q < kPadded; q += kLanes) {
      sum_lanes(sums[p] + q);
      double* to = reinterpret_cast<double*>(w + p) + q;
      store(to, load(to) + sums[p][q]);
    }
  }
}

/// w[p][q] += v_p^T c_q for `width` columns of v. Columns from `ahead` on are fetched into the second-level cache.
template <int kColumns>
IPFIT_INLINE void add_products(Index rows, Index width, ColumnSpan v, ColumnSpan c, ColumnSpan ahead, StripRow* w) {
  for (Index i = 0; i < rows; i += kChunkRows) {
    const Index height = rows - i < kChunkRows ? rows - i : kChunkRows;
    const ColumnSpan here = {c.at + i, c.stride};
    Index k = 0;
    for (; k + kTileRows <= width; k += kTileRows) {
      const Index next = k / kTileRows < kColumns ? k / kTileRows : 0;
      add_products_of_tile<kTileRows, kColumns>(height, {v.at + i + k * v.stride, v.stride}, here,
                                                ahead.at + i + next * ahead.stride, w + k);
    }
    for (; k < width; ++k) {
      add_products_of_tile<1, kColumns>(height, {v.at + i + k * v.stride, v.stride}, here, c.at + i, w + k);
    }
  }
}

// --- Applying reflectors ---

/// c -= v w for kRows vectors of rows.
template <int kRows, int kColumns>
IPFIT_INLINE void subtract_tile(Index width, ColumnSpan v, const StripRow* w, ColumnSpan c) {
  Vector sums[std::size_t{kRows}][std::size_t{kColumns}];
  IPFIT_UNROLL
  for (int q = 0; q < kColumns; ++q) {
    IPFIT_UNROLL
    for (int p = 0; p < kRows; ++p) {
      sums[p][q] = load(c.at + p * kLanes + q * c.stride);
    }
  }
#pragma GCC unroll 2
  for (Index k = 0; k < width; ++k) {
    Vector x[std::size_t{kRows}];
    IPFIT_UNROLL
    for (int p = 0; p < kRows; ++p) {
      x[p] = load(v.at + p * kLanes + k * v.stride);
    }
    const double* y = reinterpret_cast<const double*>(w + k);
    IPFIT_UNROLL
    for (int q = 0; q < kColumns; ++q) {
      IPFIT_UNROLL
      for (int p = 0; p < kRows; ++p) {
        sums[p][q] -= x[p] * y[q];
      }
    }
  }
  IPFIT_UNROLL
  for (int q = 0; q < kColumns; ++q) {
    IPFIT_UNROLL
    for (int p = 0; p < kRows; ++p) {
      store(c.at + p * kLanes + q * c.stride, sums[p][q]);
    }
  }
}

/// w becomes T^T w, four rows at a time from the last on, so that it can be done in place.
IPFIT_INLINE void multiply_by_t(Index width, ColumnSpan t, StripRow* w) {
  for (Index i = (width - 1) / 4 * 4; i >= 0; i -= 4) {
    const double* column = t.at + i * t.stride;
    StripRow sums[4] = {};
    for (Index k = 0; k < i; ++k) {
      IPFIT_UNROLL
      for (int p = 0; p < 4; ++p) {
        sums[p] += column[k + p * t.stride] * w[k];
      }
    }
    IPFIT_UNROLL
    for (int p = 3; p >= 0; --p) {
      IPFIT_UNROLL
      for (int k = 0; k <= p; ++k) {
        sums[p] += column[i + k + p * t.stride] * w[i + k];
      }
      w[i + p] = sums[p];
    }
  }
}

/// A strip of kColumns columns, which stays in the cache meanwhile: W = top + V^T C, W := T^T W, top -= W, C -= V W.
template <int kColumns>
IPFIT_INLINE void apply_to_strip(Index rows, Index width, ColumnSpan v, ColumnSpan t, ColumnSpan top, ColumnSpan c,
                                 ColumnSpan ahead) {
  for (int q = 0; q < kColumns; ++q) {
    for (Index k = 0; k < width; k += kColumnSide) {
      __builtin_prefetch(top.at + k + q * top.stride, 1);
    }
  }
  StripRow w[kPanelColumns] = {};
  add_products<kColumns>(rows, width, v, c, ahead, w);
  for (Index k = 0; k < width; ++k) {
    for (int q = 0; q < kColumns; ++q) {
      w[k][q] += top.at[k + q * top.stride];
    }
  }
  multiply_by_t(width, t, w);
  for (Index k = 0; k < width; ++k) {
    for (int q = 0; q < kColumns; ++q) {
      top.at[k + q * top.stride] -= w[k][q];
    }
  }
  Index i = 0;
  for (; i + kTileRows * kLanes <= rows; i += kTileRows * kLanes) {
    subtract_tile<kTileRows, kColumns>(width, {v.at + i, v.stride}, w, {c.at + i, c.stride});
  }
  for (; i < rows; i += kLanes) {
    subtract_tile<1, kColumns>(width, {v.at + i, v.stride}, w, {c.at + i, c.stride});
  }
}

/// In strips of kTileColumns columns, the rest in strips of half and half again.
template <int kColumns = kTileColumns>
IPFIT_INLINE void apply_in_strips(Index rows, Index width, ColumnSpan v, ColumnSpan t, Index count, ColumnSpan top,
                                  ColumnSpan c) {
  Index j = 0;
  for (; j + kColumns <= count; j += kColumns) {
    const ColumnSpan here = {c.at + j * c.stride, c.stride};
    const bool last = j + 2 * kColumns > count;
    const ColumnSpan ahead = {last ? here.at : here.at + kColumns * c.stride, c.stride};
    apply_to_strip<kColumns>(rows, width, v, t, {top.at + j * top.stride, top.stride}, here, ahead);
  }
  if constexpr (kColumns > 1) {
    apply_in_strips<kColumns / 2>(rows, width, v, t, count - j, {top.at + j * top.stride, top.stride},
                                  {c.at + j * c.stride, c.stride});
  }
}

void apply(Index rows, Index width, ColumnSpan v, ColumnSpan t, Index count, ColumnSpan top, ColumnSpan c) {
  apply_in_strips(rows, width, v, t, count, top, c);
}

template <int kColumns = kTileColumns>
IPFIT_INLINE void products_in_strips(Index rows, Index height, ColumnSpan a, Index count, ColumnSpan b,
                                     ColumnSpan out) {
  Index j = 0;
  for (; j + kColumns <= count; j += kColumns) {
    StripRow w[kPanelColumns] = {};
    const ColumnSpan here = {b.at + j * b.stride, b.stride};
    add_products<kColumns>(rows, height, a, here, here, w);
    for (Index k = 0; k < height; ++k) {
      for (int q = 0; q < kColumns; ++q) {
        out.at[k + (j + q) * out.stride] = w[k][q];
      }
    }
  }
  if constexpr (kColumns > 1) {
    products_in_strips<kColumns / 2>(rows, height, a, count - j, {b.at + j * b.stride, b.stride},
                                     {out.at + j * out.stride, out.stride});
  }
}

void products(Index rows, Index height, ColumnSpan a, Index count, ColumnSpan b, ColumnSpan out) {
  products_in_strips(rows, height, a, count, b, out);
}

// --- A few columns ---

/// out[k] = b^T c_k; before that c_k -= f_k v, if kSubtract.
template <bool kSubtract, int kCount>
IPFIT_INLINE void sweep_columns(Index rows, const double* v, const double* f, const double* b, ColumnSpan c,
                                double* out) {
  Vector sums[std::size_t{kCount}];
  IPFIT_UNROLL
  for (int k = 0; k < kCount; ++k) {
    sums[k] = Vector{};
  }
  for (Index i = 0; i < rows; i += kLanes) {
    const Vector y = load(b + i);
    IPFIT_UNROLL
    for (int k = 0; k < kCount; ++k) {
      Vector x = load(c.at + i + k * c.stride);
      if constexpr (kSubtract) {
        x -= f[k] * load(v + i);
        store(c.at + i + k * c.stride, x);
      }
      sums[k] += x * y;
    }
  }
  IPFIT_UNROLL
  for (int k = 0; k < kCount; ++k) {
    out[k] = sum(sums[k]);
  }
}

template <bool kSubtract>
IPFIT_INLINE void sweep(Index rows, Index count, const double* v, const double* f, const double* b, ColumnSpan c,
                        double* out) {
  Index k = 0;
  for (; k + 4 <= count; k += 4) {
    sweep_columns<kSubtract, 4>(rows, v, f + k, b, {c.at + k * c.stride, c.stride}, out + k);
  }
  for (; k < count; ++k) {
    sweep_columns<kSubtract, 1>(rows, v, f + k, b, {c.at + k * c.stride, c.stride}, out + k);
  }
}

/// Multiplies the column by a power of two so that its largest number is about 1, and returns that power: 0 for a
/// column of zeros, 1 where a number is not finite.
inline double bring_to_size_one(Index rows, double* column) {
  double largest = 0.0;
  for (Index i = 0; i < rows; ++i) {
    largest = std::fabs(column[i]) > largest ? std::fabs(column[i]) : largest;
  }
  if (largest == 0.0 || !(largest <= 1.7976931348623157e308)) {
    return largest == 0.0 ? 0.0 : 1.0;
  }
  const int exponent = std::ilogb(largest);
  const double unit = std::ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
  for (Index i = 0; i < rows; ++i) {
    column[i] *= unit;
  }
  return unit;
}

/// One reflector after the other (dtpqrt2 of LAPACK). The inner products that a reflector needs, with the columns to
/// come and, for T, with those before it, are taken with the column as it is: its length is one of them.
void eliminate(Index rows, Index width, ColumnSpan r, ColumnSpan b, ColumnSpan t) {
  // Squares of columns of this size, and their products with anything that occurs, neither overflow nor vanish.
  constexpr double kSmallest = 1e-40;
  constexpr double kLargest = 1e40;
  double f[kLeafColumns] = {};
  double inner[kLeafColumns] = {};
  for (Index j = 0; j < width; ++j) {
    double* own = b.at + j * b.stride;
    const double* before = own - (j > 0 ? b.stride : 0);
    const ColumnSpan later = {own + b.stride, b.stride};
    if (j > 0) {
      sweep<true>(rows, 1, before, f + j, before, {own, b.stride}, inner);
      sweep<true>(rows, width - j - 1, before, f + j + 1, own, later, inner + j + 1);
      sweep<false>(rows, j + 1, own, f, own, b, inner);
    } else {
      sweep<false>(rows, width, own, f, own, b, inner);
    }
    double unit = 1.0;
    if (inner[j] < kSmallest || inner[j] > kLargest) {
      unit = bring_to_size_one(rows, own);
      sweep<false>(rows, width, own, f, own, b, inner);
    }
    double tau = 0.0;
    double scale = 0.0;
    if (unit != 0.0) {
      double& alpha = r.at[j + j * r.stride];
      const double length = std::hypot(alpha, std::sqrt(inner[j]) / unit);
      const double beta = alpha > 0.0 ? -length : length;
      tau = (beta - alpha) / beta;
      scale = 1.0 / ((alpha - beta) * unit);
      alpha = beta;
      for (Index i = 0; i < rows; i += kLanes) {
        store(own + i, scale * load(own + i));
      }
    }
    for (Index k = j + 1; k < width; ++k) {
      f[k] = tau * (r.at[j + k * r.stride] + scale * inner[k]);
      r.at[j + k * r.stride] -= f[k];
    }
    for (Index i = 0; i < j; ++i) {
      double s = 0.0;
      for (Index k = i; k < j; ++k) {
        s += t.at[i + k * t.stride] * inner[k];
      }
      t.at[i + j * t.stride] = -tau * scale * s;
    }
    t.at[j + j * t.stride] = tau;
  }
}

// --- Transposition ---

// All rows of a few columns, then the next columns: what is written next stands beside what was written last.
void transpose(Index rows, Index columns, const double* a, ColumnSpan out) {
  Index j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    Index i = 0;
    for (; i + kLanes <= rows; i += kLanes) {
      Vector square[kLanes];
      IPFIT_UNROLL
      for (int k = 0; k < kLanes; ++k) {
        square[k] = load(a + (i + k) * columns + j);
      }
      transpose_square(square);
      IPFIT_UNROLL
      for (int k = 0; k < kLanes; ++k) {
        store(out.at + i + (j + k) * out.stride, square[k]);
      }
    }
    for (; i < rows; ++i) {
      for (Index k = j; k < j + kLanes; ++k) {
        out.at[i + k * out.stride] = a[i * columns + k];
      }
    }
  }
  for (; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      out.at[i + j * out.stride] = a[i * columns + j];
    }
  }
}

}  // namespace

const ColumnKernel IPFIT_KERNEL = {IPFIT_KERNEL_NAME, eliminate, apply, products, transpose};

}  // namespace ipfit
// NOLINTEND(misc-definitions-in-headers)
