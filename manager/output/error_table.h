#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"
#include "manager/output/contributions.h"

namespace ipfit {

/// Errors of one kind: |prediction - label| in the unit of the table (energy and virial meV/atom, forces eV/Å), summed.
struct ErrorSums {
  double absolute = 0.0;
  double squared = 0.0;
  std::int64_t count = 0;  ///< energies; force components; virial components

  double mae() const;   ///< mean absolute error; count > 0
  double rmse() const;  ///< root of the mean squared error; count > 0
};

/// Errors of some structures, by kind (index: Kind).
struct GroupErrors {
  std::array<ErrorSums, kKinds> kinds;
  std::int64_t structures = 0;

  const ErrorSums& of(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

struct SetErrors {
  GroupErrors total;
  std::map<std::string, GroupErrors> groups;
};

/// Errors of a potential on training, validation and test structures, in total and by group. Sums run in the order of
/// the add calls: the same order gives the same bits.
class ErrorTable {
 public:
  /// Adds one structure of `atoms` atoms. `labels` and `predictions` are its rows in the order of
  /// common/lsq/observation.h (eV, eV/Å, eV; one-body energies included in both or in neither), row_count(atoms, mask)
  /// each, finite.
  void add(DataSet set, const std::string& group, std::int64_t atoms, RowMask mask, std::span<const double> labels,
           std::span<const double> predictions);

  const SetErrors& of(DataSet set) const { return sets_[static_cast<std::size_t>(set)]; }

 private:
  std::array<SetErrors, kDataSets> sets_;
};

/// errors.json (docs/reference/errors-json.md); contributions where they are known.
std::string errors_json(const ErrorTable& table, const Contributions* contributions = nullptr);

/// errors.txt: the same for people, for a terminal of 100 columns. Groups in alphabetical order, the total last.
std::string errors_text(const ErrorTable& table);

/// The part of one set alone, under a title of at most 33 characters.
std::string errors_text(std::string_view title, const SetErrors& set);

}  // namespace ipfit
