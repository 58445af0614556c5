#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <vector>

#include "common/model/ace/ace_labels.h"
#include "common/model/ace/ace_spec.h"
#include "common/model/ace/coupling.h"
#include "common/model/ace/radial.h"
#include "tests/support/image_neighbours.h"

namespace ipfit::test {

/// Value and slope of the radial function of a label.
struct RadialValue {
  double value = 0.0;
  double slope = 0.0;
};
using RadialLookup = std::function<RadialValue(std::size_t centre, const AceLabel& label, double r)>;

/// The rows of an ACE basis straight from the definitions: complex harmonics from the explicit sum for the Legendre
/// functions, every product written out, every neighbour in turn. Slow, obvious, and with nothing in common with
/// worker/basis/ace but the list of functions and their couplings.
class AceReference {
 public:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  AceReference(const AceSpec& spec, RadialLookup radial) : spec_(spec), radial_(std::move(radial)) {}

  /// Rows in the order of observation.h: energy, forces, virial. Columns: the functions.
  RowMatrix rows(const Structure& s) const {
    RowMatrix out = RowMatrix::Zero(1 + 3 * s.size() + 6, column_count(spec_));
    for (std::int32_t i = 0; i < s.size(); ++i) {
      add_site(s, i, out);
    }
    return out;
  }

  /// Values of the functions at one site.
  Eigen::VectorXd site(const Structure& s, std::int32_t i) const {
    RowMatrix out = RowMatrix::Zero(1 + 3 * s.size() + 6, column_count(spec_));
    add_site(s, i, out);
    return out.row(0).transpose();
  }

 private:
  using Complex = std::complex<double>;
  using Gradient = std::array<Complex, 3>;
  struct Density {
    Complex value;
    std::vector<Gradient> by_neighbour;
  };
  using Key = std::pair<AceLabel, int>;  // label and m

  /// Y_lm of the direction of r, of which the gradient is taken by r itself.
  static std::pair<Complex, Gradient> harmonic(int l, int m, const Vec3& r) {
    const int size = std::abs(m);
    const double length = r.norm();
    const Vec3 u = r / length;
    const Complex w(u.x(), u.y());
    // d^m P_l / dz^m and one more derivative, from the explicit polynomial.
    const auto legendre = [&](int derivatives) {
      double total = 0.0;
      for (int k = 0; 2 * k <= l; ++k) {
        const int power = l - 2 * k;
        if (power < derivatives) {
          continue;
        }
        double term = std::exp(std::lgamma(2.0 * (l - k) + 1.0) - std::lgamma(k + 1.0) - std::lgamma(l - k + 1.0) -
                               std::lgamma(power + 1.0)) *
                      std::pow(0.5, l) * (k % 2 == 0 ? 1.0 : -1.0);
        for (int d = 0; d < derivatives; ++d) {
          term *= power - d;
        }
        total += term * std::pow(u.z(), power - derivatives);
      }
      return total;
    };
    const double norm =
        (size % 2 == 0 ? 1.0 : -1.0) *
        std::sqrt((2.0 * l + 1.0) * std::exp(std::lgamma(l - size + 1.0) - std::lgamma(l + size + 1.0)));
    const Complex power = std::pow(w, size);
    const Complex below =
        size == 0 ? Complex(0.0) : static_cast<double>(size) * (size == 1 ? 1.0 : std::pow(w, size - 1));
    const double p = norm * legendre(size);
    Complex value = power * p;
    std::array<Complex, 3> h{below * p, Complex(0.0, 1.0) * below * p, power * norm * legendre(size + 1)};
    Complex along = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      along += h[static_cast<std::size_t>(axis)] * u[axis];
    }
    Gradient gradient;
    for (int axis = 0; axis < 3; ++axis) {
      gradient[static_cast<std::size_t>(axis)] = (h[static_cast<std::size_t>(axis)] - along * u[axis]) / length;
    }
    if (m < 0) {
      const double sign = size % 2 == 0 ? 1.0 : -1.0;
      value = sign * std::conj(value);
      for (Complex& g : gradient) {
        g = sign * std::conj(g);
      }
    }
    return {value, gradient};
  }

  std::size_t element_of(std::uint8_t species) const {
    return static_cast<std::size_t>(std::find(spec_.elements.begin(), spec_.elements.end(), species) -
                                    spec_.elements.begin());
  }

