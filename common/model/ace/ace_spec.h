#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace ipfit {

/// The families of raw radial functions g_k(r) that the potential file can carry (docs/explanation/ace-basis.md).
enum class RadialFamily : std::uint8_t { kSBessel, kChebExpCos, kChebPow };

/// The radial functions b_1 ... b_size of one unordered pair of elements: b_n = sum_k transform[n][k] g_k.
struct AceBond {
  RadialFamily family = RadialFamily::kSBessel;
  double lambda = 5.25;       ///< distance transform of ChebExpCos and ChebPow; SBessel does not use it
  double cutoff = 0.0;        ///< Å, > 0; all functions vanish from here on
  double cutoff_width = 0.0;  ///< Å, > 0; ChebExpCos: width of the last cosine switch, below the cutoff
  double inner_cutoff = 0.0;  ///< Å; the functions are whole from here on and zero below inner_cutoff - inner_width
  double inner_width = 0.0;   ///< Å, <= inner_cutoff; both 0: no inner cutoff
  std::int32_t size = 0;      ///< number of functions, 1 to AceSpec::kLargestN
  std::vector<double> transform;  ///< size x size, lower triangular, row-major; empty: the raw functions themselves
  bool operator==(const AceBond&) const = default;
};

/// One factor A of a product: sum over the neighbours of an element of b_n(r) times the spherical harmonics of degree
/// l. The order of the members is the order of factors within a multiset.
struct AceLabel {
  std::uint8_t l = 0;        ///< 0 to kLargestDegree
  std::uint8_t element = 0;  ///< index of the neighbour's element in AceSpec::elements
  std::uint8_t n = 1;        ///< 1 to the size of the bond (centre, element)
  auto operator<=>(const AceLabel&) const = default;
};

/// A product of 1 to kLargestRank factors, in ascending order, around atoms of one element. It stands for all its
/// independent invariant couplings (coupling.h): that many columns.
struct AceMultiset {
  std::uint8_t centre = 0;  ///< index in AceSpec::elements
  std::vector<AceLabel> labels;
  bool operator==(const AceMultiset&) const = default;
};

/// Linear atomic cluster expansion: E_i = sum over the functions around element(i) of coefficient times function.
/// Columns: the multisets in the order given, each with its couplings in the order of coupling.h. The list is explicit,
/// so a potential means the same whatever rule once chose its functions (ace_rule.h).
struct AceSpec {
  static constexpr int kLargestRank = 6;
  static constexpr int kLargestDegree = 10;
  static constexpr int kLargestN = 99;

  std::vector<std::uint8_t> elements;  ///< atomic numbers, each once
  std::vector<AceBond> bonds;          ///< pairs of elements in the order (0,0) (0,1) ... (1,1) ...
  std::vector<AceMultiset> multisets;  ///< strictly ascending by column_order
  bool operator==(const AceSpec&) const = default;

  /// Index in `bonds` of a pair of elements, in either order.
  std::size_t bond_index(std::size_t a, std::size_t b) const {
    const std::size_t low = a < b ? a : b;
    const std::size_t high = a < b ? b : a;
    return low * elements.size() - low * (low + 1) / 2 + high;
  }
};

/// The order of the columns: by centre, rank, degrees l, which neighbouring labels are equal, then label by label.
/// Multisets of the same shape (rank, degrees, equalities), which share their couplings, stand together.
std::strong_ordering column_order(const AceMultiset& a, const AceMultiset& b);

}  // namespace ipfit
