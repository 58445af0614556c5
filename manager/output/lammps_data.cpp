#include "manager/output/lammps_data.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "common/atoms/element.h"

namespace ipfit {
namespace {

// Rounding of a cell that was meant to be rectangular, in Å; written as what it was meant to be, LAMMPS is faster.
constexpr double kNoTilt = 1e-12;

/// What is left of v across all of some orthonormal vectors; twice, since the first pass leaves rounding.
Vec3 across(Vec3 v, const std::vector<Vec3>& orthonormal) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const Vec3& e : orthonormal) {
      v -= e.dot(v) * e;
    }
  }
  return v;
}

/// Unit vectors for the directions without images, across the periodic ones and each other.
Mat3 fill_directions(Mat3 cell, const std::array<bool, 3>& pbc) {
  std::vector<Vec3> orthonormal;
  for (int d = 0; d < 3; ++d) {
    if (pbc[static_cast<std::size_t>(d)]) {
      orthonormal.push_back(across(cell.row(d).transpose(), orthonormal).normalized());
    }
  }
  for (int d = 0; d < 3; ++d) {
    if (!pbc[static_cast<std::size_t>(d)]) {
      Vec3 longest = Vec3::Zero();
      for (int axis = 0; axis < 3; ++axis) {
        const Vec3 left = across(Vec3::Unit((d + axis) % 3), orthonormal);
        longest = left.norm() > longest.norm() + 1e-6 ? left : longest;
      }
      orthonormal.push_back(longest.normalized());
      cell.row(d) = orthonormal.back().transpose();
    }
  }
  return cell;
}

double extent(const std::vector<Vec3>& positions, const Vec3& direction) {
  double low = 0.0, high = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double along = direction.dot(positions[i] - positions[0]);
    low = std::min(low, along);
    high = std::max(high, along);
  }
  return high - low;
}

/// Rows that span the same lattice, in a frame where the matrix is lower triangular with a positive diagonal.
/// `rotation` takes vectors to that frame.
struct Triangular {
  Mat3 cell;
  Mat3 rotation;
};

Triangular triangular(Mat3 cell) {
  if (cell.determinant() < 0.0) {
    cell.row(2) *= -1.0;
  }
  const Vec3 a = cell.row(0).transpose();
  const Vec3 b = cell.row(1).transpose();
  const Vec3 e1 = a.normalized();
  const Vec3 e3 = a.cross(b).normalized();
  const Vec3 e2 = e3.cross(e1);
  Mat3 rotation;
  rotation << e1.transpose(), e2.transpose(), e3.transpose();
  Mat3 turned = cell * rotation.transpose();
  turned(0, 1) = turned(0, 2) = turned(1, 2) = 0.0;
  turned.row(1) -= std::round(turned(1, 0) / turned(0, 0)) * turned.row(0);
  turned.row(2) -= std::round(turned(2, 1) / turned(1, 1)) * turned.row(1);
  turned.row(2) -= std::round(turned(2, 0) / turned(0, 0)) * turned.row(0);
  for (double* tilt : {&turned(1, 0), &turned(2, 0), &turned(2, 1)}) {
    *tilt = std::abs(*tilt) < kNoTilt ? 0.0 : *tilt;
  }
  return {turned, rotation};
}

std::string box_lines(const Mat3& cell) {
  std::string text =
      fmt::format("0.0 {} xlo xhi\n0.0 {} ylo yhi\n0.0 {} zlo zhi\n", cell(0, 0), cell(1, 1), cell(2, 2));
  if (cell(1, 0) != 0.0 || cell(2, 0) != 0.0 || cell(2, 1) != 0.0) {
    text += fmt::format("{} {} {} xy xz yz\n", cell(1, 0), cell(2, 0), cell(2, 1));
  }
  return text;
}

/// Without line ends and other control characters.
std::string one_line(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  return text;
}

}  // namespace

Structure in_lammps_cell(const Structure& structure, double vacuum) {
  Mat3 cell = fill_directions(structure.cell, structure.pbc);
  for (int d = 0; d < 3; ++d) {
    if (!structure.pbc[static_cast<std::size_t>(d)]) {
      const Vec3 direction = cell.row(d).transpose();
      cell.row(d) *= extent(structure.positions, direction) + 1.01 * vacuum;
    }
  }
  const Triangular lammps = triangular(cell);
  Structure out = structure;
  out.cell = lammps.cell;
  out.pbc = {true, true, true};
  const Mat3 to_fractions = lammps.cell.inverse().transpose();
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    // Relative to the first atom, which loses no digits where structures lie far from the origin.
    const Vec3 fractions = to_fractions * (lammps.rotation * (structure.positions[i] - structure.positions[0]));
    out.positions[i] = lammps.cell.transpose() * (fractions - fractions.array().floor().matrix());
  }
  out.labels = {};
  return out;
}

std::string lammps_data(const Structure& structure, const std::vector<std::uint8_t>& elements,
                        const std::string& title) {
  std::string text = fmt::format("# {}\n\n{} atoms\n{} atom types\n\n{}\nMasses\n\n", one_line(title), structure.size(),
                                 elements.size(), box_lines(structure.cell));
  for (std::size_t type = 0; type < elements.size(); ++type) {
    fmt::format_to(std::back_inserter(text), "{} {}  # {}\n", type + 1, atomic_mass(elements[type]),
                   element_symbol(elements[type]));
  }
  text += "\nAtoms  # atomic\n\n";
  for (std::size_t i = 0; i < structure.species.size(); ++i) {
    const auto found = std::ranges::find(elements, structure.species[i]);
    assert(found != elements.end());
    const Vec3& r = structure.positions[i];
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", i + 1, found - elements.begin() + 1, r.x(), r.y(),
                   r.z());
  }
  return text;
}

}  // namespace ipfit
