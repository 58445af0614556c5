#include "worker/task_reduction.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <utility>

#include "common/lsq/column_kernel_choice.h"
#include "common/lsq/reduced_row.h"

namespace ipfit {
namespace {

// As in reduce_rows(): a multiple of the height of the kernel's tiles.
constexpr Eigen::Index kPanelRows = 744;
// Rows that are transposed at a time: a divisor of it that the kernel likes.
constexpr std::int64_t kStagedRows = 24;
static_assert(kPanelRows % kStagedRows == 0 && kStagedRows % kColumnSide == 0);

}  // namespace

TaskSets task_sets(std::span<const Structure> structures, std::span<const RowMask> masks, std::int64_t columns) {
  assert(structures.size() == masks.size());
  std::map<std::pair<DataSet, std::string>, std::uint32_t> groups;
  TaskSets out;
  out.members.reserve(structures.size());
  for (std::size_t s = 0; s < structures.size(); ++s) {
    const auto number = static_cast<std::uint32_t>(groups.size());
    const auto group = groups.try_emplace({structures[s].set, structures[s].config_type}, number).first;
    out.members.push_back(set_member(structures[s], masks[s], group->second));
  }
  out.sets = row_sets(out.members, columns);
  return out;
}

TaskReduction::TaskReduction(const Model& model, TaskSets sets, std::span<double> out)
    : elements_(elements_of(model.basis)),
      evaluated_(model.columns()),
      columns_(reduced_columns(model)),
      sets_(std::move(sets)) {
  assert(static_cast<std::int64_t>(out.size()) == kept_rows(sets_.sets) * columns_);
  std::ranges::fill(out, 0.0);  // what excluded structures leave open
  for (const RowSet& set : sets_.sets) {
    Place& place = places_.emplace_back();
    const auto size = static_cast<std::size_t>(set.kept * columns_);
    place.out = out.first(size);
    out = out.subspan(size);
    if (set.rows > set.kept) {
      place.factor.emplace(columns_);
      place.panel.emplace(kPanelRows, columns_);
    }
  }
}

void TaskReduction::add(const Structure& structure, RowMask mask, std::span<const double> rows) {
  const SetMember& member = sets_.members[next_++];
  const auto count = static_cast<std::size_t>(row_count(structure.size(), mask));
  const std::size_t width = elements_.size() + 1;
  const auto evaluated = static_cast<std::size_t>(evaluated_);
  assert(rows.size() == count * evaluated);
  labels_.resize(count * width);
  weights_.resize(count);
  fill_labels(structure, mask, elements_, labels_);
  fill_structure_weights(structure, mask, weights_);
  std::size_t row = 0;
  for (const Kind kind : kAllKinds) {
    const auto end = row + static_cast<std::size_t>(rows_of_kind(member, kind));
    if (row == end) {
      continue;
    }
    Place& place = places_[set_of(sets_.sets, member, kind)];
    for (; row < end; ++row) {
      add_row(place, rows.subspan(row * evaluated, evaluated), std::span(labels_).subspan(row * width, width),
              weights_[row]);
    }
  }
}

void TaskReduction::add_row(Place& place, std::span<const double> row, std::span<const double> labels, double weight) {
  const Eigen::Map<const Eigen::RowVectorXd> numbers(row.data(), static_cast<Eigen::Index>(row.size()));
  const Eigen::Map<const Eigen::RowVectorXd> rest(labels.data(), static_cast<Eigen::Index>(labels.size()));
  double* to = place.out.data() + place.filled * columns_;
  if (place.factor) {
    place.staged.resize(place.staged.size() + static_cast<std::size_t>(columns_));
    to = place.staged.data() + place.staged.size() - columns_;
  } else {
    ++place.filled;
  }
  Eigen::Map<Eigen::RowVectorXd>(to, columns_) << weight * numbers, weight * rest;
  if (static_cast<std::int64_t>(place.staged.size()) == kStagedRows * columns_) {
    move_staged(place);
  }
}

void TaskReduction::move_staged(Place& place) {
  const auto rows = static_cast<std::int64_t>(place.staged.size()) / columns_;
  column_kernel().transpose(rows, columns_, place.staged.data(), place.panel->from(place.filled, 0));
  place.staged.clear();
  place.filled += rows;
  if (place.filled == kPanelRows) {
    absorb_rows(*place.factor, *place.panel, kPanelRows);
    place.filled = 0;
  }
}

void TaskReduction::finish() {
  for (Place& place : places_) {
    if (!place.factor) {
      continue;
    }
    move_staged(place);
    if (place.filled > 0) {
      // Rows of the panel before this one may be left below.
      place.panel->matrix().bottomRows(kPanelRows - place.filled).setZero();
      absorb_rows(*place.factor, *place.panel, place.filled);
    }
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(place.out.data(), columns_, columns_) =
        place.factor->u.matrix().triangularView<Eigen::Upper>();
  }
}

}  // namespace ipfit
