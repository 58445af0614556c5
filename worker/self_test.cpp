#include "worker/self_test.h"

#include "common/model/probe.h"
#include "worker/evaluate.h"

namespace ipfit {

std::vector<double> self_test() {
  const Structure structure = probe_structure();
  const RowMask all{true, true, true};
  Evaluator evaluator(probe_model());
  std::vector<double> rows(static_cast<std::size_t>(row_count(structure.size(), all) * evaluator.columns()));
  if (!evaluator.evaluate(structure, all, rows)) {
    return {};
  }
  std::vector<double> numbers;
  for (const ProbeEntry& entry : probe_entries()) {
    numbers.push_back(rows[static_cast<std::size_t>(entry.row * evaluator.columns() + entry.column)]);
  }
  return numbers;
}

}  // namespace ipfit
