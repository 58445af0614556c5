#include "common/model/ace/orthonormal_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "common/model/ace/gauss_legendre.h"
#include "common/model/ace/radial.h"

namespace ipfit {
namespace {

constexpr std::size_t kLanes = RadialFunctions::kLanes;

/// Nodes of the quadrature between two ends: products of two of 99 functions are polynomials of degree 200 or so in
/// slowly varying functions of r.
constexpr int kNodes = 512;

/// Numbers at the nodes of a quadrature.
using Column = std::vector<long double>;

/// Appends factor sqrt(weight) r g_k(r) at the nodes to the columns, so that the scalar product of two columns is the
/// integral of r² g_j g_k. A panel of the quadrature ends wherever a higher derivative of the functions jumps.
void append_samples(const AceBond& bond, long double factor, std::vector<Column>& columns) {
  std::vector<double> ends{0.0, bond.cutoff};
  if (bond.inner_cutoff > 0.0) {
    ends[0] = bond.inner_cutoff - bond.inner_width;
    ends.push_back(bond.inner_cutoff);
  }
  if (bond.family == RadialFamily::kChebExpCos) {
    ends.push_back(std::max(bond.cutoff - bond.cutoff_width, ends[0]));
  }
  std::sort(ends.begin(), ends.end());

  const std::vector<QuadratureNode> rule = gauss_legendre(kNodes);
  const RadialFunctions functions(bond);
  std::array<double, kLanes> r{};
  std::array<long double, kLanes> factors{};
  std::vector<double> values(columns.size() * kLanes);
  std::vector<double> slopes(columns.size() * kLanes);
  for (std::size_t panel = 0; panel + 1 < ends.size(); ++panel) {
    const long double middle = 0.5L * (ends[panel] + ends[panel + 1]);
    const long double half = 0.5L * (ends[panel + 1] - ends[panel]);
    for (std::size_t first = 0; first < rule.size(); first += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const QuadratureNode& node = rule[first + lane];
        r[lane] = static_cast<double>(middle + half * node.x);
        factors[lane] = factor * std::sqrt(half * node.weight) * r[lane];
      }
      functions.evaluate_raw(r, values.data(), slopes.data());
      for (std::size_t k = 0; k < columns.size(); ++k) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          columns[k].push_back(factors[lane] * values[k * kLanes + lane]);
        }
      }
    }
  }
}

long double product(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0L);
}

void subtract(Column& from, long double factor, const Column& other) {
  for (std::size_t i = 0; i < other.size(); ++i) {
    from[i] -= factor * other[i];
  }
}

void divide(Column& column, long double by) {
  for (long double& value : column) {
    value /= by;
  }
}

}  // namespace

// The inverse Cholesky factor of the Gram matrix S, but never by way of S, whose condition is the square: Gram-Schmidt
// on the sampled functions, each made orthogonal twice ("twice is enough": Giraud, Langou, Rozložník, Comput. Math.
// Appl. 50, 1069 (2005)), while the rows of the transform follow along.
std::vector<double> orthonormal_transform(const AceBond& bond) {
  if (bond.family == RadialFamily::kSBessel && bond.inner_cutoff == 0.0) {
    return {};
  }
  const auto size = static_cast<std::size_t>(bond.size);
  std::vector<Column> functions(size);
  append_samples(bond, 1.0L, functions);
  if (bond.inner_cutoff > 0.0) {
    AceBond whole = bond;
    whole.inner_cutoff = whole.inner_width = 0.0;
    append_samples(whole, std::sqrt(static_cast<long double>(kHiddenWeight)), functions);
  }
  std::vector<Column> rows(size);
  std::vector<double> transform(size * size, 0.0);
  for (std::size_t n = 0; n < size; ++n) {
    rows[n].assign(n + 1, 0.0L);
    rows[n][n] = 1.0L;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t m = 0; m < n; ++m) {
        const long double overlap = product(functions[n], functions[m]);
        subtract(functions[n], overlap, functions[m]);
        subtract(rows[n], overlap, rows[m]);
      }
    }
    const long double norm = std::sqrt(product(functions[n], functions[n]));
    divide(functions[n], norm);
    divide(rows[n], norm);
    std::transform(rows[n].begin(), rows[n].end(), transform.begin() + static_cast<std::ptrdiff_t>(n * size),
                   [](long double value) { return static_cast<double>(value); });
  }
  return transform;
}

}  // namespace ipfit
