#include "common/lsq/row_sets.h"

#include <algorithm>

namespace ipfit {

std::int64_t rows_of_kind(const SetMember& structure, Kind kind) {
  return row_count(structure.atoms,
                   {structure.mask.energy && kind == Kind::kEnergy, structure.mask.forces && kind == Kind::kForces,
                    structure.mask.virial && kind == Kind::kVirial});
}

SetMember set_member(const Structure& structure, RowMask mask, std::uint32_t group) {
  return {
      group,
      structure.size(),
      mask,
      {structure.weights.energy.has_value(), !structure.weights.forces.empty(), structure.weights.virial.has_value()}};
}

std::vector<RowSet> row_sets(std::span<const SetMember> structures, std::int64_t columns) {
  std::vector<RowSet> sets;
  for (const SetMember& structure : structures) {
    for (const Kind kind : kAllKinds) {
      const std::int64_t rows = rows_of_kind(structure, kind);
      if (rows == 0) {
        continue;
      }
      const std::size_t at = set_of(sets, structure, kind);
      if (at == sets.size()) {
        sets.push_back({structure.group, kind, structure.own[static_cast<std::size_t>(kind)], 0, 0});
      }
      sets[at].rows += rows;
    }
  }
  for (RowSet& set : sets) {
    set.kept = std::min(set.rows, columns);
  }
  return sets;
}

std::size_t set_of(std::span<const RowSet> sets, const SetMember& structure, Kind kind) {
  const bool own = structure.own[static_cast<std::size_t>(kind)];
  const auto found = std::ranges::find_if(
      sets, [&](const RowSet& set) { return set.group == structure.group && set.kind == kind && set.own == own; });
  return static_cast<std::size_t>(found - sets.begin());
}

std::int64_t kept_rows(std::span<const RowSet> sets) {
  std::int64_t rows = 0;
  for (const RowSet& set : sets) {
    rows += set.kept;
  }
  return rows;
}

}  // namespace ipfit