  Density density(const Structure& s, std::size_t centre, const std::vector<ImageNeighbour>& neighbours,
                  const Key& key) const {
    Density out{0.0, std::vector<Gradient>(neighbours.size())};
    const auto& [label, m] = key;
    for (std::size_t j = 0; j < neighbours.size(); ++j) {
      const Vec3& r = neighbours[j].r;
      const std::size_t element = element_of(s.species[static_cast<std::size_t>(neighbours[j].atom)]);
      if (element != label.element || r.norm() >= spec_.bonds[spec_.bond_index(centre, element)].cutoff) {
        continue;
      }
      const RadialValue radial = radial_(centre, label, r.norm());
      const auto [harmonic_value, harmonic_gradient] = harmonic(label.l, m, r);
      out.value += radial.value * harmonic_value;
      for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        out.by_neighbour[j][a] =
            radial.slope * (r[axis] / r.norm()) * harmonic_value + radial.value * harmonic_gradient[a];
      }
    }
    return out;
  }

  void add_site(const Structure& s, std::int32_t i, RowMatrix& out) const {
    double cutoff = 0.0;
    for (const AceBond& bond : spec_.bonds) {
      cutoff = std::max(cutoff, bond.cutoff);
    }
    const std::vector<ImageNeighbour> neighbours = image_neighbours(s, i, cutoff);
    const std::size_t centre = element_of(s.species[static_cast<std::size_t>(i)]);
    std::map<Key, Density> densities;
    std::map<AceShape, Coupling> couplings;
    Eigen::Index column = 0;
    for (const AceMultiset& multiset : spec_.multisets) {
      auto [found, is_new] = couplings.try_emplace(shape_of(multiset));
      if (is_new) {
        found->second = coupling_of(found->first);
      }
      const Coupling& coupling = found->second;
      if (multiset.centre == centre) {
        for (std::int32_t k = 0; k < coupling.count; ++k) {
          add_function(s, i, neighbours, multiset, coupling, k, densities, out, column + k);
        }
      }
      column += coupling.count;
    }
  }

  void add_function(const Structure& s, std::int32_t i, const std::vector<ImageNeighbour>& neighbours,
                    const AceMultiset& multiset, const Coupling& coupling, std::int32_t k,
                    std::map<Key, Density>& densities, RowMatrix& out, Eigen::Index column) const {
    const std::size_t rank = multiset.labels.size();
    std::vector<Vec3> gradient(neighbours.size(), Vec3::Zero());
    for (std::size_t o = 0; o < coupling.m.size(); ++o) {
      const double weight = coupling.weights[static_cast<std::size_t>(k) * coupling.m.size() + o];
      std::vector<const Density*> factors;
      for (std::size_t t = 0; t < rank; ++t) {
        const Key key{multiset.labels[t], coupling.m[o][t]};
        auto found = densities.find(key);
        if (found == densities.end()) {
          found = densities.emplace(key, density(s, multiset.centre, neighbours, key)).first;
        }
        factors.push_back(&found->second);
      }
      Complex product = 1.0;
      for (const Density* factor : factors) {
        product *= factor->value;
      }
      out(0, column) += weight * product.real();
      for (std::size_t t = 0; t < rank; ++t) {
        Complex others = weight;
        for (std::size_t u = 0; u < rank; ++u) {
          others *= u == t ? Complex(1.0) : factors[u]->value;
        }
        for (std::size_t j = 0; j < neighbours.size(); ++j) {
          for (int axis = 0; axis < 3; ++axis) {
            gradient[j][axis] += (others * factors[t]->by_neighbour[j][static_cast<std::size_t>(axis)]).real();
          }
        }
      }
    }
    const Eigen::Index virial = 1 + 3 * s.size();
    for (std::size_t j = 0; j < neighbours.size(); ++j) {
      const Vec3& g = gradient[j];
      const Vec3& r = neighbours[j].r;
      for (int axis = 0; axis < 3; ++axis) {
        out(1 + 3 * i + axis, column) += g[axis];
        out(1 + 3 * neighbours[j].atom + axis, column) -= g[axis];
        out(virial + axis, column) -= g[axis] * r[axis];
      }
      out(virial + 3, column) -= 0.5 * (g.y() * r.z() + g.z() * r.y());
      out(virial + 4, column) -= 0.5 * (g.x() * r.z() + g.z() * r.x());
      out(virial + 5, column) -= 0.5 * (g.x() * r.y() + g.y() * r.x());
    }
  }

  AceSpec spec_;
  RadialLookup radial_;
};

/// The radial functions of the specification itself.
inline RadialLookup radial_of(const AceSpec& spec) {
  std::vector<RadialFunctions> bonds(spec.bonds.begin(), spec.bonds.end());
  return [spec, bonds](std::size_t centre, const AceLabel& label, double r) {
    const RadialFunctions& functions = bonds[spec.bond_index(centre, label.element)];
    std::array<double, RadialFunctions::kLanes> distances;
    distances.fill(r);
    const auto size = static_cast<std::size_t>(functions.size()) * distances.size();
    std::vector<double> values(size);
    std::vector<double> slopes(size);
    functions.evaluate(distances, values.data(), slopes.data());
    const std::size_t at = (label.n - std::size_t{1}) * distances.size();
    return RadialValue{values[at], slopes[at]};
  };
}

}  // namespace ipfit::test
