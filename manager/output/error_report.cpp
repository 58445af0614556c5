#include "manager/output/error_report.h"

#include <fmt/format.h>

#include <vector>

#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/model/model.h"
#include "manager/output/compared.h"
#include "manager/output/stored_predictions.h"
#include "manager/plan/dataset_index.h"

namespace ipfit {
namespace {

Error no_predictions(const FitDirectory& directory, const std::string& name) {
  return {ErrorKind::kFailed, directory.predictions(name),
          "there are no predictions of this potential, and reduced rows say nothing of single structures",
          fmt::format("compare with labels: ipfit predict {} FILE.xyz", directory.potential(name))};
}

/// Predictions of the potential for all labels: made of the stored rows and kept, or where rows were reduced those that
/// workers made.
Result<StoreReader> make_predictions(const FitDirectory& directory, const std::string& name,
                                     const std::vector<Structure>& structures, Keep keep) {
  if (keep == Keep::kReduced) {
    auto predictions = open_predictions(directory, name);
    if (!predictions && predictions.error().kind != ErrorKind::kStorage) {
      return no_predictions(directory, name);
    }
    return predictions;
  }
  const auto text = read_file(directory.potential(name));
  if (!text) {
    return text.errors();
  }
  const auto potential = read_model(*text, directory.potential(name));
  if (!potential) {
    return potential.errors();
  }
  const auto system = StoreReader::open(directory.system());
  if (!system) {
    return system.errors();
  }
  const auto predictions = predict_rows(*system, structures, *potential);
  if (!predictions) {
    return predictions.errors();
  }
  if (Status kept = keep_predictions(directory, name, system->identity(), *potential, *predictions); !kept) {
    return kept.errors();
  }
  return open_predictions(directory, name);
}

}  // namespace

std::string ErrorReport::text() const {
  const std::string left_out = left_out_text(contributions);
  return errors_text(errors) + (left_out.empty() ? "" : "\n" + left_out);
}

Result<ErrorReport> write_error_report(const FitDirectory& directory, const std::string& name) {
  const auto spec = load_fit_file(directory.fit_file_of(name));
  if (!spec) {
    return spec.errors();
  }
  const auto evaluated = read_store_identity(directory.system());
  if (!evaluated) {
    return evaluated.errors();
  }
  const auto structures = read_dataset(directory.dataset(), evaluated->dataset);
  if (!structures) {
    return structures.errors();
  }
  const auto predictions = make_predictions(directory, name, *structures, spec->assembly.keep);
  if (!predictions) {
    return predictions.errors();
  }
  ErrorReport report;
  const auto add = [&](const Compared& one) {
    report.errors.add(one.structure.set, one.structure.config_type, one.structure.size(), one.mask, one.labels,
                      one.predictions);
    report.contributions.add(one, spec->weights);
  };
  if (Status compared = for_each_compared(*structures, *predictions, set_aside(directory, *predictions), add);
      !compared) {
    return compared.errors();
  }
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
