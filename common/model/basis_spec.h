#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// Pair basis: for every unordered pair of elements `size` functions of the distance (docs/explanation/pair-basis.md).
/// Columns: pairs in the order (0,0) (0,1) ... (1,1) ... of `elements`, within a pair the functions by degree.
struct PairSpec {
  std::vector<std::uint8_t> elements;  ///< atomic numbers, each once, in the order of the fit file
  double cutoff = 0.0;                 ///< Å, > 0
  int size = 0;                        ///< functions per pair of elements, >= 1
  bool operator==(const PairSpec&) const = default;
};

/// The basis of a fit: everything a worker must know to evaluate rows, and nothing else. A closed set of kinds.
using BasisSpec = std::variant<PairSpec, AceSpec>;

const std::vector<std::uint8_t>& elements_of(const BasisSpec& spec);

/// Å; the largest of all pairs of elements.
double cutoff_of(const BasisSpec& spec);

/// Number of columns of the design matrix.
std::int64_t column_count(const BasisSpec& spec);

/// A name for each column, unique, the same on every machine: "Si-Si k=0"; for ACE see common/model/ace/ace_labels.h.
std::vector<std::string> column_labels(const BasisSpec& spec);

}  // namespace ipfit
