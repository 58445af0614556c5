#include "common/model/ace/enumerate_multisets.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "common/model/ace/coupling.h"

namespace ipfit {
namespace {

class Enumerator {
 public:
  Enumerator(const MultisetRange& range, const std::function<bool(const AceMultiset&, std::int32_t)>& take)
      : range_(range),
        take_(take),
        uses_(static_cast<std::size_t>(range.elements), 0),
        counts_(std::size_t{1} << AceSpec::kLargestRank) {
    multiset_.centre = static_cast<std::uint8_t>(range.centre);
    multiset_.labels.resize(static_cast<std::size_t>(range.rank));
    use(multiset_.centre, 1);
  }

  // Degrees ascend, and the last, the largest, is at most the sum of the others: else nothing couples to 0.
  void choose_degree(std::size_t t, int sum) {
    if (t == multiset_.labels.size()) {
      if (sum % 2 == 0) {
        std::tie(least_n_, largest_n_) = range_.sum_n(sum);
        std::fill(counts_.begin(), counts_.end(), kUnknown);
        choose_label(0, 0);
      }
      return;
    }
    const bool last = t + 1 == multiset_.labels.size();
    const int highest = last ? std::min(range_.l_max, sum) : range_.l_max;
    for (int l = t == 0 ? 0 : multiset_.labels[t - 1].l; l <= highest && !stopped_; ++l) {
      multiset_.labels[t].l = static_cast<std::uint8_t>(l);
      choose_degree(t + 1, sum + l);
    }
  }

 private:
  static constexpr std::int32_t kUnknown = -1;

  void choose_label(std::size_t t, int sum) {
    if (t == multiset_.labels.size()) {
      const std::int32_t count = coupling_count_here();
      stopped_ = count > 0 && !take_(multiset_, count);
      return;
    }
    AceLabel& label = multiset_.labels[t];
    const bool ascends = t > 0 && multiset_.labels[t - 1].l == label.l;
    const AceLabel before = ascends ? multiset_.labels[t - 1] : AceLabel{label.l, 0, 1};
    const int after = range_.rank - static_cast<int>(t) - 1;  // factors yet to come, each with n from 1 to n_max
    const int highest = std::min(range_.n_max, largest_n_ - sum - after);
    for (int element = before.element; element < range_.elements && !stopped_; ++element) {
      label.element = static_cast<std::uint8_t>(element);
      use(label.element, 1);
      if (range_.max_elements == 0 || distinct_ <= range_.max_elements) {
        const int lowest = element == before.element ? before.n : 1;
        for (int n = std::max(lowest, least_n_ - sum - after * range_.n_max); n <= highest && !stopped_; ++n) {
          label.n = static_cast<std::uint8_t>(n);
          choose_label(t + 1, sum + n);
        }
      }
      use(static_cast<std::uint8_t>(element), -1);
    }
  }

  void use(std::uint8_t element, int change) {
    int& uses = uses_[element];
    distinct_ -= uses > 0 ? 1 : 0;
    uses += change;
    distinct_ += uses > 0 ? 1 : 0;
  }

  // Among multisets of the same degrees the count depends only on which neighbouring labels are equal.
  std::int32_t coupling_count_here() {
    std::size_t pattern = 0;
    for (std::size_t t = 1; t < multiset_.labels.size(); ++t) {
      pattern = 2 * pattern + (multiset_.labels[t] == multiset_.labels[t - 1] ? 1 : 0);
    }
    if (counts_[pattern] == kUnknown) {
      counts_[pattern] = coupling_count(shape_of(multiset_));
    }
    return counts_[pattern];
  }

  const MultisetRange& range_;
  const std::function<bool(const AceMultiset&, std::int32_t)>& take_;
  AceMultiset multiset_;
  std::vector<int> uses_;  // per element: how often it is in multiset_, the centre included
  int distinct_ = 0;
  int least_n_ = 0;
  int largest_n_ = 0;
  std::vector<std::int32_t> counts_;  // by pattern of equal labels
  bool stopped_ = false;
};

}  // namespace

void for_each_multiset(const MultisetRange& range, const std::function<bool(const AceMultiset&, std::int32_t)>& take) {
  Enumerator(range, take).choose_degree(0, 0);
}

}  // namespace ipfit
