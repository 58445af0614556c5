#pragma once

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit::test {

struct ImageNeighbour {
  std::int32_t atom;
  Vec3 r;
};

/// The neighbours of an atom by trying every atom in every image that could be near: slow, obvious, and with nothing in
/// common with worker/neighbours. Non-periodic directions have the single image 0.
inline std::vector<ImageNeighbour> image_neighbours(const Structure& s, std::int32_t centre, double cutoff) {
  std::vector<ImageNeighbour> found;
  Mat3 cell = s.cell;
  // A direction without images only needs some vector that makes the cell invertible.
  for (int pass = 0; pass < 2; ++pass) {
    for (int d = 0; d < 3; ++d) {
      if (!s.pbc[static_cast<std::size_t>(d)]) {
        const Vec3 a = cell.row((d + 1) % 3).transpose();
        const Vec3 b = cell.row((d + 2) % 3).transpose();
        Vec3 normal = a.cross(b);
        if (normal.norm() < 1e-6) {
          const Vec3& along = a.norm() > b.norm() ? a : b;
          normal = along.norm() > 1e-6 ? along.unitOrthogonal() : Vec3::Unit(d);
        }
        cell.row(d) = normal.normalized().transpose();
      }
    }
  }
  const Mat3 inverse = cell.inverse();
  for (std::int32_t j = 0; j < s.size(); ++j) {
    const Vec3 apart = s.positions[static_cast<std::size_t>(j)] - s.positions[static_cast<std::size_t>(centre)];
    const Vec3 along = inverse.transpose() * apart;
    long low[3] = {0, 0, 0};
    long high[3] = {0, 0, 0};
    for (int d = 0; d < 3; ++d) {
      if (s.pbc[static_cast<std::size_t>(d)]) {
        const double reach = cutoff * inverse.col(d).norm();
        low[d] = static_cast<long>(std::floor(-along[d] - reach)) - 1;
        high[d] = static_cast<long>(std::ceil(-along[d] + reach)) + 1;
      }
    }
    for (long x = low[0]; x <= high[0]; ++x) {
      for (long y = low[1]; y <= high[1]; ++y) {
        for (long z = low[2]; z <= high[2]; ++z) {
          const Vec3 r =
              apart + s.cell.transpose() * Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
          if ((j != centre || x != 0 || y != 0 || z != 0) && r.norm() < cutoff) {
            found.push_back({j, r});
          }
        }
      }
    }
  }
  return found;
}

}  // namespace ipfit::test
