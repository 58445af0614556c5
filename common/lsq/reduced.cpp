#include "common/lsq/reduced.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "common/lsq/column_kernel_choice.h"
#include "common/lsq/factor.h"
#include "common/lsq/panel.h"

namespace ipfit {
namespace {

using Eigen::Index;

/// The factor [R z; 0 rho]. Its rows are filled up to the last one that has something in it (which a NaN is).
Factor to_factor(const ReducedSystem& system) {
  const Index n = system.R.cols();
  Factor out(n + 1);
  auto u = out.u.matrix();
  u.topLeftCorner(n, n).triangularView<Eigen::Upper>() = system.R;
  u.col(n).head(n) = system.z;
  u(n, n) = system.rho;
  out.filled = n + 1;
  while (out.filled > 0 && (u.row(out.filled - 1).array() == 0.0).all()) {
    --out.filled;
  }
  out.rows = system.rows;
  return out;
}

// Signs are free in a QR factorisation: none negative on the diagonal makes the result canonical.
ReducedSystem to_system(Factor&& factor) {
  const Index n = factor.u.columns() - 1;
  auto u = factor.u.matrix();
  for (Index k = 0; k <= n; ++k) {
    if (u(k, k) < 0.0) {
      u.row(k).tail(n + 1 - k) *= -1.0;
    }
  }
  ReducedSystem out;
  out.R = u.topLeftCorner(n, n);
  out.z = u.col(n).head(n);
  out.rho = u(n, n);
  out.rows = factor.rows;
  return out;
}

// Rows that are absorbed at a time: see kPanelColumns. A multiple of 24, the height of the kernel's tiles.
constexpr std::int64_t kPanelRows = 744;

// Rows that are read and transposed at a time stay in the second-level cache meanwhile.
std::int64_t rows_per_read(std::int64_t columns) {
  constexpr std::int64_t kNumbers = 32768;
  return std::clamp<std::int64_t>(kNumbers / (columns + 1) / kColumnSide * kColumnSide, kColumnSide, kPanelRows);
}

/// Absorbs consecutive rows, panel after panel.
class Lane {
 public:
  explicit Lane(Index columns) : factor_(columns + 1), panel_(kPanelRows, columns + 1) {}

  /// Rows that fit into the panel that is being filled.
  std::int64_t room() const { return kPanelRows - height_; }

  /// At most room() rows. Their number is a multiple of kColumnSide, or they are the last ones of their panel.
  void add(std::span<const double> a, std::span<const double> y) {
    const auto rows = static_cast<Index>(y.size());
    const Index columns = panel_.columns() - 1;
    column_kernel().transpose(rows, columns, a.data(), panel_.from(height_, 0));
    panel_.matrix().col(columns).segment(height_, rows) = Eigen::Map<const Eigen::VectorXd>(y.data(), rows);
    height_ += rows;
    if (height_ == kPanelRows) {
      absorb_panel();
    }
  }

  Factor take() && {
    if (height_ > 0) {
      const Index padded = std::min<Index>((height_ + kColumnSide - 1) / kColumnSide * kColumnSide, kPanelRows);
      panel_.matrix().middleRows(height_, padded - height_).setZero();
      absorb_panel();
    }
    return std::move(factor_);
  }

 private:
  void absorb_panel() {
    absorb_rows(factor_, panel_, height_);
    height_ = 0;
  }

  Factor factor_;
  Panel panel_;
  Index height_ = 0;
};

/// Combines the factors of 2^k lanes, in whatever order they come, in a binary tree fixed by their numbers. Nodes are
/// numbered as in a heap: the root is 1, the children of i are 2i and 2i + 1, the leaves are the lanes.
class CombiningTree {
 public:
  explicit CombiningTree(std::int64_t lanes) : lanes_(lanes), waiting_(static_cast<std::size_t>(2 * lanes)) {}

  /// Combines as far upwards as the other halves are there: who comes second does the work.
  void add(std::int64_t lane, Factor factor) {
    auto node = static_cast<std::size_t>(lanes_ + lane);
    for (; node > 1; node /= 2) {
      std::optional<Factor> sibling = leave_or_take(node, factor);
      if (!sibling) {
        return;
      }
      if (node % 2 == 1) {
        std::swap(factor, *sibling);
      }
      absorb_factor(factor, std::move(*sibling));
    }
    waiting_[1] = std::move(factor);
  }
  Factor take() && { return std::move(*waiting_[1]); }

 private:
  // The factor of the sibling; or nothing, and one's own is left for it.
  std::optional<Factor> leave_or_take(std::size_t node, Factor& own) {
    const std::lock_guard lock(mutex_);
    std::optional<Factor> taken = std::exchange(waiting_[node ^ 1], std::nullopt);
    if (!taken) {
      waiting_[node] = std::move(own);
    }
    return taken;
  }

