#include "manager/output/report/close_atoms.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace ipfit {
namespace {

/// The cell with vectors for the directions that are not periodic: of unit length, perpendicular to all others.
Mat3 completed(const Structure& structure) {
  std::vector<Vec3> periodic;
  for (int d = 0; d < 3; ++d) {
    if (structure.pbc[static_cast<std::size_t>(d)]) {
      periodic.emplace_back(structure.cell.row(d).transpose());
    }
  }
  std::vector<Vec3> free;
  if (periodic.empty()) {
    free = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  } else if (periodic.size() == 1) {
    free = {periodic[0].unitOrthogonal()};
    free.emplace_back(periodic[0].cross(free[0]).normalized());
  } else if (periodic.size() == 2) {
    free = {periodic[0].cross(periodic[1]).normalized()};
  }
  Mat3 cell = structure.cell;
  auto next = free.begin();
  for (int d = 0; d < 3; ++d) {
    if (!structure.pbc[static_cast<std::size_t>(d)]) {
      cell.row(d) = (next++)->transpose();
    }
  }
  return cell;
}

class Sweep {
 public:
  Sweep(const Structure& structure, double reach, ShortestDistances& shortest)
      : structure_(structure),
        reach_(reach),
        shortest_(shortest),
        cell_(completed(structure)),
        present_(structure.species.begin(), structure.species.end()) {
    const Mat3 inverse = cell_.inverse();
    for (int d = 0; d < 3; ++d) {
      height_[d] = 1.0 / inverse.col(d).norm();
    }
    for (const Vec3& position : structure.positions) {
      Vec3 along = inverse.transpose() * position;
      for (int d = 0; d < 3; ++d) {
        along[d] -= periodic(d) ? std::floor(along[d]) : 0.0;
      }
      along_.push_back(along);
    }
    choose_axis();
    order_.resize(along_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t i) { return along_[i][axis_]; });
  }

  /// The nearest of the atom at this place of the order.
  double nearest(std::size_t place) {
    best_ = reach_;
    const std::size_t i = order_[place];
    for (const int way : {1, -1}) {
      const auto count = static_cast<std::int64_t>(order_.size());
      // Upwards it begins with the atom itself, whose images may be near beside it.
      for (std::int64_t k = static_cast<std::int64_t>(place) + (way > 0 ? 0 : -1);; k += way) {
        const std::int64_t turn = k >= 0 ? k / count : -((-k + count - 1) / count);
        if (turn != 0 && !periodic(axis_)) {
          break;
        }
        const std::size_t j = order_[static_cast<std::size_t>(k - turn * count)];
        const double apart = along_[j][axis_] + static_cast<double>(turn) - along_[i][axis_];
        if (std::abs(apart) * height_[axis_] > farthest(i)) {
          break;
        }
        visit(i, j, apart);
      }
    }
    return best_ < reach_ ? best_ : INFINITY;
  }

  std::size_t atom(std::size_t place) const { return order_[place]; }

 private:
  bool periodic(int direction) const { return structure_.pbc[static_cast<std::size_t>(direction)]; }

  // The direction in which the atoms are farthest apart leaves the fewest to look at.
  void choose_axis() {
    double longest = -1.0;
    for (int d = 0; d < 3; ++d) {
      const auto [low, high] = std::ranges::minmax_element(along_, {}, [d](const Vec3& along) { return along[d]; });
      const double length = periodic(d) ? height_[d] : ((*high)[d] - (*low)[d]) * height_[d];
      if (length > longest) {
        longest = length;
        axis_ = d;
      }
    }
  }

  double& known(std::uint8_t a, std::uint8_t b) {
    return shortest_.try_emplace({std::min(a, b), std::max(a, b)}, reach_).first->second;
  }

  /// No atom farther away than this matters for atom i.
  double farthest(std::size_t i) {
    double distance = best_;
    for (const std::uint8_t element : present_) {
      distance = std::max(distance, known(structure_.species[i], element));
    }
    return distance;
  }

  /// All images of atom j that lie so far from atom i along the axis of the sweep.
  void visit(std::size_t i, std::size_t j, double apart) {
    double& pair = known(structure_.species[i], structure_.species[j]);
    const double limit = std::max(best_, pair);
    const int e = (axis_ + 1) % 3;
    const int f = (axis_ + 2) % 3;
    const auto shifts = [&](int d) {
      const double here = along_[j][d] - along_[i][d];
      const double most = limit / height_[d];
      return periodic(d) ? std::pair{std::ceil(-here - most), std::floor(-here + most)} : std::pair{0.0, 0.0};
    };
    const auto [e_first, e_last] = shifts(e);
    const auto [f_first, f_last] = shifts(f);
    for (double m = e_first; m <= e_last; ++m) {
      for (double n = f_first; n <= f_last; ++n) {
        if (i == j && apart == 0.0 && m == 0.0 && n == 0.0) {
          continue;
        }
        Vec3 along = along_[j] - along_[i];
        along[axis_] = apart;
        along[e] += m;
        along[f] += n;
        const double distance = (cell_.transpose() * along).norm();
        best_ = std::min(best_, distance);
        pair = std::min(pair, distance);
      }
    }
  }

  const Structure& structure_;
  double reach_;
  ShortestDistances& shortest_;
  Mat3 cell_;
  std::set<std::uint8_t> present_;
  Vec3 height_ = Vec3::Zero();
  std::vector<Vec3> along_;  ///< positions in units of the cell vectors, wrapped where periodic
  std::vector<std::size_t> order_;
  int axis_ = 0;
  double best_ = 0.0;
};

}  // namespace

std::vector<double> nearest_distances(const Structure& structure, double reach, ShortestDistances& shortest) {
  std::vector<double> nearest(structure.species.size(), INFINITY);
  if (structure.species.empty()) {
    return nearest;
  }
  Sweep sweep(structure, reach, shortest);
  for (std::size_t place = 0; place < nearest.size(); ++place) {
    nearest[sweep.atom(place)] = sweep.nearest(place);
  }
  std::erase_if(shortest, [&](const auto& item) { return item.second >= reach; });
  return nearest;
}

}  // namespace ipfit
