#include "worker/basis/ace/ace_plan.h"

#include <algorithm>
#include <limits>

#include "common/model/limits.h"

namespace ipfit {
namespace {

/// Neighbouring functions that an element takes no part in are carried along up to this many, rather than starting
/// anew.
constexpr std::int64_t kSmallGap = kSide;

// A place among the gradients fits TermView: a function has at most so many components, with kSide places each where
// its batch has no other lane. Terms, rows, and orbits times kSide are fewer.
static_assert(kMostColumns * AceSpec::kLargestRank * (2 * AceSpec::kLargestDegree + 1) * kSide <=
              std::numeric_limits<std::int32_t>::max());
static_assert(kMostCouplingWeights * kSide <= std::numeric_limits<std::int32_t>::max());

ShapeTable make_table(const AceShape& shape) {
  ShapeTable table;
  table.coupling = coupling_of(shape);
  for (std::size_t t = 0; t < shape.l.size(); ++t) {
    if (!shape.same[t]) {
      table.l.push_back(shape.l[t]);
      table.first_component.push_back(table.components);
      table.components += 2 * shape.l[t] + 1;
    }
    table.factor.push_back(static_cast<std::int32_t>(table.l.size()) - 1);
  }
  for (const auto& m : table.coupling.m) {
    for (std::size_t t = 0; t < shape.l.size(); ++t) {
      const auto label = static_cast<std::size_t>(table.factor[t]);
      table.entry.push_back(static_cast<std::int16_t>(table.first_component[label] + table.l[label] + m[t]));
    }
  }
  return table;
}

/// The rows of one centre: labels in the order of element, l, n; each has 2l + 1.
class Rows {
 public:
  Rows(const AceSpec& spec, const std::vector<const AceMultiset*>& multisets, CentrePlan& plan) {
    std::vector<AceLabel> labels;
    for (const AceMultiset* multiset : multisets) {
      labels.insert(labels.end(), multiset->labels.begin(), multiset->labels.end());
    }
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    plan.neighbours.resize(spec.elements.size());
    for (std::size_t element = 0; element < spec.elements.size(); ++element) {
      NeighbourPlan& neighbours = plan.neighbours[element];
      neighbours.first_row = plan.rows;
      for (const AceLabel& label : labels) {
        if (label.element != element) {
          continue;
        }
        row_of_[label] = plan.rows;
        neighbours.labels.push_back({label.n - 1, label.l, neighbours.rows});
        neighbours.l_max = std::max<std::int32_t>(neighbours.l_max, label.l);
        neighbours.rows += 2 * label.l + 1;
        plan.rows += 2 * label.l + 1;
      }
    }
  }
  std::int32_t of(const AceLabel& label) const { return row_of_.at(label); }

