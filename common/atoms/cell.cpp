#include "common/atoms/cell.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ipfit {
namespace {

std::vector<Vec3> periodic_vectors(const Mat3& cell, const std::array<bool, 3>& pbc) {
  std::vector<Vec3> out;
  for (int i = 0; i < 3; ++i) {
    if (pbc[static_cast<std::size_t>(i)]) {
      out.push_back(cell.row(i).transpose());
    }
  }
  return out;
}

// Length, area or volume; 1 for no vector.
double extent(const std::vector<Vec3>& vectors) {
  switch (vectors.size()) {
    case 0:
      return 1.0;
    case 1:
      return vectors[0].norm();
    case 2:
      return vectors[0].cross(vectors[1]).norm();
    default:
      return std::abs(vectors[0].dot(vectors[1].cross(vectors[2])));
  }
}

}  // namespace

double cell_volume(const Mat3& cell) {
  return extent(periodic_vectors(cell, {true, true, true}));
}

bool cell_spans(const Mat3& cell, const std::array<bool, 3>& pbc) {
  constexpr double kFlat = 1e-6;
  const std::vector<Vec3> vectors = periodic_vectors(cell, pbc);
  double product = 1.0;
  for (const Vec3& vector : vectors) {
    product *= vector.norm();
  }
  return vectors.empty() || (std::isfinite(product) && product > 0.0 && extent(vectors) > kFlat * product);
}

double image_distance(const Structure& structure) {
  if (structure.size() != 1) {
    return 0.0;
  }
  const std::vector<Vec3> vectors = periodic_vectors(structure.cell, structure.pbc);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    std::vector<Vec3> others = vectors;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    nearest = std::min(nearest, extent(vectors) / extent(others));
  }
  return nearest;
}

}  // namespace ipfit
