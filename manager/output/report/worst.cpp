#include "manager/output/report/worst.h"

#include <algorithm>
#include <cmath>

namespace ipfit {

void Worst::add(const Structure& structure, double error) {
  const auto place = std::ranges::upper_bound(list_, std::abs(error), std::greater<>(),
                                              [](const StructureError& known) { return std::abs(known.error); });
  if (place == list_.end() && list_.size() == kMost) {
    return;
  }
  list_.insert(place, {structure.source, structure.config_type, structure.set, structure.size(), error});
  if (list_.size() > kMost) {
    list_.pop_back();
  }
}

}  // namespace ipfit