 private:
  std::map<AceLabel, std::int32_t> row_of_;
};

/// Appends the columns of a batch to the runs of the elements that take part in them.
void append_terms(const std::vector<const AceMultiset*>& lanes, const ShapeTable& table, const BatchView& batch,
                  const Rows& rows, CentrePlan& plan) {
  for (std::size_t element = 0; element < plan.neighbours.size(); ++element) {
    NeighbourPlan& neighbours = plan.neighbours[element];
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      for (std::int32_t k = 0; k < batch.count; ++k) {
        const std::size_t before = neighbours.terms.size();
        for (std::size_t t = 0; t < lanes[lane]->labels.size(); ++t) {
          const AceLabel& label = lanes[lane]->labels[t];
          const bool seen = t > 0 && table.factor[t] == table.factor[t - 1];
          if (seen || label.element != element) {
            continue;
          }
          const std::int32_t component = table.first_component[static_cast<std::size_t>(table.factor[t])];
          const std::int64_t gradient =
              batch.first_gradient + (std::int64_t{k} * table.components + component) * kSide + static_cast<int>(lane);
          neighbours.terms.push_back(
              {rows.of(label) - neighbours.first_row, static_cast<std::int32_t>(gradient), 2 * label.l + 1});
        }
        if (neighbours.terms.size() == before) {
          continue;
        }
        const std::int64_t column = batch.first_column + static_cast<std::int64_t>(lane) * batch.count + k;
        if (neighbours.runs.empty() ||
            column - (neighbours.runs.back().first_column + neighbours.runs.back().functions) >= kSmallGap) {
          neighbours.runs.push_back({column, 0, nullptr});
        }
        RunView& run = neighbours.runs.back();
        for (; run.first_column + run.functions <= column; ++run.functions) {
          neighbours.first_terms.push_back(static_cast<std::int32_t>(before));
        }
      }
    }
  }
}

/// Each run has one entry more than functions in `first_terms`: the end of the last one.
void close_runs(NeighbourPlan& neighbours) {
  std::vector<std::int32_t> with_ends;
  std::size_t next = 0;
  for (RunView& run : neighbours.runs) {
    for (std::int64_t f = 0; f < run.functions; ++f) {
      with_ends.push_back(neighbours.first_terms[next++]);
    }
    with_ends.push_back(next < neighbours.first_terms.size() ? neighbours.first_terms[next]
                                                             : static_cast<std::int32_t>(neighbours.terms.size()));
  }
  neighbours.first_terms = std::move(with_ends);
  const std::int32_t* first = neighbours.first_terms.data();
  for (RunView& run : neighbours.runs) {
    run.first_term = first;
    first += run.functions + 1;
  }
}

void plan_centre(const AceSpec& spec, const std::vector<const AceMultiset*>& multisets, AcePlan& plan,
                 CentrePlan& centre) {
  const Rows rows(spec, multisets, centre);
  for (std::size_t begin = 0; begin < multisets.size();) {
    const AceShape shape = shape_of(*multisets[begin]);
    auto [found, is_new] = plan.shapes.try_emplace(shape);
    if (is_new) {
      found->second = make_table(shape);
    }
    const ShapeTable& table = found->second;
    std::size_t end = begin + 1;
    while (end < multisets.size() && end - begin < kSide && shape_of(*multisets[end]) == shape) {
      ++end;
    }
    const std::vector<const AceMultiset*> lanes(multisets.begin() + static_cast<std::ptrdiff_t>(begin),
                                                multisets.begin() + static_cast<std::ptrdiff_t>(end));
    BatchView batch{};
    batch.rank = static_cast<std::int32_t>(shape.l.size());
    batch.distinct = static_cast<std::int32_t>(table.l.size());
    batch.count = table.coupling.count;
    batch.orbits = static_cast<std::int32_t>(table.coupling.m.size());
    batch.lanes = static_cast<std::int32_t>(lanes.size());
    batch.components = table.components;
    batch.l = table.l.data();
    batch.entry = table.entry.data();
    batch.weights = table.coupling.weights.data();
    batch.first_column = centre.columns;
    batch.first_gradient = centre.gradients;
    for (std::size_t t = 0; t < shape.l.size(); ++t) {
      for (std::size_t lane = 0; !shape.same[t] && lane < kSide; ++lane) {
        centre.batch_rows.push_back(rows.of(lanes[std::min(lane, lanes.size() - 1)]->labels[t]));
      }
    }
    append_terms(lanes, table, batch, rows, centre);
    centre.columns += std::int64_t{batch.lanes} * batch.count;
    centre.gradients += std::int64_t{batch.count} * batch.components * kSide;
    const std::int64_t packs = 2 * batch.components + batch.count + 2 * std::int64_t{batch.count} * batch.components;
    centre.scratch = std::max(centre.scratch, std::max<std::int64_t>(packs, 4 * batch.components) * kSide);
    centre.batches.push_back(batch);
    begin = end;
  }
  std::size_t first = 0;
  for (BatchView& batch : centre.batches) {
    batch.row = centre.batch_rows.data() + first;
    first += static_cast<std::size_t>(batch.distinct * kSide);
  }
  for (NeighbourPlan& neighbours : centre.neighbours) {
    close_runs(neighbours);
  }
}

}  // namespace

std::unique_ptr<const AcePlan> make_ace_plan(const AceSpec& spec) {
  auto plan = std::make_unique<AcePlan>();
  plan->centres.resize(spec.elements.size());
  for (std::size_t centre = 0; centre < spec.elements.size(); ++centre) {
    std::vector<const AceMultiset*> multisets;
    for (const AceMultiset& multiset : spec.multisets) {
      if (multiset.centre == centre) {
        multisets.push_back(&multiset);
      }
    }
    plan->centres[centre].first_column = plan->columns;
    plan_centre(spec, multisets, *plan, plan->centres[centre]);
    plan->columns += plan->centres[centre].columns;
  }
  return plan;
}

std::vector<double> summed_couplings(const CentrePlan& plan, const double* coefficients) {
  std::vector<double> out;
  for (const BatchView& batch : plan.batches) {
    for (std::int32_t o = 0; o < batch.orbits; ++o) {
      for (std::int32_t lane = 0; lane < kSide; ++lane) {
        double total = 0.0;
        for (std::int32_t k = 0; lane < batch.lanes && k < batch.count; ++k) {
          total += coefficients[batch.first_column + std::int64_t{lane} * batch.count + k] *
                   batch.weights[std::int64_t{k} * batch.orbits + o];
        }
        out.push_back(total);
      }
    }
  }
  return out;
}

}  // namespace ipfit
