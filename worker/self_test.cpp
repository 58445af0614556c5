#include "worker/self_test.h"

#include "common/model/probe.h"
#include "worker/evaluate.h"

namespace ipfit {

std::vector<double> self_test() {
  const Structure structure = probe_structure();
  const RowMask all{true, true, true};
  std::vector<std::vector<double>> rows;
  std::vector<std::int64_t> columns;
  for (const Model& model : probe_models()) {
    Evaluator evaluator(model);
    columns.push_back(evaluator.columns());
    rows.emplace_back(static_cast<std::size_t>(row_count(structure.size(), all) * evaluator.columns()));
    if (!evaluator.evaluate(structure, all, rows.back())) {
      return {};
    }
  }
  std::vector<double> numbers;
  for (const auto& [model, row, column, value] : probe_entries()) {
    numbers.push_back(rows[model][static_cast<std::size_t>(row * columns[model] + column)]);
  }
  return numbers;
}

}  // namespace ipfit
