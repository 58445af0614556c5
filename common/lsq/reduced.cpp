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

#include "common/lsq/lapack.h"

namespace ipfit {
namespace {

using Eigen::Index;

/// The factor [R z; 0 rho] of the rows of [A y] seen so far. Its first `filled` rows are upper trapezoidal, the others
/// zero: with fewer rows than columns no rounding errors are mistaken for rows.
struct Factor {
  Eigen::MatrixXd u;
  Index filled = 0;
  std::int64_t rows = 0;

  explicit Factor(Index columns) : u(Eigen::MatrixXd::Zero(columns + 1, columns + 1)) {}
};

// Absorbs the rows of `b`, which is destroyed. `trapezoidal`: b is zero below its diagonal.
void absorb(Factor& factor, lapack::Matrix b, bool trapezoidal) {
  const Index filled = factor.filled;
  const Index missing = factor.u.cols() - filled;
  if (filled > 0 && b.rows() > 0) {
    // Rows of a trapezoid from `filled` on have nothing in the columns to be eliminated.
    const Index rows = trapezoidal ? std::min(b.rows(), filled) : b.rows();
    lapack::Matrix eliminated = b.topLeftCorner(rows, filled);
    const lapack::Reflectors reflectors =
        lapack::append_rows(factor.u.topLeftCorner(filled, filled), eliminated, trapezoidal ? rows : 0);
    if (missing > 0) {
      lapack::apply_appended(reflectors, eliminated, factor.u.topRightCorner(filled, missing),
                             b.topRightCorner(rows, missing));
    }
  }
  const Index added = std::min(b.rows(), missing);
  if (added > 0) {
    if (filled > 0 || !trapezoidal) {
      lapack::qr(b.rightCols(missing));
    }
    factor.u.block(filled, filled, added, missing) = b.topRightCorner(added, missing).triangularView<Eigen::Upper>();
    factor.filled += added;
  }
}

// Rows up to the last one that has something in it (which a NaN is).
Index filled_rows(const Eigen::MatrixXd& u) {
  Index filled = u.rows();
  while (filled > 0 && (u.row(filled - 1).array() == 0.0).all()) {
    --filled;
  }
  return filled;
}

Factor to_factor(const ReducedSystem& system) {
  const Index n = system.R.cols();
  Factor out(n);
  out.u.topLeftCorner(n, n).triangularView<Eigen::Upper>() = system.R;
  out.u.col(n).head(n) = system.z;
  out.u(n, n) = system.rho;
  out.filled = filled_rows(out.u);
  out.rows = system.rows;
  return out;
}

void absorb(Factor& factor, Factor&& other) {
  absorb(factor, other.u.topRows(other.filled), true);
  factor.rows += other.rows;
}

// Signs are free in a QR factorisation: none negative on the diagonal makes the result canonical.
ReducedSystem to_system(Factor&& factor) {
  const Index n = factor.u.cols() - 1;
  for (Index k = 0; k <= n; ++k) {
    if (factor.u(k, k) < 0.0) {
      factor.u.row(k).tail(n + 1 - k) *= -1.0;
    }
  }
  ReducedSystem out;
  out.R = factor.u.topLeftCorner(n, n);
  out.z = factor.u.col(n).head(n);
  out.rho = factor.u(n, n);
  out.rows = factor.rows;
  return out;
}

// Rows that are absorbed at a time. Measured (dgemm 53 GFlop/s): with 1001 columns 42, 44, 42 and 33 GFlop/s for 512,
// 1000, 2000 and 4000 rows, with 61 columns 11, 23, 24, 24 and 17 for 128, 256, 512, 1024 and 4096: then a panel of the
// reflectors leaves the second-level cache.
std::int64_t panel_height(std::int64_t columns) {
  return std::clamp<std::int64_t>(columns, 512, 2048);
}

// Column-major copy, in tiles that stay in the first-level cache.
void transpose_rows(std::span<const double> a, std::span<const double> y, Eigen::Ref<Eigen::MatrixXd> out) {
  constexpr Index kTile = 16;
  const Index rows = out.rows();
  const Index columns = out.cols() - 1;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> source(a.data(), rows, columns);
  for (Index i = 0; i < rows; i += kTile) {
    for (Index j = 0; j < columns; j += kTile) {
      const Index height = std::min(kTile, rows - i);
      const Index width = std::min(kTile, columns - j);
      out.block(i, j, height, width) = source.block(i, j, height, width);
    }
  }
  out.col(columns) = Eigen::Map<const Eigen::VectorXd>(y.data(), rows);
}

/// Absorbs rows, panel after panel.
class Lane {
 public:
  explicit Lane(Index columns) : factor_(columns), panel_(panel_height(columns), columns + 1) {}

