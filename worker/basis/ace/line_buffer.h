#pragma once

#include <cstddef>
#include <vector>

namespace ipfit {

/// Doubles that begin at a cache line. Growing loses the contents.
class LineBuffer {
 public:
  /// Room for `count` doubles, at least.
  double* at_least(std::size_t count) {
    if (const std::size_t lines = (count + 7) / 8; lines > lines_.size()) {
      lines_ = std::vector<Line>(lines + lines / 4);
    }
    return data();
  }
  double* data() { return lines_.empty() ? nullptr : lines_.front().numbers; }
  const double* data() const { return lines_.empty() ? nullptr : lines_.front().numbers; }

 private:
  struct alignas(64) Line {
    double numbers[8] = {};
  };
  std::vector<Line> lines_;
};

}  // namespace ipfit
