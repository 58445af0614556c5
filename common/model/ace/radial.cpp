#include "common/model/ace/radial.h"

#include <Eigen/Core>
#include <cmath>
#include <numbers>

namespace ipfit {
namespace {

constexpr int kLanes = RadialFunctions::kLanes;
using Lanes = Eigen::Array<double, kLanes, 1>;
using std::numbers::pi;

struct SinCos {
  Lanes sin;
  Lanes cos;
};

/// sin and cos of pi/2 t, given t and 1 - t, both from 0 to 1: whoever knows 1 - t without cancellation gets the small
/// one of the two to full relative accuracy at either end. Taylor's series on [0, pi/4], which the compiler can do for
/// all lanes at once; with w <= pi/4 the terms left out are below 1e-18.
SinCos quarter_turn(const Lanes& t, const Lanes& one_minus_t) {
  constexpr int kTerms = 8;
  const Lanes w = (0.5 * pi) * t.min(one_minus_t);
  const Lanes w2 = w * w;
  Lanes sin = Lanes::Ones();
  Lanes cos = Lanes::Ones();
  for (int k = kTerms; k > 0; --k) {
    sin = 1.0 - w2 * sin * (1.0 / ((2.0 * k) * (2.0 * k + 1.0)));
    cos = 1.0 - w2 * cos * (1.0 / ((2.0 * k - 1.0) * (2.0 * k)));
  }
  sin *= w;
  const auto first_half = t <= one_minus_t;
  return {first_half.select(sin, cos), first_half.select(cos, sin)};
}

/// d(sin(u)/u)/du, given sin(u)/u and cos(u): in closed form it cancels for small u, where the series takes its place.
Lanes sinc_slope(const Lanes& u, const Lanes& sinc, const Lanes& cos) {
  constexpr int kTerms = 9;  // up to u^17; the next one is below 1e-18 for u <= 1
  const Lanes u2 = u * u;
  Lanes series = Lanes::Ones();
  for (int k = kTerms; k > 1; --k) {  // term k over term k - 1 of sum (-1)^k 2k u^(2k-1) / (2k+1)!
    series = 1.0 - u2 * series * (1.0 / ((2.0 * k - 2.0) * (2.0 * k + 1.0)));
  }
  return (u < 1.0).select(u * series * (-1.0 / 3.0), (cos - sinc) / u);
}

/// A factor of all functions of a bond, and its slope.
struct Envelope {
  Lanes value;
  Lanes slope;  ///< 1/Å

