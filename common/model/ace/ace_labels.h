#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// Number of columns: the functions of all multisets.
std::int64_t column_count(const AceSpec& spec);

/// A name for each column, unique, the same on every machine. "Si: Si(1,1) Si(1,1) P(2,2) k=0": around Si, the product
/// of two sums over Si with n = 1, l = 1 and one over P with n = 2, l = 2, in its first coupling (coupling.h).
std::vector<std::string> column_labels(const AceSpec& spec);

/// Checksum of the list of labels, order included: two bases with the same one have the same columns.
std::uint64_t labels_checksum(const std::vector<std::string>& labels);

/// The multisets of one rank around one element, and their functions.
struct AceRankCount {
  std::uint8_t centre = 0;  ///< index in AceSpec::elements
  int rank = 0;
  std::int64_t multisets = 0;
  std::int64_t functions = 0;
  bool operator==(const AceRankCount&) const = default;
};

/// By centre, then rank; those without multisets are left out.
std::vector<AceRankCount> functions_by_rank(const AceSpec& spec);

}  // namespace ipfit
