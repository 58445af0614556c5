#include "common/lsq/reference_column.h"

#include <algorithm>
#include <cassert>

namespace ipfit {

void split_reference(std::span<const double> rows, std::int64_t columns, std::span<double> a,
                     std::span<double> reference) {
  const auto n = static_cast<std::size_t>(columns);
  assert(rows.size() == reference.size() * (n + 1) && a.size() == reference.size() * n);
  for (std::size_t row = 0; row < reference.size(); ++row) {
    const std::span<const double> from = rows.subspan(row * (n + 1), n + 1);
    std::ranges::copy(from.first(n), a.subspan(row * n).begin());
    reference[row] = from[n];
  }
}

}  // namespace ipfit
