#include "tests/support/yace/radial.h"

#include <array>
#include <cmath>
#include <numbers>

namespace ipfit::test::yace {
namespace {

constexpr double kPi = std::numbers::pi;

Slope product(const Slope& a, const Slope& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}

/// T_n(x) and its derivative n U_{n-1}(x).
Slope chebyshev(int n, double x) {
  double T_before = 1.0, T = x;
  double U_before = 0.0, U = 1.0;  // U_{n-2}, U_{n-1}
  if (n == 0) {
    return {1.0, 0.0};
  }
  for (int i = 1; i < n; ++i) {
    const double T_next = 2.0 * x * T - T_before;
    const double U_next = 2.0 * x * U - U_before;
    T_before = T;
    T = T_next;
    U_before = U;
    U = U_next;
  }
  return {T, n * U};
}

/// ½ (1 - T_n(x(r))).
Slope half_chebyshev(int n, const Slope& x) {
  const Slope T = chebyshev(n, x.value);
  return {0.5 * (1.0 - T.value), -0.5 * T.slope * x.slope};
}

/// ½ (1 + cos(pi (r - from) / width)).
Slope cosine_switch(double r, double from, double width) {
  const double u = kPi * (r - from) / width;
  return {0.5 * (1.0 + std::cos(u)), -0.5 * kPi / width * std::sin(u)};
}

std::vector<Slope> cheb_exp_cos(const Bond& bond, double r) {
  const double e = std::exp(-bond.lambda * r / bond.rcut);
  const double e_cut = std::exp(-bond.lambda);
  const Slope x{1.0 - 2.0 * (e - e_cut) / (1.0 - e_cut), 2.0 * bond.lambda / bond.rcut * e / (1.0 - e_cut)};
  Slope envelope = cosine_switch(r, 0.0, bond.rcut);
  if (r > bond.rcut - bond.dcut) {
    envelope = product(envelope, cosine_switch(r, bond.rcut - bond.dcut, bond.dcut));
  }
  std::vector<Slope> g{envelope};
  for (int k = 2; k <= bond.nradbasemax; ++k) {
    g.push_back(product(half_chebyshev(k - 1, x), envelope));
  }
  return g;
}

std::vector<Slope> cheb_of(const Bond& bond, const Slope& x) {
  std::vector<Slope> g;
  for (int k = 1; k <= bond.nradbasemax; ++k) {
    g.push_back(half_chebyshev(k, x));
  }
  return g;
}

std::vector<Slope> cheb_pow(const Bond& bond, double r) {
  const double u = 1.0 - r / bond.rcut;
  return cheb_of(
      bond, {1.0 - 2.0 * std::pow(u, bond.lambda), 2.0 * bond.lambda / bond.rcut * std::pow(u, bond.lambda - 1.0)});
}

/// sin(u)/u; the series of the slope where the closed form would cancel.
Slope sinc(double u) {
  if (u > 0.1) {
    return {std::sin(u) / u, (std::cos(u) - std::sin(u) / u) / u};
  }
  const double v = u * u;
  return {1.0 - v / 6.0 * (1.0 - v / 20.0 * (1.0 - v / 42.0 * (1.0 - v / 72.0))),
          -u / 3.0 * (1.0 - v / 10.0 * (1.0 - v / 28.0 * (1.0 - v / 54.0)))};
}

std::vector<Slope> simplified_bessel(const Bond& bond, double r) {
  std::vector<Slope> g;
  double d_before = 1.0;
  for (int n = 0; n < bond.nradbasemax; ++n) {
    const double a = n + 1, b = n + 2;
    const double factor =
        (n % 2 == 0 ? 1.0 : -1.0) * std::sqrt(2.0) * kPi / std::pow(bond.rcut, 1.5) * a * b / std::sqrt(a * a + b * b);
    const double q = kPi / bond.rcut;
    const Slope sinc_a = sinc(a * q * r), sinc_b = sinc(b * q * r);
    const Slope f{factor * (sinc_a.value + sinc_b.value), factor * q * (a * sinc_a.slope + b * sinc_b.slope)};
    if (n == 0) {
      g.push_back(f);
      continue;
    }
    const double e = n * n * b * b / (4.0 * std::pow(a, 4) + 1.0);
    const double d = 1.0 - e / d_before;
    const double mix = std::sqrt(e / d_before);
    g.push_back({(f.value + mix * g.back().value) / std::sqrt(d), (f.slope + mix * g.back().slope) / std::sqrt(d)});
    d_before = d;
  }
  return g;
}

std::vector<Slope> without_inner_cutoff(const Bond& bond, double r) {
  switch (bond.family) {
    case Family::kChebExpCos:
      return cheb_exp_cos(bond, r);
    case Family::kChebPow:
      return cheb_pow(bond, r);
    case Family::kChebLinear:
      return cheb_of(bond, {1.0 - r / bond.rcut, -1.0 / bond.rcut});
    case Family::kSBessel:
      return simplified_bessel(bond, r);
    case Family::kZero:
      break;
  }
  return std::vector<Slope>(static_cast<std::size_t>(bond.nradbasemax));
}

Slope exponential_core(const Bond& bond, InnerCutoff inner, double r) {
  const double lambda = std::abs(bond.lambdahc);
  if (lambda * r * r >= 50.0) {
    return {};
  }
  const double e = std::abs(bond.prehc) * std::exp(-lambda * r * r) / r;
  Slope phi = product({e, -e * (2.0 * lambda * r + 1.0 / r)}, cosine_switch(r, 0.0, bond.rcut));
  if (inner == InnerCutoff::kDistance) {
    phi = product(phi, smooth_step(r, bond.rcut_in, bond.dcut_in));
  }
  return phi;
}

/// Screened Coulomb function H of the universal repulsion after Ziegler, Biersack and Littmark, and two derivatives.
std::array<double, 3> screened_coulomb(double r, double a) {
  constexpr std::array<double, 4> c{0.18175, 0.50986, 0.28022, 0.02817};
  constexpr std::array<double, 4> b{3.19980, 0.94229, 0.40290, 0.20162};
  std::array<double, 3> H{};
  for (std::size_t q = 0; q < 4; ++q) {
    const double k = b[q] / a;
    const double e = c[q] * std::exp(-k * r) / r;
    H[0] += e;
    H[1] -= e * (k + 1.0 / r);
    H[2] += e * (k * k + 2.0 * k / r + 2.0 / (r * r));
  }
  return H;
}

Slope zbl_core(const Bond& bond, double r, int Z_centre, int Z_neighbour) {
  constexpr double kCoulomb = 14.399645351950543;  // eV Å
  const double a = 0.46850 / (std::pow(Z_centre, 0.23) + std::pow(Z_neighbour, 0.23));
  const double r2 = bond.rcut, L = bond.dcut, r1 = r2 - L;
  const auto [H2, H2_slope, H2_curvature] = screened_coulomb(r2, a);
  const double A = (-3.0 * H2_slope + L * H2_curvature) / (L * L);
  const double B = (2.0 * H2_slope - L * H2_curvature) / (L * L * L);
  const double C = -H2 + 0.5 * L * H2_slope - L * L * H2_curvature / 12.0;
  const auto H = screened_coulomb(r, a);
  Slope sum{H[0] + C, H[1]};
  if (r > r1) {
    const double x = r - r1;
    sum.value += A / 3.0 * x * x * x + B / 4.0 * x * x * x * x;
    sum.slope += A * x * x + B * x * x * x;
  }
  const double factor = bond.prehc * kCoulomb / 2.0 * Z_centre * Z_neighbour;
  return product({factor * sum.value, factor * sum.slope}, smooth_step(r, r2, L));
}

}  // namespace

Slope smooth_step(double x, double end, double width) {
  if (x <= end - width) {
    return {1.0, 0.0};
  }
  if (x >= end) {
    return {0.0, 0.0};
  }
  const double t = (end - x) / width;
  return {t * t * t * (10.0 - 15.0 * t + 6.0 * t * t), -30.0 * t * t * (1.0 - t) * (1.0 - t) / width};
}

std::vector<Slope> radial_functions(const Bond& bond, InnerCutoff inner, double r) {
  double end = bond.rcut_in;
  if (inner == InnerCutoff::kZbl) {  // there the core has its own switch, and only a width of 0 leaves a cutoff here
    end = bond.dcut_in == 0.0 ? 1.0 : 0.0;
  }
  if (r <= end - bond.dcut_in) {
    return std::vector<Slope>(static_cast<std::size_t>(bond.nradbasemax));
  }
  std::vector<Slope> g = without_inner_cutoff(bond, r);
  if (inner == InnerCutoff::kDistance) {
    const Slope step = smooth_step(r, end, bond.dcut_in);
    for (Slope& function : g) {
      function = product(function, {1.0 - step.value, -step.slope});
    }
  }
  return g;
}

Slope core_repulsion(const Bond& bond, InnerCutoff inner, double r, int Z_centre, int Z_neighbour) {
  return inner == InnerCutoff::kZbl ? zbl_core(bond, r, Z_centre, Z_neighbour) : exponential_core(bond, inner, r);
}

Slope embedding_function(EmbeddingKind kind, double rho, double m) {
  const double size = std::abs(rho);
  const double sign = rho < 0.0 ? -1.0 : 1.0;
  if (kind == EmbeddingKind::kFinnisSinclairShiftedScaled) {
    if (m == 1.0) {
      return {rho, 1.0};
    }
    const double q = 1.0 / m;
    const double e = std::exp(-size);
    const double x0 = std::pow(q, q / (1.0 - q)) * e;
    const double y0 = std::pow(q, 1.0 / (1.0 - q)) * e;
    return {sign * (std::pow(x0 + size, m) - y0), m * std::pow(x0 + size, m - 1.0) * (1.0 - x0) + y0};
  }
  constexpr double kOmega = 1e6;
  const double lambda = std::pow(kOmega, 1.0 - m);
  if (size <= 1e-10) {
    return {lambda * rho, lambda};
  }
  const double argument = std::pow(kOmega * size, 3);
  const double gamma = argument > 30.0 ? 0.0 : std::exp(-argument);
  const double gamma_slope = -3.0 * argument / size * gamma;
  const double power = std::pow(size, m);
  return {sign * ((1.0 - gamma) * power + lambda * gamma * size),
          (1.0 - gamma) * m * power / size - gamma_slope * power + lambda * (gamma + gamma_slope * size)};
}

}  // namespace ipfit::test::yace
