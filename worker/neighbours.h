#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/result.h"
#include "worker/basis/basis.h"
#include "worker/lattice.h"

namespace ipfit {

/// Finds all neighbours within a cutoff of every atom, images counted as often as they occur: in cells of any shape,
/// size and handedness, periodic in any directions or none, with atoms inside or outside of the cell.
///
/// Linked cells: atoms are sorted into bins about a cutoff wide along reduced lattice vectors. Bins are found through a
/// hash table of the atoms' number, so memory grows with the atoms only, however far apart they are. Time is
/// proportional to the atoms for matter of ordinary density.
///
/// The order of the neighbours depends on the structure and the cutoff alone. When atom i sees j at r, then j sees i
/// at -r, the same to the last bit. Keeps its buffers from one structure to the next; one object serves one thread.
class NeighbourSearch {
 public:
  /// Sorts the atoms of a structure. Errors (kFailed; `where` is left empty): numbers that are not finite or beyond
  /// kLargestLength, a cell that cannot be periodic as `pbc` says. `cutoff` in Å, > 0.
  Status prepare(const Structure& structure, double cutoff);

  /// The neighbours of an atom (0 <= atom < size) of the prepared structure; valid until the next call.
  /// Errors (kFailed): an atom, or an image of this one, closer than kShortestDistance; more than kMostNeighbours.
  Result<std::span<const Neighbour>> of(std::int32_t atom);

  /// No structure has so many neighbours of one atom unless its cell is wrong.
  static constexpr std::size_t kMostNeighbours = 100'000;

 private:
  struct Sorted {
    Vec3 position;  ///< wrapped into the cell
    std::uint64_t bin;
    std::int32_t atom;
    std::uint8_t species;
  };
  /// Bins along one axis, both ends included; beyond [0, bins) they are images.
  struct Reach {
    std::int64_t first;
    std::int64_t last;
  };

  /// How coordinates along one lattice vector become bins.
  struct Axis {
    std::int64_t bins = 1;
    double bins_per_unit = 1.0;  ///< of the coordinate
    double origin = 0.0;         ///< coordinate of the lower end of bin 0
    double reach = 0.0;          ///< the cutoff, in bins
    bool periodic = false;
  };

  Status check_positions(const Structure& structure) const;
  void wrap(const Structure& structure);
  Axis make_axis(int direction, double lowest, double highest) const;
  void sort(const Structure& structure);
  std::size_t bucket(std::uint64_t bin) const;
  std::uint64_t bin_of(const Vec3& coordinates) const;
  Reach reach(const Axis& axis, double coordinate) const;
  /// Calls visit(bin, whether it is that of the cell itself, shift of its image in Å) until it returns false.
  template <class Visit>
  bool for_each_bin(int direction, const Reach& reach, Visit visit) const;
  /// Appends the atoms of a bin, shifted by `shift`, that are within the cutoff of the centre; false when the last one
  /// found is too close or one too many.
  bool collect(std::int32_t centre, bool home_image, const Vec3& shift, std::uint64_t bin);
  Error irregular(std::int32_t centre) const;

  double cutoff_ = 0.0;
  Lattice lattice_;
  std::array<Axis, 3> axes_;
  std::vector<Vec3> wrapped_;        ///< Å, relative to the first atom
  std::vector<Vec3> coordinates_;    ///< in bins, within [0, bins] of the axes
  std::vector<std::uint64_t> bins_;  ///< per atom
  std::vector<Sorted> sorted_;       ///< by bucket, then by atom
  std::vector<std::uint32_t> first_of_bucket_;
  int hash_shift_ = 63;
  std::vector<std::uint8_t> species_;
  std::vector<Neighbour> found_;
};

}  // namespace ipfit
