#include "manager/output/report/binned_rmse.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ipfit {

void BinnedRmse::add(double value, double squared_error) {
  if (!std::isfinite(value) || !std::isfinite(squared_error)) {
    return;
  }
  const double from_lowest = std::max(value, lowest_);
  const double bin = scale_ == Scale::kLogarithmic ? kBinsPerDecade * std::log10(from_lowest / lowest_)
                                                   : (from_lowest - lowest_) / width_;
  Bin& to = bins_[static_cast<std::int64_t>(std::min(bin, 1e15))];
  to.squares += squared_error;
  ++to.count;
}

Points BinnedRmse::points() const {
  Points points;
  std::optional<std::int64_t> before;
  for (const auto& [index, bin] : bins_) {
    if (before && index > *before + 1) {
      points.emplace_back(NAN, NAN);
    }
    before = index;
    const double middle = static_cast<double>(index) + 0.5;
    points.emplace_back(
        scale_ == Scale::kLogarithmic ? lowest_ * std::pow(10.0, middle / kBinsPerDecade) : lowest_ + middle * width_,
        std::sqrt(bin.squares / static_cast<double>(bin.count)));
  }
  return points;
}

}  // namespace ipfit
