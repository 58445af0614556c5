#include "worker/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "common/atoms/element.h"

namespace ipfit {
namespace {

constexpr int kBinBits = 21;  // three numbers of bins in one 64-bit word
constexpr double kMostBins = double{1 << kBinBits} - 2.0;

// Bins; covers the rounding of coordinates, which is below 1e-9 of a bin for the largest number of bins.
constexpr double kMargin = 1e-6;

std::int64_t floor_to_int(double value) {
  return static_cast<std::int64_t>(std::floor(value));
}

std::string name(std::int32_t atom, std::uint8_t species) {
  return fmt::format("{} ({})", atom + 1, element_symbol(species));
}

}  // namespace

Status NeighbourSearch::check_positions(const Structure& structure) const {
  for (std::size_t i = 0; i < structure.positions.size(); ++i) {
    const Vec3& r = structure.positions[i];
    if (!r.allFinite() || r.cwiseAbs().maxCoeff() > kLargestLength) {
      return Error{ErrorKind::kFailed, "",
                   fmt::format("position ({}, {}, {}) Å of atom {} is not finite or beyond {} Å", r.x(), r.y(), r.z(),
                               name(static_cast<std::int32_t>(i), structure.species[i]), kLargestLength),
                   "correct it or leave this structure out"};
    }
  }
  return Done{};
}

Status NeighbourSearch::prepare(const Structure& structure, double cutoff) {
  cutoff_ = cutoff;
  if (Status status = check_positions(structure); !status) {
    return status;
  }
  Result<Lattice> lattice = lattice_of(structure.cell, structure.pbc);
  if (!lattice) {
    return lattice.errors();
  }
  lattice_ = *lattice;
  species_ = structure.species;
  wrap(structure);
  sort(structure);
  return Done{};
}

void NeighbourSearch::wrap(const Structure& structure) {
  wrapped_.resize(structure.positions.size());
  coordinates_.resize(structure.positions.size());
  for (std::size_t i = 0; i < wrapped_.size(); ++i) {
    // Relative to an atom, so that a structure far from the origin is as exact as one at the origin.
    const Vec3 r = structure.positions[i] - structure.positions[0];
    const Vec3 along = lattice_.inverse.transpose() * r;
    Vec3 whole = Vec3::Zero();
    for (int direction = 0; direction < lattice_.periodic; ++direction) {
      whole[direction] = std::floor(along[direction]);
    }
    wrapped_[i] = r - lattice_.vectors.transpose() * whole;
    coordinates_[i] = along - whole;
  }
}

NeighbourSearch::Axis NeighbourSearch::make_axis(int direction, double lowest, double highest) const {
  Axis axis;
  axis.periodic = direction < lattice_.periodic;
  const double height = lattice_.height(direction);  // Å per unit of the coordinate
  const double extent = axis.periodic ? height : highest - lowest;
  const double bins = std::clamp(std::floor(extent / cutoff_), 1.0, kMostBins);
  axis.bins = static_cast<std::int64_t>(bins);
  axis.origin = axis.periodic ? 0.0 : lowest;
  axis.bins_per_unit = axis.periodic ? bins : bins / std::max(extent, cutoff_);
  axis.reach = cutoff_ / height * axis.bins_per_unit;
  return axis;
}

std::size_t NeighbourSearch::bucket(std::uint64_t bin) const {
  // Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4): the upper bits of bin * 2^64 / golden
  // ratio.
  return static_cast<std::size_t>(bin * 0x9e3779b97f4a7c15ULL >> hash_shift_);
}

void NeighbourSearch::sort(const Structure& structure) {
  const std::size_t atoms = wrapped_.size();
  Vec3 lowest = Vec3::Zero();
  Vec3 highest = Vec3::Zero();
  for (const Vec3& coordinate : coordinates_) {
    lowest = lowest.cwiseMin(coordinate);
    highest = highest.cwiseMax(coordinate);
  }
  for (int direction = 0; direction < 3; ++direction) {
    axes_[static_cast<std::size_t>(direction)] = make_axis(direction, lowest[direction], highest[direction]);
  }
  for (Vec3& coordinate : coordinates_) {
    for (int d = 0; d < 3; ++d) {
      const Axis& axis = axes_[static_cast<std::size_t>(d)];
      coordinate[d] = (coordinate[d] - axis.origin) * axis.bins_per_unit;
    }
  }
  const int bits = std::max(1, static_cast<int>(std::bit_width(2 * atoms)));
  hash_shift_ = 64 - bits;
  // Counting sort: counts become the ends of the buckets, and filling from the back turns ends into starts.
  first_of_bucket_.assign((std::size_t{1} << bits) + 1, 0);
  bins_.resize(atoms);
  for (std::size_t i = 0; i < atoms; ++i) {
    bins_[i] = bin_of(coordinates_[i]);
    ++first_of_bucket_[bucket(bins_[i])];
  }
  std::partial_sum(first_of_bucket_.begin(), first_of_bucket_.end(), first_of_bucket_.begin());
  sorted_.resize(atoms);
  for (std::size_t i = atoms; i-- > 0;) {
    const std::uint32_t place = --first_of_bucket_[bucket(bins_[i])];
    sorted_[place] = {wrapped_[i], bins_[i], static_cast<std::int32_t>(i), structure.species[i]};
  }
}

std::uint64_t NeighbourSearch::bin_of(const Vec3& coordinates) const {
  std::uint64_t packed = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t bin = floor_to_int(coordinates[static_cast<Eigen::Index>(d)]);
    packed = packed << kBinBits | static_cast<std::uint64_t>(std::clamp<std::int64_t>(bin, 0, axes_[d].bins - 1));
  }
  return packed;
}

