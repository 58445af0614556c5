#pragma once

#include <vector>

namespace ipfit {

struct QuadratureNode {
  long double x;
  long double weight;
};

/// The Gauss-Legendre rule with `count` nodes on [-1, 1], in ascending order: exact for polynomials of degree
/// 2 count - 1, to a few roundings of long double.
std::vector<QuadratureNode> gauss_legendre(int count);

}  // namespace ipfit
