#pragma once

#include <cstdint>
#include <vector>

#include "manager/output/report/axis.h"

namespace ipfit {

/// Points counted in the cells of a square grid over two axes: a picture of millions of points that costs no more than
/// one of a few hundred. Points beyond the axes are counted apart.
class Density {
 public:
  Density(Axis x, Axis y);

  /// Points that are not finite count as beyond.
  void add(double x, double y);

  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }
  /// Row 0 is the lowest in y.
  std::uint64_t at(int column, int row) const;
  std::uint64_t largest() const;
  std::uint64_t points() const { return points_; }  ///< all, with those beyond
  std::uint64_t beyond() const { return beyond_; }

  static constexpr int kCells = 75;  ///< along each axis; three pixels each in a plot of this report

 private:
  Axis x_;
  Axis y_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t points_ = 0;
  std::uint64_t beyond_ = 0;
};

}  // namespace ipfit
