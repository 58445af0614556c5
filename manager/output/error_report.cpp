#include "manager/output/error_report.h"

#include <set>
#include <span>
#include <vector>

#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/lsq/targets.h"
#include "common/lsq/weights.h"
#include "common/model/model.h"
#include "manager/output/stored_predictions.h"
#include "manager/plan/dataset_index.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

ErrorReport compare(const std::vector<Structure>& structures, std::span<const double> predictions,
                    const std::vector<QuarantineRecord>& quarantined, const WeightsSpec& weights) {
  std::set<std::size_t> aside;
  for (const QuarantineRecord& record : quarantined) {
    aside.insert(record.structure);
  }
  ErrorReport report;
  std::vector<double> labels;
  std::vector<double> row_weights;
  std::size_t first = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const Structure& structure = structures[i];
    const std::string& group = structure.config_type;
    const RowMask mask = mask_of(structure);
    const auto count = static_cast<std::size_t>(row_count(structure.size(), mask));
    const std::span<const double> predicted = predictions.subspan(first, count);
    first += count;
    if (aside.contains(i)) {
      continue;
    }
    labels.resize(count);
    fill_targets(structure, mask, {}, labels);
    report.errors.add(structure.set, group, structure.size(), mask, labels, predicted);
    if (structure.set == DataSet::kTrain) {
      row_weights.resize(count);
      fill_weights(weights_of(weights, group), structure, mask, row_weights);
      report.contributions.add(group, structure.size(), mask, row_weights, labels, predicted);
    }
  }
  return report;
}

Result<Model> potential_of(const FitDirectory& directory, const std::string& name) {
  const auto text = read_file(directory.potential(name));
  return text ? read_model(*text, directory.potential(name)) : Result<Model>(text.errors());
}

}  // namespace

std::string ErrorReport::text() const {
  const std::string left_out = left_out_text(contributions);
  return errors_text(errors) + (left_out.empty() ? "" : "\n" + left_out);
}

Result<ErrorReport> write_error_report(const FitDirectory& directory, const std::string& name) {
  const auto potential = potential_of(directory, name);
  if (!potential) {
    return potential.errors();
  }
  const auto spec = load_fit_file(directory.fit_file_of(name));
  if (!spec) {
    return spec.errors();
  }
  auto system = StoreReader::open(directory.system());
  if (!system) {
    return system.errors();
  }
  const auto structures = read_dataset(directory.dataset());
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
  ErrorReport report = compare(*structures, *predictions, system->quarantined(), spec->weights);
  const std::string json = errors_json(report.errors, &report.contributions);
  if (Status written = write_file_durably(directory.errors_json(name), json); !written) {
    return written.errors();
  }
  if (Status written = write_file_durably(directory.errors_text(name), report.text()); !written) {
    return written.errors();
  }
  return report;
}

}  // namespace ipfit
