#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// What the couplings of a multiset depend on: the degrees of its factors in ascending order, and which of them carry
/// the same label as the factor before.
struct AceShape {
  std::vector<std::uint8_t> l;
  std::vector<bool> same;  ///< as long as `l`; same[0] is false; same[t] only where l[t] == l[t - 1]
  auto operator<=>(const AceShape&) const = default;
};
AceShape shape_of(const AceMultiset& multiset);

/// The independent rotation- and reflection-invariant functions of a shape, numbered k = 0 ... count - 1:
///
///   B_k = sum over orbits o of weights[k][o] Re prod_t A_{t, m[o][t]}
///
/// An orbit stands for all tuples m with sum 0 that differ by exchanging equal labels, and for their mirror images -m:
/// of each such set one is listed, and its weight counts them all. The full tensors are orthonormal:
/// sum over all tuples of c_k c_k' = delta. The choice inside a shape is fixed (docs/explanation/ace-basis.md) and the
/// arithmetic is plain IEEE, so every machine has the same bits.
///
/// Listed is the tuple with descending m within equal labels, and of it and its mirror image the lexicographically
/// larger, whose first m other than 0 is positive. Orbits are in lexicographic order. The functions are in
/// lexicographic order of the intermediate angular momenta. Without invariants (odd sum of l) all members are empty.
struct Coupling {
  std::vector<std::array<std::int8_t, AceSpec::kLargestRank>> m;  ///< per orbit; entries beyond the rank are 0
  std::vector<double> weights;                                    ///< count x orbits, row-major
  std::int32_t count = 0;
};
Coupling coupling_of(const AceShape& shape);

/// How many there are, by integer arithmetic: N(0) - N(1), where N(M) counts the distinct products with sum of m = M;
/// 0 where the sum of the degrees is odd. (Reference: the character formula; docs/explanation/ace-basis.md.)
std::int32_t coupling_count(const AceShape& shape);

/// About how many weights the Coupling of a shape has, and with that what it costs to find and to use: the number of
/// couplings times half the distinct products with sum of m = 0, N(0).
double coupling_weights(const AceShape& shape);

/// The most weights that a basis may have, of all its shapes together (one that stands around two elements counts
/// twice): 1.6 GB of them, and some ten seconds to find them. A product of six factors of degree 4 has 6e6, any
/// sensible basis less.
inline constexpr double kMostCouplingWeights = 2e8;

}  // namespace ipfit
