#include "manager/output/error_report.h"

#include "common/file_system.h"
#include "manager/output/compared.h"
#include "manager/output/error_table.h"
#include "manager/plan/dataset_index.h"

namespace ipfit {

Result<std::string> write_error_report(const FitDirectory& directory, const std::string& name) {
  const auto predictions = open_predictions(directory, name);
  if (!predictions) {
    return predictions.errors();
  }
  const auto structures = read_dataset(directory.dataset(), predictions->identity().dataset);
  if (!structures) {
    return structures.errors();
  }
  ErrorTable table;
  const Status compared =
      for_each_compared(*structures, *predictions, set_aside(directory, *predictions), [&](const Compared& one) {
        table.add(one.structure.set, one.structure.config_type, one.structure.size(), one.mask, one.labels,
                  one.predictions);
      });
  if (!compared) {
    return compared.errors();
  }
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