bool NeighbourSearch::collect(std::int32_t centre, bool home_image, const Vec3& shift, std::uint64_t bin) {
  const std::size_t b = bucket(bin);
  const Vec3 position = wrapped_[static_cast<std::size_t>(centre)];
  const double cutoff_squared = cutoff_ * cutoff_;
  for (std::size_t p = first_of_bucket_[b]; p < first_of_bucket_[b + 1]; ++p) {
    const Sorted& other = sorted_[p];
    if (other.bin != bin || (home_image && other.atom == centre)) {
      continue;
    }
    // In this order of operations r changes its sign exactly when the two atoms change roles.
    const Vec3 r = (other.position - position) + shift;
    const double squared = r.squaredNorm();
    if (squared >= cutoff_squared) {
      continue;
    }
    const double distance = std::sqrt(squared);
    if (distance >= cutoff_) {
      continue;
    }
    found_.push_back({r, distance, other.atom, other.species});
    if (distance < kShortestDistance || found_.size() > kMostNeighbours) {
      return false;
    }
  }
  return true;
}

Error NeighbourSearch::irregular(std::int32_t centre) const {
  const Neighbour& last = found_.back();
  const std::string first = name(centre, species_[static_cast<std::size_t>(centre)]);
  const std::string remedy = "correct this structure or leave it out";
  if (last.distance >= kShortestDistance) {
    return {ErrorKind::kFailed, "",
            fmt::format("atom {} has more than {} neighbours within {} Å: the cell is far too small", first,
                        kMostNeighbours, cutoff_),
            remedy};
  }
  const std::string pair = last.atom == centre ? fmt::format("atom {} and its own periodic image", first)
                                               : fmt::format("atoms {} and {}", first, name(last.atom, last.species));
  return {ErrorKind::kFailed, "",
          fmt::format("{} are {:.3g} Å apart, closer than {} Å", pair, last.distance, kShortestDistance), remedy};
}

NeighbourSearch::Reach NeighbourSearch::reach(const Axis& axis, double coordinate) const {
  Reach reach{floor_to_int(coordinate - axis.reach - kMargin), floor_to_int(coordinate + axis.reach + kMargin)};
  if (!axis.periodic) {
    reach.first = std::clamp<std::int64_t>(reach.first, 0, axis.bins - 1);
    reach.last = std::clamp<std::int64_t>(reach.last, 0, axis.bins - 1);
  }
  return reach;
}

template <class Visit>
bool NeighbourSearch::for_each_bin(int direction, const Reach& reach, Visit visit) const {
  const std::int64_t bins = axes_[static_cast<std::size_t>(direction)].bins;
  const Vec3 vector = lattice_.vectors.row(direction).transpose();
  for (std::int64_t bin = reach.first; bin <= reach.last; ++bin) {
    const std::int64_t image = bin / bins - (bin % bins < 0 ? 1 : 0);
    if (!visit(static_cast<std::uint64_t>(bin - image * bins), image == 0, Vec3(static_cast<double>(image) * vector))) {
      return false;
    }
  }
  return true;
}

Result<std::span<const Neighbour>> NeighbourSearch::of(std::int32_t atom) {
  found_.clear();
  const Vec3& at = coordinates_[static_cast<std::size_t>(atom)];
  const std::array<Reach, 3> reaches{reach(axes_[0], at[0]), reach(axes_[1], at[1]), reach(axes_[2], at[2])};
  const bool regular = for_each_bin(0, reaches[0], [&](std::uint64_t x, bool home_x, const Vec3& shift_x) {
    return for_each_bin(1, reaches[1], [&](std::uint64_t y, bool home_y, const Vec3& shift_y) {
      return for_each_bin(2, reaches[2], [&](std::uint64_t z, bool home_z, const Vec3& shift_z) {
        return collect(atom, home_x && home_y && home_z, shift_x + shift_y + shift_z,
                       (x << kBinBits | y) << kBinBits | z);
      });
    });
  });
  if (!regular) {
    return irregular(atom);
  }
  return std::span<const Neighbour>(found_);
}

}  // namespace ipfit