  void multiply(const Envelope& other) {
    slope = slope * other.value + value * other.slope;
    value *= other.value;
  }
};

/// A variable that the functions are polynomials of, and its slope.
struct Variable {
  Lanes value;
  Lanes slope;  ///< 1/Å
};

/// 0 below inner - width, 1 above inner: t³ (10 - 15 t + 6 t²), with value, slope and curvature matched at both ends.
Envelope inner_step(const Lanes& r, double inner, double width) {
  const Lanes t = ((r - (inner - width)) / width).max(0.0).min(1.0);
  const Lanes back = 1.0 - t;
  return {t * t * t * (10.0 + t * (6.0 * t - 15.0)), (30.0 / width) * t * t * back * back};
}

/// Where the lanes are: distances cut off at the cutoff, their share of it and what is left.
struct Place {
  Place(std::span<const double, kLanes> distances, double cutoff)
      : r(Eigen::Map<const Lanes>(distances.data()).min(cutoff)),
        left(cutoff - r),
        t(r / cutoff),
        rest(left / cutoff) {}
  Lanes r;
  Lanes left;  ///< cutoff - r: exact close to the cutoff
  Lanes t;     ///< r / cutoff
  Lanes rest;  ///< 1 - t
};

void store(double* values, std::size_t n, const Lanes& lanes) {
  Eigen::Map<Lanes>(values + n * std::size_t{kLanes}) = lanes;
}

/// (1/r) sin(pi r/rc) (1 - x) sqrt(pi/rc) with x = -cos(pi r/rc), by half angles.
Envelope sbessel_envelope(const Place& place, double cutoff, Variable& x) {
  const double per_cutoff = pi / cutoff;
  const SinCos half = quarter_turn(place.t, place.rest);
  const Lanes u = pi * place.t;
  const Lanes one_minus_x = 2.0 * half.cos * half.cos;
  const Lanes sin = 2.0 * half.sin * half.cos;
  const Lanes sinc = sin / u;
  x = {1.0 - one_minus_x, per_cutoff * sin};
  const double norm = std::sqrt(per_cutoff) * per_cutoff;
  return {norm * sinc * one_minus_x, (norm * per_cutoff) * (sinc_slope(u, sinc, -x.value) * one_minus_x - sinc * sin)};
}

/// The polynomials p_0, p_1, ... of x times the envelope. The recurrence is linear, so the first one carries the
/// envelope to the others.
void write_polynomials(const std::vector<RadialFunctions::Step>& steps, const Envelope& envelope, const Variable& x,
                       double* values, double* slopes) {
  Lanes before = Lanes::Zero();
  Lanes slope_before = Lanes::Zero();
  Lanes now = steps[0].b * envelope.value;
  Lanes slope = steps[0].b * envelope.slope;
  store(values, 0, now);
  store(slopes, 0, slope);
  for (std::size_t k = 1; k < steps.size(); ++k) {
    const auto [a, b, c] = steps[k];
    const Lanes factor = a * x.value + b;
    const Lanes next = factor * now - c * before;
    const Lanes slope_next = factor * slope + (a * x.slope) * now - c * slope_before;
    before = now;
    slope_before = slope;
    now = next;
    slope = slope_next;
    store(values, k, now);
    store(slopes, k, slope);
  }
}

/// 1 - x, x = 1 - 2 (exp(-lambda t) - exp(-lambda)) / (1 - exp(-lambda)), without cancellation close to the cutoff.
Variable exponential_distance(const Place& place, double lambda, double cutoff) {
  const double scale = 2.0 / std::expm1(lambda);
  Lanes e;
  for (int lane = 0; lane < kLanes; ++lane) {
    e[lane] = std::expm1(lambda * place.rest[lane]);
  }
  return {scale * e, (-scale * lambda / cutoff) * (e + 1.0)};
}

/// 1 - x, x = 1 - 2 (1 - t)^lambda.
Variable power_distance(const Place& place, double lambda, double cutoff) {
  Lanes power;
  for (int lane = 0; lane < kLanes; ++lane) {
    power[lane] = std::pow(place.rest[lane], lambda);
  }
  const auto inside = place.rest > 0.0;
  return {2.0 * power, inside.select((-2.0 * lambda / cutoff) * power / inside.select(place.rest, 1.0), 0.0)};
}

/// From 0 at share = 0 to 1 at share = 1: (1 - cos(pi share))/2, where share = (distance from the cutoff)/width.
Envelope cosine_step(const Lanes& share, const Lanes& one_minus_share, double width) {
  const SinCos half = quarter_turn(share, one_minus_share);
  return {half.sin * half.sin, (-pi / width) * half.sin * half.cos};
}

/// (1 - T_k(x))/2, k = 1 ... count, times the envelope. With z = 1 - x they obey W_(k+1) - W_k = W_k - W_(k-1) +
/// z (1 - 2 W_k), which keeps the relative accuracy of z where all of them vanish; dW_k/dz = k U_(k-1)(x) / 2.
void write_chebyshev(std::size_t count, const Envelope& envelope, const Variable& z, double* values, double* slopes) {
  const Lanes two_x = 2.0 - 2.0 * z.value;
  const Lanes half_slope = 0.5 * envelope.value * z.slope;
  Lanes w = 0.5 * z.value;
  Lanes step = w;
  Lanes u_before = Lanes::Zero();
  Lanes u = Lanes::Ones();
  for (std::size_t k = 0; k < count; ++k) {
    store(values, k, envelope.value * w);
    store(slopes, k, envelope.slope * w + static_cast<double>(k + 1) * half_slope * u);
    step += z.value * (1.0 - 2.0 * w);
    w += step;
    const Lanes u_next = two_x * u - u_before;
    u_before = u;
    u = u_next;
  }
}

/// p_k = (a x + b) p_(k-1) - c p_(k-2), orthonormal on [-1, 1] under the weight (1-x)^(5/2) (1+x)^(1/2), positive at 1:
/// Jacobi polynomials, recurrence in the form of Gautschi, Orthogonal Polynomials (2004), Table 1.1. steps[0].b is p_0.
std::vector<RadialFunctions::Step> jacobi_steps(int size) {
  const auto root_beta = [](double k) {
    return std::sqrt(k * (2.0 * k + 5.0) * (2.0 * k + 1.0) * (k + 3.0) /
                     (4.0 * (2.0 * k + 3.0) * (2.0 * k + 3.0) * (k + 1.0) * (k + 2.0)));
  };
  std::vector<RadialFunctions::Step> steps(static_cast<std::size_t>(size));
  steps[0].b = std::sqrt(8.0 / (5.0 * pi));  // the weight has the integral 5 pi/8
  for (int k = 1; k < size; ++k) {
    const double alpha = -6.0 / ((2.0 * k + 1.0) * (2.0 * k + 3.0));
    const double per_root = 1.0 / root_beta(k);
    steps[static_cast<std::size_t>(k)] = {per_root, -alpha * per_root, root_beta(k - 1.0) * per_root};
  }
  return steps;
}

}  // namespace

RadialFunctions::RadialFunctions(const AceBond& bond) : bond_(bond) {
  if (bond_.family == RadialFamily::kSBessel) {
    steps_ = jacobi_steps(bond_.size);
  }
}

void RadialFunctions::evaluate_raw(std::span<const double, kLanes> r, double* values, double* slopes) const {
  const double cutoff = bond_.cutoff;
  const auto size = static_cast<std::size_t>(bond_.size);
  const Place place(r, cutoff);
  Envelope step{Lanes::Ones(), Lanes::Zero()};
  if (bond_.inner_cutoff > 0.0) {
    step = inner_step(place.r, bond_.inner_cutoff, bond_.inner_width);
  }
  if (bond_.family == RadialFamily::kSBessel) {
    Variable x;
    Envelope envelope = sbessel_envelope(place, cutoff, x);
    envelope.multiply(step);
    write_polynomials(steps_, envelope, x, values, slopes);
  } else if (bond_.family == RadialFamily::kChebExpCos) {
    Envelope envelope = cosine_step(place.rest, place.t, cutoff);
    const Lanes share = (place.left / bond_.cutoff_width).min(1.0);
    envelope.multiply(cosine_step(share, 1.0 - share, bond_.cutoff_width));
    envelope.multiply(step);
    store(values, 0, envelope.value);
    store(slopes, 0, envelope.slope);
    write_chebyshev(size - 1, envelope, exponential_distance(place, bond_.lambda, cutoff), values + kLanes,
                    slopes + kLanes);
  } else {
    write_chebyshev(size, step, power_distance(place, bond_.lambda, cutoff), values, slopes);
  }
}

void RadialFunctions::evaluate(std::span<const double, kLanes> r, double* values, double* slopes) const {
  evaluate_raw(r, values, slopes);
  if (bond_.transform.empty()) {
    return;
  }
  // In place, from the last function to the first: b_n needs g_1 ... g_n only.
  const auto size = static_cast<std::size_t>(bond_.size);
  for (std::size_t n = size; n-- > 0;) {
    const double* row = bond_.transform.data() + n * size;
    Lanes value = Lanes::Zero();
    Lanes slope = Lanes::Zero();
    for (std::size_t k = 0; k <= n; ++k) {
      value += row[k] * Eigen::Map<const Lanes>(values + k * std::size_t{kLanes});
      slope += row[k] * Eigen::Map<const Lanes>(slopes + k * std::size_t{kLanes});
    }
    store(values, n, value);
    store(slopes, n, slope);
  }
}

}  // namespace ipfit