  void absorb_panel(std::span<const double> a, std::span<const double> y) {
    lapack::Matrix rows = panel_.topRows(static_cast<Index>(y.size()));
    transpose_rows(a, y, rows);
    absorb(factor_, rows, false);
    factor_.rows += rows.rows();
  }
  Factor take() && { return std::move(factor_); }

 private:
  Factor factor_;
  Eigen::MatrixXd panel_;
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
      absorb(factor, std::move(*sibling));
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
  std::int64_t rows, height, panels, lanes;

  Division(std::int64_t rows_in, std::int64_t columns)
      : rows(rows_in),
        height(panel_height(columns)),
        panels((rows + height - 1) / height),
        lanes(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
            std::clamp<std::int64_t>(std::min(panels, rows / (8 * (columns + 1))), 1, kMostLanes))))) {}

  std::int64_t first_panel(std::int64_t lane) const { return panels * lane / lanes; }

 private:
  static constexpr std::int64_t kMostLanes = 256;  // more cores than that no machine of our users has
};

Result<Factor> reduce_lane(const Division& division, std::int64_t lane, std::int64_t columns, const RowReader& reader,
                           const std::atomic<bool>& stop) {
  const auto cells = static_cast<std::size_t>(division.height * columns);
  std::vector<double> a(cells);
  std::vector<double> y(static_cast<std::size_t>(division.height));
  Lane out(columns);
  for (std::int64_t panel = division.first_panel(lane); panel < division.first_panel(lane + 1) && !stop; ++panel) {
    const std::int64_t first = panel * division.height;
    const std::int64_t count = std::min(division.height, division.rows - first);
    const std::span<double> rows = std::span(a).first(static_cast<std::size_t>(count * columns));
    const std::span<double> targets = std::span(y).first(static_cast<std::size_t>(count));
    if (Status status = reader(first, count, rows, targets); !status) {
      return status.errors();
    }
    out.absorb_panel(rows, targets);
  }
  return std::move(out).take();
}

}  // namespace

ReducedSystem empty_system(std::int64_t columns) {
  return to_system(Factor(columns));
}

ReducedSystem reduce(std::span<const double> a, std::span<const double> y, std::int64_t columns) {
  assert(a.size() == y.size() * static_cast<std::size_t>(columns));
  const auto height = static_cast<std::size_t>(panel_height(columns));
  Lane lane(columns);
  for (std::size_t first = 0; first < y.size(); first += height) {
    const std::size_t count = std::min(height, y.size() - first);
    const auto width = static_cast<std::size_t>(columns);
    lane.absorb_panel(a.subspan(first * width, count * width), y.subspan(first, count));
  }
  return to_system(std::move(lane).take());
}

ReducedSystem merge(const ReducedSystem& first, const ReducedSystem& second) {
  assert(first.R.cols() == second.R.cols());
  Factor factor = to_factor(first);
  absorb(factor, to_factor(second));
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
  const double panels = 2.0 * static_cast<double>(division.height) * n * working;
  // One a lane at work, those that wait for their sibling, one on each level of the tree, and the result.
  const double factors = working + std::log2(static_cast<double>(division.lanes)) + 1.0;
  return 8.0 * (panels + factors * n * n);
}

}  // namespace ipfit
