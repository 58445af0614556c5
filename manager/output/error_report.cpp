#include "manager/output/error_report.h"

#include <set>
#include <span>
#include <vector>

#include "common/file_system.h"
#include "common/lsq/targets.h"
#include "common/model/model.h"
#include "manager/output/error_table.h"
#include "manager/output/stored_predictions.h"
#include "manager/plan/dataset_index.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

ErrorTable compare(const std::vector<Structure>& structures, std::span<const double> predictions,
                   const std::vector<QuarantineRecord>& quarantined) {
  std::set<std::size_t> aside;
  for (const QuarantineRecord& record : quarantined) {
    aside.insert(record.structure);
  }
  ErrorTable table;
  std::vector<double> labels;
  std::size_t first = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const Structure& structure = structures[i];
    const RowMask mask = mask_of(structure);
    const auto count = static_cast<std::size_t>(row_count(structure.size(), mask));
    if (!aside.contains(i)) {
      labels.resize(count);
      fill_targets(structure, mask, {}, labels);
      table.add(structure.set, structure.config_type, structure.size(), mask, labels,
                predictions.subspan(first, count));
    }
    first += count;
  }
  return table;
}

}  // namespace

Result<std::string> write_error_report(const FitDirectory& directory, const std::string& name) {
  const auto potential_text = read_file(directory.potential(name));
  if (!potential_text) {
    return potential_text.errors();
  }
  const auto potential = read_model(*potential_text, directory.potential(name));
  if (!potential) {
    return potential.errors();
  }
  auto system = StoreReader::open(directory.system());
  if (!system) {
    return system.errors();
  }
  auto structures = read_dataset(directory.dataset());
  if (!structures) {
    return structures.errors();
  }
  const auto predictions = predict_rows(*system, *structures, *potential);
  if (!predictions) {
    return predictions.errors();
  }
  if (Status kept = keep_predictions(directory, name, system->identity(), *potential, *predictions); !kept) {
    return kept.errors();
  }
  const ErrorTable table = compare(*structures, *predictions, system->quarantined());
  std::string text = errors_text(table);
  if (Status written = write_file_durably(directory.errors_json(name), errors_json(table)); !written) {
    return written.errors();
  }
  if (Status written = write_file_durably(directory.errors_text(name), text); !written) {
    return written.errors();
  }
  return text;
}

}  // namespace ipfit
