#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// Which products of one rank around one element are wanted.
struct MultisetRange {
  int elements = 1;      ///< number of elements
  int centre = 0;        ///< index of the centre's element
  int rank = 1;          ///< 1 to AceSpec::kLargestRank
  int n_max = 1;         ///< of each factor
  int l_max = 0;         ///< of each factor
  int max_elements = 0;  ///< most distinct elements, the centre's included; 0: any

  /// Least and largest sum of the n, for a given sum of the l; nothing is listed where the largest is below the rank.
  std::function<std::pair<int, int>(int sum_l)> sum_n;
};

/// Calls `take` with each multiset in the range that has invariant couplings, and their number, until it returns false.
/// By degrees l, then labels; not quite column_order. Spends time on what is listed, not on the box around it.
void for_each_multiset(const MultisetRange& range, const std::function<bool(const AceMultiset&, std::int32_t)>& take);

}  // namespace ipfit
