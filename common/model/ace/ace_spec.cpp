#include "common/model/ace/ace_spec.h"

#include <algorithm>

namespace ipfit {
namespace {

bool same_as_before(const std::vector<AceLabel>& labels, std::size_t t) {
  return t > 0 && labels[t] == labels[t - 1];
}

}  // namespace

std::strong_ordering column_order(const AceMultiset& a, const AceMultiset& b) {
  if (const auto order = a.centre <=> b.centre; order != 0) {
    return order;
  }
  if (const auto order = a.labels.size() <=> b.labels.size(); order != 0) {
    return order;
  }
  for (std::size_t t = 0; t < a.labels.size(); ++t) {
    if (const auto order = a.labels[t].l <=> b.labels[t].l; order != 0) {
      return order;
    }
  }
  for (std::size_t t = 0; t < a.labels.size(); ++t) {
    if (const auto order = same_as_before(a.labels, t) <=> same_as_before(b.labels, t); order != 0) {
      return order;
    }
  }
  return a.labels <=> b.labels;
}

}  // namespace ipfit
