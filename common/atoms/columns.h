#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/atoms/comment_line.h"
#include "common/atoms/text_line.h"
#include "common/result.h"

namespace ipfit {

enum class ColumnType { kText, kInteger, kReal, kLogical };

/// What a column is to us; all others are only checked for their type.
enum class ColumnRole {
  kOther,
  kSpecies,       ///< species:S:1, a chemical symbol
  kAtomicNumber,  ///< Z:I:1
  kElement,       ///< first column of a plain file: symbol or atomic number
  kPositions,     ///< pos:R:3, Å
  kForces,        ///< R:3, eV/Å
  kForceSigma,    ///< R:1, > 0, error expected of the force on the atom, eV/Å
  kForceWeight,   ///< R:1, >= 0, weight of the force on the atom, Å/eV
};

/// `count` columns of one name, side by side.
struct ColumnGroup {
  std::string name;
  ColumnType type = ColumnType::kReal;
  std::int64_t count = 1;
  ColumnRole role = ColumnRole::kOther;
};

/// The columns of the atom lines of one frame, in their order.
struct Columns {
  std::vector<ColumnGroup> groups;
  std::int64_t total = 0;        ///< columns of all groups
  bool further_columns = false;  ///< of a plain file: columns behind these may follow and are not read
  bool has_forces = false;
  bool has_force_weights = false;  ///< or sigmas
};

/// The value of Properties, "name:type:count" triplets, with the roles of species, Z and pos, and of the column that is
/// named first in `forces_names` and occurs, and those that weigh forces (own_weights.h). Errors: no triplets, an
/// unknown type, a count below 1, a name given twice, no positions, neither species nor Z, a used column of the wrong
/// type or count.
Result<Columns> parse_properties(const TextLine& line, const KeyValue& properties,
                                 std::span<const std::string_view> forces_names);

/// Of a file without Properties: element x y z.
Columns plain_columns();

}  // namespace ipfit