  std::int64_t lanes_;
  std::mutex mutex_;
  std::vector<std::optional<Factor>> waiting_;
};

// How rows are divided: whole panels, in 2^k contiguous lanes. A lane has at least 8 rows per column, so that combining
// (2/3 n^3 flops a lane) costs at most 1/24 of the reduction (2 n^2 flops a row).
struct Division {
  std::int64_t rows, panels, lanes;

  Division(std::int64_t rows_in, std::int64_t columns)
      : rows(rows_in),
        panels((rows + kPanelRows - 1) / kPanelRows),
        lanes(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
            std::clamp<std::int64_t>(std::min(panels, rows / (8 * (columns + 1))), 1, kMostLanes))))) {}

  std::int64_t first_row(std::int64_t lane) const { return std::min(rows, panels * lane / lanes * kPanelRows); }

 private:
  static constexpr std::int64_t kMostLanes = 256;  // more cores than that no machine of our users has
};

Result<Factor> reduce_lane(const Division& division, std::int64_t lane, std::int64_t columns, const RowReader& reader,
                           const std::atomic<bool>& stop) {
  const std::int64_t most = rows_per_read(columns);
  std::vector<double> a(static_cast<std::size_t>(most * columns));
  std::vector<double> y(static_cast<std::size_t>(most));
  Lane out(columns);
  const std::int64_t end = division.first_row(lane + 1);
  for (std::int64_t first = division.first_row(lane); first < end && !stop;) {
    const std::int64_t count = std::min({most, out.room(), end - first});
    const std::span<double> rows = std::span(a).first(static_cast<std::size_t>(count * columns));
    const std::span<double> targets = std::span(y).first(static_cast<std::size_t>(count));
    if (Status status = reader(first, count, rows, targets); !status) {
      return status.errors();
    }
    out.add(rows, targets);
    first += count;
  }
  return std::move(out).take();
}

}  // namespace

ReducedSystem empty_system(std::int64_t columns) {
  return to_system(Factor(columns + 1));
}

ReducedSystem reduce(std::span<const double> a, std::span<const double> y, std::int64_t columns) {
  assert(a.size() == y.size() * static_cast<std::size_t>(columns));
  const auto width = static_cast<std::size_t>(columns);
  Lane lane(columns);
  for (std::size_t first = 0; first < y.size();) {
    const std::size_t count = std::min(static_cast<std::size_t>(lane.room()), y.size() - first);
    lane.add(a.subspan(first * width, count * width), y.subspan(first, count));
    first += count;
  }
  return to_system(std::move(lane).take());
}

ReducedSystem merge(const ReducedSystem& first, const ReducedSystem& second) {
  assert(first.R.cols() == second.R.cols());
  Factor factor = to_factor(first);
  absorb_factor(factor, to_factor(second));
  return to_system(std::move(factor));
}

Result<ReducedSystem> reduce_rows(std::int64_t rows, std::int64_t columns, const RowReader& reader, int threads) {
  const Division division(rows, columns);
  CombiningTree tree(division.lanes);
  std::atomic<std::int64_t> next_lane{0};
  std::atomic<bool> stop{false};
  std::vector<std::vector<Error>> errors(static_cast<std::size_t>(division.lanes));
  const auto work = [&] {
    for (std::int64_t lane = next_lane++; lane < division.lanes && !stop; lane = next_lane++) {
      Result<Factor> factor = reduce_lane(division, lane, columns, reader, stop);
      if (factor) {
        tree.add(lane, *std::move(factor));
      } else {
        errors[static_cast<std::size_t>(lane)] = factor.errors();
        stop = true;
      }
    }
  };
  std::vector<std::future<void>> helpers;
  for (std::int64_t k = 1; k < std::min<std::int64_t>(threads, division.lanes); ++k) {
    helpers.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& helper : helpers) {
    helper.get();  // an exception of a helper goes on here
  }
  for (const std::vector<Error>& found : errors) {
    if (!found.empty()) {
      return found;
    }
  }
  return to_system(std::move(tree).take());
}

double reduction_bytes(std::int64_t rows, std::int64_t columns, int threads) {
  const Division division(rows, columns);
  const auto n = static_cast<double>(columns);
  const auto working = static_cast<double>(std::min<std::int64_t>(threads, division.lanes));
  const double panels = static_cast<double>(kPanelRows + rows_per_read(columns)) * n * working;
  // One a lane at work, those that wait for their sibling, one on each level of the tree, and the result.
  const double factors = working + std::log2(static_cast<double>(division.lanes)) + 1.0;
  return 8.0 * (panels + factors * n * n);
}

}  // namespace ipfit
