#pragma once

#include <cstdint>
#include <vector>

#include "common/model/basis_spec.h"

namespace ipfit {

/// One factor of a basis function: its radial degree, 1 for the smoothest, and its angular degree.
struct ColumnFactor {
  std::int32_t n = 1;
  std::int32_t l = 0;
  bool operator==(const ColumnFactor&) const = default;
};

/// The factors of each column, in the order of the columns. A function of the pair basis is one factor, n = k + 1; the
/// couplings of one multiset share their factors.
std::vector<std::vector<ColumnFactor>> column_factors(const PairSpec& spec);
std::vector<std::vector<ColumnFactor>> column_factors(const AceSpec& spec);
std::vector<std::vector<ColumnFactor>> column_factors(const BasisSpec& spec);

}  // namespace ipfit
