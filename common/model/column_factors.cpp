#include "common/model/column_factors.h"

#include "common/model/ace/coupling.h"

namespace ipfit {

std::vector<std::vector<ColumnFactor>> column_factors(const PairSpec& spec) {
  const std::size_t pairs = spec.elements.size() * (spec.elements.size() + 1) / 2;
  std::vector<std::vector<ColumnFactor>> columns;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    for (std::int32_t k = 0; k < spec.size; ++k) {
      columns.push_back({{k + 1, 0}});
    }
  }
  return columns;
}

std::vector<std::vector<ColumnFactor>> column_factors(const AceSpec& spec) {
  std::vector<std::vector<ColumnFactor>> columns;
  for (const AceMultiset& multiset : spec.multisets) {
    std::vector<ColumnFactor> factors;
    for (const AceLabel& label : multiset.labels) {
      factors.push_back({label.n, label.l});
    }
    columns.insert(columns.end(), static_cast<std::size_t>(coupling_count(shape_of(multiset))), factors);
  }
  return columns;
}

std::vector<std::vector<ColumnFactor>> column_factors(const BasisSpec& spec) {
  return std::visit([](const auto& kind) { return column_factors(kind); }, spec);
}

}  // namespace ipfit
