#include "common/model/ace/ace_labels.h"

#include <fmt/format.h>

#include <optional>

#include "common/atoms/element.h"
#include "common/checksum.h"
#include "common/model/ace/coupling.h"

namespace ipfit {
namespace {

// Multisets of the same shape stand together, so remembering the last one saves nearly all counting.
class Counter {
 public:
  std::int32_t operator()(const AceMultiset& multiset) {
    AceShape shape = shape_of(multiset);
    if (shape != shape_) {
      shape_ = std::move(shape);
      count_ = coupling_count(*shape_);
    }
    return count_;
  }

 private:
  std::optional<AceShape> shape_;
  std::int32_t count_ = 0;
};

}  // namespace

std::int64_t column_count(const AceSpec& spec) {
  Counter count;
  std::int64_t columns = 0;
  for (const AceMultiset& multiset : spec.multisets) {
    columns += count(multiset);
  }
  return columns;
}

std::vector<std::string> column_labels(const AceSpec& spec) {
  Counter count;
  std::vector<std::string> names;
  for (const AceMultiset& multiset : spec.multisets) {
    std::string product = fmt::format("{}:", element_symbol(spec.elements[multiset.centre]));
    for (const AceLabel& label : multiset.labels) {
      product += fmt::format(" {}({},{})", element_symbol(spec.elements[label.element]), label.n, label.l);
    }
    for (std::int32_t k = 0; k < count(multiset); ++k) {
      names.push_back(fmt::format("{} k={}", product, k));
    }
  }
  return names;
}

std::uint64_t labels_checksum(const std::vector<std::string>& labels) {
  return checksum(fmt::format("{}", fmt::join(labels, "\n")));
}

std::vector<AceRankCount> functions_by_rank(const AceSpec& spec) {
  Counter count;
  std::vector<AceRankCount> counts;
  for (const AceMultiset& multiset : spec.multisets) {
    const int rank = static_cast<int>(multiset.labels.size());
    if (counts.empty() || counts.back().centre != multiset.centre || counts.back().rank != rank) {
      counts.push_back({multiset.centre, rank, 0, 0});
    }
    ++counts.back().multisets;
    counts.back().functions += count(multiset);
  }
  return counts;
}

}  // namespace ipfit
