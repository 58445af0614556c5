#include "manager/output/report/density.h"

#include <algorithm>
#include <cmath>

namespace ipfit {
namespace {

std::size_t index(int column, int row) {
  return static_cast<std::size_t>(row) * Density::kCells + static_cast<std::size_t>(column);
}

}  // namespace

Density::Density(Axis x, Axis y) : x_(std::move(x)), y_(std::move(y)), counts_(kCells * kCells) {}

void Density::add(double x, double y) {
  ++points_;
  const double across = std::isfinite(x) ? x_.place(x) : -1.0;
  const double up = std::isfinite(y) ? y_.place(y) : -1.0;
  if (!(across >= 0.0 && across <= 1.0 && up >= 0.0 && up <= 1.0)) {
    ++beyond_;
    return;
  }
  const int column = std::min(kCells - 1, static_cast<int>(across * kCells));
  const int row = std::min(kCells - 1, static_cast<int>(up * kCells));
  ++counts_[index(column, row)];
}

std::uint64_t Density::at(int column, int row) const {
  return counts_[index(column, row)];
}

std::uint64_t Density::largest() const {
  return *std::ranges::max_element(counts_);
}

}  // namespace ipfit
