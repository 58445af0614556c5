#pragma once

#include <Eigen/LU>
#include <cstdint>
#include <random>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit::test {

/// The kinds of cells that a neighbour search has to survive.
enum class CellKind {
  kCube,       ///< wider than the cutoff
  kSmall,      ///< narrower than the cutoff: many images, also of the atom itself
  kTriclinic,  ///< general, any handedness
  kSkewed,     ///< a cube written with cell vectors sheared by whole multiples of each other
  kMixedPbc,   ///< general cell, some directions periodic
  kIsolated,   ///< no cell at all
  kOutside,    ///< atoms many cells away from the cell
  kSlab,       ///< flat and wide
  kFarApart,   ///< clusters at distances of thousands of Å, no cell
};
inline constexpr int kCellKinds = 9;

/// Reproducible random structures: everything follows from the seed.
class RandomStructures {
 public:
  explicit RandomStructures(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  bool coin() { return integer(0, 1) == 1; }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }

  Mat3 cell(CellKind kind) {
    Mat3 cell = Mat3::Zero();
    switch (kind) {
      case CellKind::kCube:
        return Mat3::Identity() * uniform(12.0, 16.0);
      case CellKind::kSmall:
        return general(2.0, 4.5);
      case CellKind::kSkewed: {
        cell = Mat3::Identity() * uniform(5.0, 8.0);
        cell.row(1) += integer(-3, 3) * cell.row(0);
        cell.row(2) += integer(-3, 3) * cell.row(0) + integer(-3, 3) * cell.row(1);
        return cell;
      }
      case CellKind::kSlab:
        cell.diagonal() << uniform(20.0, 30.0), uniform(20.0, 30.0), uniform(2.5, 3.5);
        return cell;
      case CellKind::kIsolated:
      case CellKind::kFarApart:
        return cell;
      default:
        return general(5.0, 12.0);
    }
  }

  /// `atoms` atoms of the given elements; no two atoms or images closer than about 1.5 Å is not ensured: callers that
  /// need it use spaced().
  Structure structure(CellKind kind, int atoms, const std::vector<std::uint8_t>& elements) {
    Structure s;
    s.cell = cell(kind);
    const bool none = kind == CellKind::kIsolated || kind == CellKind::kFarApart;
    s.pbc = {!none, !none, !none};
    if (kind == CellKind::kMixedPbc) {
      s.pbc = {coin(), coin(), coin()};
    } else if (kind == CellKind::kSlab) {
      s.pbc = {true, true, coin()};
    }
    const double spread = 2.5 * std::cbrt(static_cast<double>(atoms));
    const Vec3 origin = vector(20.0);
    for (int i = 0; i < atoms; ++i) {
      s.species.push_back(elements[static_cast<std::size_t>(integer(0, static_cast<int>(elements.size()) - 1))]);
      const double reach = kind == CellKind::kOutside ? 8.0 : 1.0;
      Vec3 r = s.cell.transpose() * (Vec3::Constant(0.5) + vector(0.5 * reach));
      if (none) {
        r = vector(0.5 * spread);
        if (kind == CellKind::kFarApart && coin()) {
          r += 3000.0 * Vec3(integer(-9, 9), integer(-9, 9), integer(-9, 9));
        }
      }
      s.positions.push_back(origin + r);
    }
    return s;
  }

 private:
  Mat3 general(double low, double high) {
    for (;;) {
      Mat3 cell;
      for (int d = 0; d < 3; ++d) {
        cell.row(d) = vector(1.0).normalized().transpose() * uniform(low, high);
      }
      const double lengths = cell.row(0).norm() * cell.row(1).norm() * cell.row(2).norm();
      if (std::abs(cell.determinant()) > 0.15 * lengths) {
        return cell;
      }
    }
  }

  std::mt19937_64 engine_;
};

}  // namespace ipfit::test
