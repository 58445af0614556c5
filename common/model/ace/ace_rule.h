#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/model/ace/ace_spec.h"
#include "common/result.h"

namespace ipfit {

/// How the functions of a basis are chosen. In all three n goes up to 99 and l to AceSpec::kLargestDegree.
enum class AceChoice : std::uint8_t {
  /// The first `size` functions around each element in the order of their level, within equal levels by rank, then
  /// column_order. The level is rank + sum of n + 1.15 times sum of l, but at least rank times the largest n. A
  /// multiset is taken whole or not at all: one with more functions than are still wanted is passed over, and the next
  /// ones that fit are taken, so there are exactly `size`.
  kSize,
  kDegree,  ///< all functions with sum of n + wl * l at most degree[rank - 1]
  kLists,   ///< all functions with n <= n_max[rank - 1] and l <= l_max[rank - 1]
};

/// What a fit file says of an ACE basis: a rule, from which make_ace_spec makes the list of functions.
struct AceRule {
  std::vector<std::uint8_t> elements;  ///< atomic numbers
  double cutoff = 0.0;                 ///< Å; 0: from the bond lengths of the elements
  std::map<std::pair<std::uint8_t, std::uint8_t>, double> pair_cutoffs;  ///< Å, by atomic numbers, lower one first

  RadialFamily radial = RadialFamily::kSBessel;
  double lambda = 5.25;
  double cutoff_width = 0.3;  ///< Å
  double inner_cutoff = 0.0;  ///< Å
  double inner_width = 0.0;   ///< Å
  bool orthonormal = true;

  AceChoice choice = AceChoice::kSize;
  int size = 300;
  int order = 4;                  ///< largest rank, 1 to 6 (kSize; the lists end it otherwise)
  std::vector<double> degree;     ///< per rank
  double wl = 1.5;                ///< what one unit of l costs, in units of n
  std::vector<int> n_max;         ///< per rank
  std::vector<int> l_max;         ///< per rank
  std::vector<int> max_elements;  ///< per rank: most distinct elements in a function, its centre included; empty: any
  bool operator==(const AceRule&) const = default;
};

/// The basis that a rule describes; `elements` must not be empty. The size of a bond is the largest n that a function
/// of either direction of the pair uses, at least 1. Errors (kInput; where = the key of [basis] at fault): a rule that
/// gives no function, fewer than `size` or more than a million, lists that do not fit together, radial functions that
/// do not exist.
Result<AceSpec> make_ace_spec(const AceRule& rule);

}  // namespace ipfit
