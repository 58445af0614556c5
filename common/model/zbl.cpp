#include "common/model/zbl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/atoms/bond_length.h"

namespace ipfit {
namespace {

constexpr double kCoulomb = 14.399645;  // eV Å, e²/(4 pi epsilon_0): to the digits that LAMMPS has it in metal units

struct Term {
  double factor;
  double exponent;
};
constexpr std::array<Term, 4> kScreening{
    {{0.18175, 3.19980}, {0.50986, 0.94229}, {0.28022, 0.40290}, {0.02817, 0.20162}}};

struct Derivatives {
  double value;
  double first;
  double second;
};

/// H(r) = phi(r/a)/r times the charges: the repulsion before it is switched off, with two derivatives.
Derivatives screened(double charges, double per_a, double r) {
  double phi = 0.0;
  double phi1 = 0.0;
  double phi2 = 0.0;
  for (const Term& term : kScreening) {
    const double exponent = term.exponent * per_a;
    const double part = term.factor * std::exp(-exponent * r);
    phi += part;
    phi1 -= exponent * part;
    phi2 += exponent * exponent * part;
  }
  const double per_r = 1.0 / r;
  return {charges * per_r * phi, charges * per_r * (phi1 - per_r * phi),
          charges * per_r * (phi2 - 2.0 * per_r * (phi1 - per_r * phi))};
}

}  // namespace

PairEnergy zbl_energy(const Zbl& zbl, std::uint8_t z_a, std::uint8_t z_b, double r) {
  if (r >= zbl.outer) {
    return {};
  }
  const double charges = kCoulomb * z_a * z_b;
  const double per_a = (std::pow(z_a, 0.23) + std::pow(z_b, 0.23)) / 0.46850;
  const Derivatives h = screened(charges, per_a, r);
  const Derivatives end = screened(charges, per_a, zbl.outer);
  const double width = zbl.outer - zbl.inner;
  const double a = (-3.0 * end.first + width * end.second) / (width * width);
  const double b = (2.0 * end.first - width * end.second) / (width * width * width);
  const double c = -end.value + width * (end.first / 2.0 - width * end.second / 12.0);
  const double t = std::max(r - zbl.inner, 0.0);
  return {h.value + c + t * t * t * (a / 3.0 + t * b / 4.0), h.first + t * t * (a + t * b)};
}

Zbl default_zbl(const std::vector<std::uint8_t>& elements) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const std::uint8_t element : elements) {  // a mean of two is never the smallest
    shortest = std::min(shortest, bond_length(element));
  }
  const auto rounded = [](double length) { return std::round(100.0 * length) / 100.0; };
  return {rounded(0.5 * shortest), rounded(shortest)};
}

}  // namespace ipfit
