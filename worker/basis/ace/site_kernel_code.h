#pragma once

// The body of the site kernel, included by one source file per set of vector instructions, which defines
// IPFIT_VECTOR_BYTES (16, 32, 64) and IPFIT_KERNEL, the name of the table. Everything else has no linkage.

#include "worker/basis/ace/site_kernel.h"

// NOLINTBEGIN(misc-definitions-in-headers): it is the text of source files, each of which includes it once

namespace ipfit {
namespace {

typedef double Vector __attribute__((vector_size(IPFIT_VECTOR_BYTES)));
typedef double Unaligned __attribute__((vector_size(IPFIT_VECTOR_BYTES), aligned(8), may_alias));
constexpr int kVectorLanes = IPFIT_VECTOR_BYTES / 8;
constexpr int kParts = kSide / kVectorLanes;

#define IPFIT_INLINE inline __attribute__((always_inline))

/// kSide numbers side by side, in as many vectors as that takes.
struct Pack {
  Vector part[kParts];
};

IPFIT_INLINE Pack all(double x) {
  Pack out;
  for (int i = 0; i < kParts; ++i) {
    out.part[i] = x - Vector{};
  }
  return out;
}
IPFIT_INLINE Pack load(const double* from) {
  Pack out;
  for (int i = 0; i < kParts; ++i) {
    out.part[i] = *reinterpret_cast<const Unaligned*>(from + i * kVectorLanes);
  }
  return out;
}
IPFIT_INLINE void store(double* to, const Pack& a) {
  for (int i = 0; i < kParts; ++i) {
    *reinterpret_cast<Unaligned*>(to + i * kVectorLanes) = a.part[i];
  }
}
IPFIT_INLINE Pack operator+(const Pack& a, const Pack& b) {
  Pack out;
  for (int i = 0; i < kParts; ++i) {
    out.part[i] = a.part[i] + b.part[i];
  }
  return out;
}
IPFIT_INLINE Pack operator-(const Pack& a, const Pack& b) {
  Pack out;
  for (int i = 0; i < kParts; ++i) {
    out.part[i] = a.part[i] - b.part[i];
  }
  return out;
}
IPFIT_INLINE Pack operator*(const Pack& a, const Pack& b) {
  Pack out;
  for (int i = 0; i < kParts; ++i) {
    out.part[i] = a.part[i] * b.part[i];
  }
  return out;
}
IPFIT_INLINE Pack operator*(double a, const Pack& b) {
  Pack out;
  for (int i = 0; i < kParts; ++i) {
    out.part[i] = a * b.part[i];
  }
  return out;
}
IPFIT_INLINE double sum(const Pack& a) {
  Vector total = a.part[0];
  for (int i = 1; i < kParts; ++i) {
    total += a.part[i];
  }
  double out = total[0];
  for (int i = 1; i < kVectorLanes; ++i) {
    out += total[i];
  }
  return out;
}

/// The matrix whose rows are a[0] ... a[7], transposed.
#if IPFIT_VECTOR_BYTES == 64
IPFIT_INLINE void transpose(Pack* a) {
  Vector b[8], c[8];
  for (int i = 0; i < 8; i += 2) {
    b[i] = __builtin_shufflevector(a[i].part[0], a[i + 1].part[0], 0, 8, 2, 10, 4, 12, 6, 14);
    b[i + 1] = __builtin_shufflevector(a[i].part[0], a[i + 1].part[0], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      c[i + k] = __builtin_shufflevector(b[i + k], b[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
      c[i + 2 + k] = __builtin_shufflevector(b[i + k], b[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int k = 0; k < 4; ++k) {
    a[k].part[0] = __builtin_shufflevector(c[k], c[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
    a[4 + k].part[0] = __builtin_shufflevector(c[k], c[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
#else
IPFIT_INLINE void transpose(Pack* a) {
  double in[kSide * kSide];
  double out[kSide * kSide];
  for (int i = 0; i < kSide; ++i) {
    store(in + i * kSide, a[i]);
  }
  for (int i = 0; i < kSide; ++i) {
    for (int k = 0; k < kSide; ++k) {
      out[k * kSide + i] = in[i * kSide + k];
    }
  }
  for (int i = 0; i < kSide; ++i) {
    a[i] = load(out + i * kSide);
  }
}
#endif

/// The sums of eight packs.
IPFIT_INLINE Pack sums(const Pack& a, const Pack& b, const Pack& c, const Pack& d, const Pack& e, const Pack& f,
                       const Pack& g, const Pack& h) {
  Pack rows[kSide] = {a, b, c, d, e, f, g, h};
  transpose(rows);
  return ((rows[0] + rows[1]) + (rows[2] + rows[3])) + ((rows[4] + rows[5]) + (rows[6] + rows[7]));
}

/// A complex number per lane.
struct Complex {
  Pack re;
  Pack im;
};
IPFIT_INLINE Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
IPFIT_INLINE Complex operator*(const Pack& a, const Complex& b) {
  return {a * b.re, a * b.im};
}

// ---- harmonics ----------------------------------------------------------------------------------------------------

void harmonics(std::int32_t l_max, std::int32_t padded, const double* unit, const double* recursion, double* values,
               double* gradients) {
  const std::int64_t stride = padded;
  for (std::int32_t j = 0; j < padded; j += kSide) {
    const Pack x = load(unit + j);
    const Pack y = load(unit + stride + j);
    const Pack z = load(unit + 2 * stride + j);
    // Legendre parts P_lm(z), from the diagonal upwards; w^m = c + i s.
    Pack legendre[(kLargestHarmonic + 1) * (kLargestHarmonic + 2) / 2];
    const auto at = [](int l, int m) { return l * (l + 1) / 2 + m; };
    legendre[0] = all(1.0);
    for (int l = 1; l <= l_max; ++l) {
      for (int m = 0; m <= l; ++m) {
        const double* step = recursion + 3 * at(l, m);
        Pack value = all(0.0);
        if (m == l) {
          value = step[0] * legendre[at(l - 1, l - 1)];
        } else {
          value = step[0] * (z * legendre[at(l - 1, m)]);
          if (m < l - 1) {
            value = value + step[1] * legendre[at(l - 2, m)];
          }
        }
        legendre[at(l, m)] = value;
      }
    }
    Pack c = all(1.0);
    Pack s = all(0.0);
    Pack c_before = all(0.0);
    Pack s_before = all(0.0);
    for (int m = 0; m <= l_max; ++m) {
      for (int l = m; l <= l_max; ++l) {
        const Pack p = legendre[at(l, m)];
        const Pack slope = m < l ? recursion[3 * at(l, m) + 2] * legendre[at(l, m + 1)] : all(0.0);
        const auto component = [&](int q, const Pack& value, const Pack& hx, const Pack& hy, const Pack& hz) {
          const std::int64_t row = l * l + q;
          store(values + row * stride + j, value);
          const Pack along = x * hx + y * hy + z * hz;
          store(gradients + (3 * row + 0) * stride + j, hx - along * x);
          store(gradients + (3 * row + 1) * stride + j, hy - along * y);
          store(gradients + (3 * row + 2) * stride + j, hz - along * z);
        };
        const Pack mp = static_cast<double>(m) * p;
        if (m == 0) {
          component(0, p, all(0.0), all(0.0), slope);
        } else {
          component(2 * m - 1, c * p, c_before * mp, all(0.0) - s_before * mp, c * slope);
          component(2 * m, s * p, s_before * mp, c_before * mp, s * slope);
        }
      }
      c_before = c;
      s_before = s;
      c = c_before * x - s_before * y;
      s = c_before * y + s_before * x;
    }
  }
}

// ---- densities and their derivatives ------------------------------------------------------------------------------

void densities(const NeighboursView& neighbours, const LabelView* labels, std::int32_t count, double* out) {
  const std::int64_t stride = neighbours.padded;
  for (const LabelView* label = labels; label != labels + count; ++label) {
    const double* radial = neighbours.radial + label->n * stride;
    const double* harmonic = neighbours.harmonics + label->l * label->l * stride;
    for (std::int32_t q = 0; q <= 2 * label->l; ++q, harmonic += stride) {
      Pack total = all(0.0);
      for (std::int64_t j = 0; j < stride; j += kSide) {
        total = total + load(radial + j) * load(harmonic + j);
      }
      out[label->row + q] = sum(total);
    }
  }
}

/// Adds the forces of several images of one atom to its column. Images of the centre pull it nowhere.
IPFIT_INLINE void gather_images(const NeighboursView& neighbours, const double* per_neighbour, double* out) {
  const std::int64_t stride = neighbours.padded;
  for (std::int32_t i = 0; i < 3 * neighbours.atoms; ++i) {
    out[i] = 0.0;
  }
  for (std::int32_t axis = 0; axis < 3; ++axis) {
    for (std::int32_t j = 0; j < neighbours.count; ++j) {
      if (neighbours.atom[j] >= 0) {
        out[axis * neighbours.atoms + neighbours.atom[j]] += per_neighbour[axis * stride + j];
      }
    }
  }
}

/// A row of derivatives from those of each neighbour (`per_neighbour`, 3 x padded) and their sums: x, y, z, then xx,
/// yy, zz, yz, xz, and xy by itself.
IPFIT_INLINE void store_row(const NeighboursView& neighbours, const double* per_neighbour, const Pack& sums_but_xy,
                            double sum_xy, double* row) {
  const std::int64_t stride = neighbours.padded;
  double* totals = row + 3 * neighbours.atoms;
  if (neighbours.one_image_each) {
    // The planes x, y, z stand close together: what a whole vector writes beyond the end of one plane the next one
    // overwrites, if all of x is written before any of y.
    for (std::int32_t axis = 0; axis < 3; ++axis) {
      for (std::int64_t j = 0; j < stride; j += kSide) {
        store(row + axis * neighbours.atoms + j, load(per_neighbour + axis * stride + j));
      }
    }
    store(totals, sums_but_xy);
    for (std::int32_t axis = 0; axis < 3; ++axis) {
      totals[axis] = -totals[axis];
    }
  } else {
    gather_images(neighbours, per_neighbour, row);
    store(totals, sums_but_xy);
    for (std::int32_t axis = 0; axis < 3; ++axis) {
      totals[axis] = 0.0;
      for (std::int32_t a = 0; a < neighbours.atoms; ++a) {
        totals[axis] -= row[axis * neighbours.atoms + a];
      }
    }
  }
  totals[8] = sum_xy;
}

void derivatives(const NeighboursView& neighbours, const LabelView* labels, std::int32_t count, double* densities,
                 double* out, std::int64_t stride_out, double* scratch) {
  const std::int64_t stride = neighbours.padded;
  const double* unit = neighbours.unit;
  const double* r = neighbours.r;
  for (const LabelView* label = labels; label != labels + count; ++label) {
    const double* radial = neighbours.radial + label->n * stride;
    const double* slopes = neighbours.slopes + label->n * stride;
    for (std::int32_t q = 0; q <= 2 * label->l; ++q) {
      const std::int64_t component = label->l * label->l + q;
      const double* harmonic = neighbours.harmonics + component * stride;
      const double* gradient = neighbours.gradients + 3 * component * stride;
      Pack value = all(0.0);
      Pack fx = all(0.0), fy = all(0.0), fz = all(0.0);
      Pack xx = all(0.0), yy = all(0.0), zz = all(0.0), yz = all(0.0), xz = all(0.0), xy = all(0.0);
      for (std::int64_t j = 0; j < stride; j += kSide) {
        const Pack h = load(harmonic + j);
        const Pack b = load(radial + j);
        const Pack radial_part = load(slopes + j) * h;
        const Pack angular_part = b * load(neighbours.inverse + j);
        value = value + b * h;
        const Pack gx = all(0.0) - radial_part * load(unit + j) - angular_part * load(gradient + j);
        const Pack gy = all(0.0) - radial_part * load(unit + stride + j) - angular_part * load(gradient + stride + j);
        const Pack gz =
            all(0.0) - radial_part * load(unit + 2 * stride + j) - angular_part * load(gradient + 2 * stride + j);
        store(scratch + j, gx);
        store(scratch + stride + j, gy);
        store(scratch + 2 * stride + j, gz);
        fx = fx + gx;
        fy = fy + gy;
        fz = fz + gz;
        const Pack rx = load(r + j);
        const Pack ry = load(r + stride + j);
        const Pack rz = load(r + 2 * stride + j);
        xx = xx + gx * rx;
        yy = yy + gy * ry;
        zz = zz + gz * rz;
        yz = yz + (gy * rz + gz * ry);
        xz = xz + (gx * rz + gz * rx);
        xy = xy + (gx * ry + gy * rx);
      }
      densities[label->row + q] = sum(value);
      store_row(neighbours, scratch, sums(fx, fy, fz, xx, yy, zz, 0.5 * yz, 0.5 * xz), 0.5 * sum(xy),
                out + (label->row + q) * stride_out);
    }
  }
}

// ---- products -----------------------------------------------------------------------------------------------------

/// A_m for m = -l ... l of each distinct label of a batch, a lane per multiset.
IPFIT_INLINE void gather(const BatchView& batch, const double* densities, Pack* re, Pack* im) {
  std::int32_t place = 0;
  for (std::int32_t u = 0; u < batch.distinct; ++u) {
    const std::int32_t l = batch.l[u];
    const std::int32_t* row = batch.row + u * kSide;
    double lanes[kSide];
    const auto component = [&](std::int32_t q) __attribute__((always_inline)) {
      for (int lane = 0; lane < kSide; ++lane) {
        lanes[lane] = densities[row[lane] + q];
      }
      return load(lanes);
    };
    re[place + l] = component(0);
    im[place + l] = all(0.0);
    for (std::int32_t m = 1; m <= l; ++m) {
      const Pack a = component(2 * m - 1);
      const Pack b = component(2 * m);
      const double sign = m % 2 == 0 ? 1.0 : -1.0;
      re[place + l + m] = a;
      im[place + l + m] = b;
      re[place + l - m] = sign * a;
      im[place + l - m] = -sign * b;
    }
    place += 2 * l + 1;
  }
}

/// From derivatives by A_m, all m, to derivatives by the real components; calls take(component, value).
template <class Take>
IPFIT_INLINE void fold(const BatchView& batch, const Pack* re, const Pack* im, Take take) {
  std::int32_t place = 0;
  for (std::int32_t u = 0; u < batch.distinct; ++u) {
    const std::int32_t l = batch.l[u];
    take(u, 0, place, re[place + l]);
    for (std::int32_t m = 1; m <= l; ++m) {
      const double sign = m % 2 == 0 ? 1.0 : -1.0;
      take(u, 2 * m - 1, place + 2 * m - 1, re[place + l + m] + sign * re[place + l - m]);
      take(u, 2 * m, place + 2 * m, sign * im[place + l - m] - im[place + l + m]);
    }
    place += 2 * l + 1;
  }
}

/// The product of all factors but each one: derivative[t] = prod of the others; returns the product of all.
template <unsigned N>
IPFIT_INLINE Pack derivatives_of_product(const Complex* a, Complex* derivative) {
  static_assert(N >= 2);
  Complex before[N];  // product of the factors before t
  before[1] = a[0];
  for (unsigned t = 2; t < N; ++t) {
    before[t] = before[t - 1] * a[t - 1];
  }
  derivative[N - 1] = before[N - 1];
  Complex after = a[N - 1];
  for (unsigned t = N - 2; t > 0; --t) {
    derivative[t] = before[t] * after;
    after = a[t] * after;
  }
  derivative[0] = after;
  return before[N - 1].re * a[N - 1].re - before[N - 1].im * a[N - 1].im;
}

template <unsigned N>
void products_of(const BatchView& batch, const double* densities, double* values, double* gradients, Pack* scratch) {
  const std::int32_t places = batch.components;
  Pack* re = scratch;
  Pack* im = re + places;
  Pack* value = im + places;
  Pack* by_re = value + batch.count;
  Pack* by_im = by_re + batch.count * places;
  gather(batch, densities, re, im);
  for (std::int32_t k = 0; k < batch.count; ++k) {
    value[k] = all(0.0);
  }
  for (std::int32_t i = 0; i < batch.count * places; ++i) {
    by_re[i] = all(0.0);
    by_im[i] = all(0.0);
  }
  const std::int16_t* entry = batch.entry;
  for (std::int32_t o = 0; o < batch.orbits; ++o, entry += N) {
    Complex a[N];
    for (unsigned t = 0; t < N; ++t) {
      a[t] = {re[entry[t]], im[entry[t]]};
    }
    Complex derivative[N];
    const Pack product = derivatives_of_product<N>(a, derivative);
    for (std::int32_t k = 0; k < batch.count; ++k) {
      const double weight = batch.weights[k * batch.orbits + o];
      value[k] = value[k] + weight * product;
      Pack* to_re = by_re + k * places;
      Pack* to_im = by_im + k * places;
      for (unsigned t = 0; t < N; ++t) {
        to_re[entry[t]] = to_re[entry[t]] + weight * derivative[t].re;
        to_im[entry[t]] = to_im[entry[t]] + weight * derivative[t].im;
      }
    }
  }
  for (std::int32_t k = 0; k < batch.count; ++k) {
    double lanes[kSide];
    store(lanes, value[k]);
    for (std::int32_t lane = 0; lane < batch.lanes; ++lane) {
      values[batch.first_column + lane * batch.count + k] = lanes[lane];
    }
    double* to = gradients + batch.first_gradient + std::int64_t{k} * places * kSide;
    fold(
        batch, by_re + k * places, by_im + k * places,
        [&](std::int32_t, std::int32_t, std::int32_t component, const Pack& by)
            __attribute__((always_inline)) { store(to + component * kSide, by); });
  }
}

void products_of_one(const BatchView& batch, const double* densities, double* values, double* gradients) {
  for (std::int32_t lane = 0; lane < batch.lanes; ++lane) {
    values[batch.first_column + lane] = densities[batch.row[lane]];
  }
  store(gradients + batch.first_gradient, all(1.0));
}

void products(const BatchView* batches, std::int32_t count, const double* densities, double* values, double* gradients,
              double* scratch) {
  Pack* packs = reinterpret_cast<Pack*>(scratch);
  for (const BatchView* batch = batches; batch != batches + count; ++batch) {
    switch (batch->rank) {
      case 1:
        products_of_one(*batch, densities, values, gradients);
        break;
      case 2:
        products_of<2>(*batch, densities, values, gradients, packs);
        break;
      case 3:
        products_of<3>(*batch, densities, values, gradients, packs);
        break;
      case 4:
        products_of<4>(*batch, densities, values, gradients, packs);
        break;
      case 5:
        products_of<5>(*batch, densities, values, gradients, packs);
        break;
      default:
        products_of<6>(*batch, densities, values, gradients, packs);
    }
  }
}

// ---- contraction --------------------------------------------------------------------------------------------------

/// rows[c][column + f] += collected[f][c].
__attribute__((noinline)) void add_collected(const double* collected, std::int64_t functions, std::int32_t columns,
                                             double* const* rows, std::int64_t column) {
  const std::int64_t whole = functions / kSide * kSide;
  for (std::int64_t f = 0; f < whole; f += kSide) {
    for (std::int32_t c = 0; c < columns; c += kSide) {
      Pack block[kSide];
      for (int i = 0; i < kSide; ++i) {
        block[i] = load(collected + (f + i) * kTile + c);
      }
      transpose(block);
      const std::int32_t last = columns - c < kSide ? columns - c : kSide;
      for (std::int32_t i = 0; i < last; ++i) {
        double* to = rows[c + i] + column + f;
        store(to, load(to) + block[i]);
      }
    }
  }
  for (std::int64_t f = whole; f < functions; ++f) {
    for (std::int32_t c = 0; c < columns; ++c) {
      rows[c][column + f] += collected[f * kTile + c];
    }
  }
}

template <unsigned kPacks>
void contract_tile(const RunView* runs, std::int32_t count, const TermView* terms, const double* gradients,
                   const double* derivatives, std::int64_t stride, std::int32_t columns, double* const* rows,
                   double* collected) {
  for (const RunView* run = runs; run != runs + count; ++run) {
    std::int64_t column = run->first_column;
    std::int64_t waiting = 0;
    for (std::int64_t f = 0; f < run->functions; ++f) {
      Pack total[kPacks];
      for (unsigned i = 0; i < kPacks; ++i) {
        total[i] = all(0.0);
      }
      const TermView* const end = terms + run->first_term[f + 1];
      for (const TermView* term = terms + run->first_term[f]; term != end; ++term) {
        const double* from = derivatives + term->row * stride;
        const double* gradient = gradients + term->gradient;
        for (std::int32_t q = 0; q < term->components; ++q, from += stride, gradient += kSide) {
          for (unsigned i = 0; i < kPacks; ++i) {
            total[i] = total[i] + *gradient * load(from + i * kSide);
          }
        }
      }
      for (unsigned i = 0; i < kPacks; ++i) {
        store(collected + waiting * kTile + i * kSide, total[i]);
      }
      if (++waiting == kCollected) {
        add_collected(collected, waiting, columns, rows, column);
        column += waiting;
        waiting = 0;
      }
    }
    add_collected(collected, waiting, columns, rows, column);
  }
}

void contract(const RunView* runs, std::int32_t count, const TermView* terms, const double* gradients,
              const double* derivatives, std::int64_t stride, std::int32_t columns, double* const* rows,
              double* scratch) {
  for (std::int32_t c = 0; c < columns; c += kTile) {
    const std::int32_t width = columns - c < kTile ? columns - c : kTile;
    const auto tile = width > 3 * kSide   ? contract_tile<4>
                      : width > 2 * kSide ? contract_tile<3>
                      : width > kSide     ? contract_tile<2>
                                          : contract_tile<1>;
    tile(runs, count, terms, gradients, derivatives + c, stride, width, rows + c, scratch);
  }
}

// ---- fitted potential ---------------------------------------------------------------------------------------------

/// Adds derivatives by the components to those of the rows that each lane stands for; several lanes may share a row.
IPFIT_INLINE void scatter(const BatchView& batch, const Pack* by_re, const Pack* by_im, double* gradients) {
  fold(
      batch, by_re,
      by_im, [&](std::int32_t u, std::int32_t q, std::int32_t, const Pack& by) __attribute__((always_inline)) {
        double lanes[kSide];
        store(lanes, by);
        for (std::int32_t lane = 0; lane < batch.lanes; ++lane) {
          gradients[batch.row[u * kSide + lane] + q] += lanes[lane];
        }
      });
}

template <unsigned N>
Pack potential_of(const BatchView& batch, const double* coefficients, const double* densities, double* gradients,
                  Pack* scratch) {
  const std::int32_t places = batch.components;
  Pack* re = scratch;
  Pack* im = re + places;
  Pack* by_re = im + places;
  Pack* by_im = by_re + places;
  gather(batch, densities, re, im);
  for (std::int32_t i = 0; i < places; ++i) {
    by_re[i] = all(0.0);
    by_im[i] = all(0.0);
  }
  Pack energy = all(0.0);
  const std::int16_t* entry = batch.entry;
  for (std::int32_t o = 0; o < batch.orbits; ++o, entry += N) {
    Complex a[N];
    for (unsigned t = 0; t < N; ++t) {
      a[t] = {re[entry[t]], im[entry[t]]};
    }
    Complex derivative[N];
    const Pack weight = load(coefficients + o * kSide);
    const Pack product = derivatives_of_product<N>(a, derivative);
    energy = energy + weight * product;
    for (unsigned t = 0; t < N; ++t) {
      by_re[entry[t]] = by_re[entry[t]] + weight * derivative[t].re;
      by_im[entry[t]] = by_im[entry[t]] + weight * derivative[t].im;
    }
  }
  scatter(batch, by_re, by_im, gradients);
  return energy;
}

Pack potential_of_one(const BatchView& batch, const double* coefficients, const double* densities, double* gradients) {
  double lanes[kSide] = {};
  for (std::int32_t lane = 0; lane < batch.lanes; ++lane) {
    lanes[lane] = coefficients[lane] * densities[batch.row[lane]];
    gradients[batch.row[lane]] += coefficients[lane];
  }
  return load(lanes);
}

double potential(const BatchView* batches, std::int32_t count, const double* const* coefficients,
                 const double* densities, double* gradients, double* scratch) {
  Pack* packs = reinterpret_cast<Pack*>(scratch);
  Pack energy = all(0.0);
  for (std::int32_t b = 0; b < count; ++b) {
    const BatchView& batch = batches[b];
    const double* c = coefficients[b];
    switch (batch.rank) {
      case 1:
        energy = energy + potential_of_one(batch, c, densities, gradients);
        break;
      case 2:
        energy = energy + potential_of<2>(batch, c, densities, gradients, packs);
        break;
      case 3:
        energy = energy + potential_of<3>(batch, c, densities, gradients, packs);
        break;
      case 4:
        energy = energy + potential_of<4>(batch, c, densities, gradients, packs);
        break;
      case 5:
        energy = energy + potential_of<5>(batch, c, densities, gradients, packs);
        break;
      default:
        energy = energy + potential_of<6>(batch, c, densities, gradients, packs);
    }
  }
  return sum(energy);
}

void forces(const NeighboursView& neighbours, const LabelView* labels, std::int32_t count, const double* gradients,
            std::int32_t l_max, double* out, double* scratch) {
  const std::int64_t stride = neighbours.padded;
  const std::int32_t components = (l_max + 1) * (l_max + 1);
  Pack* by_value = reinterpret_cast<Pack*>(scratch);
  Pack* by_slope = by_value + components;
  for (std::int64_t j = 0; j < stride; j += kSide) {
    for (std::int32_t i = 0; i < 2 * components; ++i) {
      by_value[i] = all(0.0);
    }
    for (const LabelView* label = labels; label != labels + count; ++label) {
      const Pack b = load(neighbours.radial + label->n * stride + j);
      const Pack slope = load(neighbours.slopes + label->n * stride + j);
      const double* w = gradients + label->row;
      for (std::int32_t q = 0, i = label->l * label->l; q <= 2 * label->l; ++q, ++i) {
        by_value[i] = by_value[i] + w[q] * b;
        by_slope[i] = by_slope[i] + w[q] * slope;
      }
    }
    Pack along = all(0.0);
    Pack across[3] = {all(0.0), all(0.0), all(0.0)};
    for (std::int32_t i = 0; i < components; ++i) {
      along = along + by_slope[i] * load(neighbours.harmonics + i * stride + j);
      for (int axis = 0; axis < 3; ++axis) {
        across[axis] = across[axis] + by_value[i] * load(neighbours.gradients + (3 * i + axis) * stride + j);
      }
    }
    const Pack inverse = load(neighbours.inverse + j);
    for (std::int32_t axis = 0; axis < 3; ++axis) {
      store(out + axis * stride + j,
            all(0.0) - along * load(neighbours.unit + axis * stride + j) - inverse * across[axis]);
    }
  }
}

}  // namespace

const SiteKernel IPFIT_KERNEL = {IPFIT_KERNEL_NAME, harmonics, densities, derivatives,
                                 products,          contract,  potential, forces};

}  // namespace ipfit

// NOLINTEND(misc-definitions-in-headers)
