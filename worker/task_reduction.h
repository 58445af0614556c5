#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/lsq/factor.h"
#include "common/lsq/observation.h"
#include "common/lsq/panel.h"
#include "common/lsq/row_sets.h"
#include "common/model/model.h"

namespace ipfit {

/// The sets of rows that the structures of a task give, excluded ones included: what is left of them has a size that is
/// known before anything is evaluated. `structures` and `masks` are of one length.
struct TaskSets {
  std::vector<SetMember> members;  ///< one for each structure
  std::vector<RowSet> sets;
};
TaskSets task_sets(std::span<const Structure> structures, std::span<const RowMask> masks, std::int64_t columns);

/// Reduces the rows of a task while its structures are evaluated: each set of more rows than columns to its triangular
/// factor, the others as they are, all multiplied by fill_structure_weights. The bits depend on the task alone.
/// Memory: for each set that is factorised a factor and a panel, columns + 744 rows of columns.
class TaskReduction {
 public:
  /// `out`: kept_rows(sets) x reduced_columns(model), row-major; holds the reduced rows after finish().
  TaskReduction(const Model& model, TaskSets sets, std::span<double> out);

  /// The next structure of the task, with its rows as the evaluator fills them: row_count x model.columns(). Excluded
  /// structures are passed over with skip().
  void add(const Structure& structure, RowMask mask, std::span<const double> rows);
  void skip() { ++next_; }

  void finish();

 private:
  /// Where the rows of a set go.
  struct Place {
    std::span<double> out;    ///< kept x columns
    std::int64_t filled = 0;  ///< rows of `out`; with a factor, of `panel`
    std::optional<Factor> factor;
    std::optional<Panel> panel;
    std::vector<double> staged;  ///< rows on their way into the panel, row-major
  };
  void add_row(Place& place, std::span<const double> row, std::span<const double> labels, double weight);
  void move_staged(Place& place);

  std::vector<std::uint8_t> elements_;
  std::int64_t evaluated_;  ///< columns that the evaluator fills
  std::int64_t columns_;
  TaskSets sets_;
  std::vector<Place> places_;
  std::size_t next_ = 0;
  std::vector<double> labels_;
  std::vector<double> weights_;
};

}  // namespace ipfit
