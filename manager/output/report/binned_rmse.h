#pragma once

#include <cstdint>
#include <map>

#include "manager/output/report/axis.h"
#include "manager/output/report/plot.h"

namespace ipfit {

/// The root of the mean of squared errors by the size of something else, in bins: of equal width, or with a logarithmic
/// scale kBinsPerDecade to a power of ten.
class BinnedRmse {
 public:
  /// `lowest`: values below it count with it, so that a logarithmic scale can take zero. `width` is for linear bins.
  BinnedRmse(Scale scale, double lowest, double width) : scale_(scale), lowest_(lowest), width_(width) {}

  /// Nothing happens where one of them is not finite.
  void add(double value, double squared_error);

  /// (middle of the bin, RMSE) for the bins that have something in them, ascending; between bins that do not touch a
  /// point that is not a number, so that no line is drawn across.
  Points points() const;

  static constexpr double kBinsPerDecade = 5.0;

 private:
  struct Bin {
    double squares = 0.0;
    std::int64_t count = 0;
  };
  Scale scale_;
  double lowest_;
  double width_;
  std::map<std::int64_t, Bin> bins_;
};

}  // namespace ipfit
