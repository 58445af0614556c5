#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"

namespace ipfit {

/// What a structure gives to be reduced (`assembly.keep = "reduced"`): its rows, and with which others they may be
/// mixed.
struct SetMember {
  std::uint32_t group = 0;  ///< any number that tells apart structures of another config_type or data set
  std::int64_t atoms = 0;
  RowMask mask;
  std::array<bool, kKinds> own{false, false, false};  ///< kinds that have weights of the structure itself
  bool operator==(const SetMember&) const = default;
};
/// The kinds in the order of the rows of a structure.
inline constexpr std::array<Kind, kKinds> kAllKinds{Kind::kEnergy, Kind::kForces, Kind::kVirial};

SetMember set_member(const Structure& structure, RowMask mask, std::uint32_t group);

/// How many rows of a kind the structure has.
std::int64_t rows_of_kind(const SetMember& structure, Kind kind);

/// Rows of one task that every solution multiplies by the same weight, so that their triangular factor says as much as
/// they do: those of one group and kind, apart for structures that bring weights of their own.
struct RowSet {
  std::uint32_t group = 0;
  Kind kind = Kind::kEnergy;
  bool own = false;
  std::int64_t rows = 0;  ///< of the structures
  std::int64_t kept = 0;  ///< min(rows, columns): those of the factor, or all of them where they are not more
  bool operator==(const RowSet&) const = default;
};

/// The sets of a task, in the order in which they first appear; energies before forces before virials of a structure.
/// `columns`: of the rows that are reduced, those for labels included (reduced_columns).
std::vector<RowSet> row_sets(std::span<const SetMember> structures, std::int64_t columns);

/// Which of the sets has the rows of this kind of a structure; sets.size() where none has.
std::size_t set_of(std::span<const RowSet> sets, const SetMember& structure, Kind kind);

/// The rows that a task of these sets leaves.
std::int64_t kept_rows(std::span<const RowSet> sets);

}  // namespace ipfit
