#include "manager/output/error_report.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "common/checksum.h"
#include "common/file_system.h"
#include "common/lsq/targets.h"
#include "common/model/model.h"
#include "manager/output/error_table.h"
#include "manager/plan/dataset_index.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

/// The structures that were set aside while rows were evaluated or while they were predicted.
std::set<std::size_t> set_aside(const FitDirectory& directory, const StoreReader& predictions) {
  std::set<std::size_t> aside;
  for (const QuarantineRecord& record : predictions.quarantined()) {
    aside.insert(record.structure);
  }
  if (const auto system = StoreReader::open(directory.system())) {
    for (const QuarantineRecord& record : system->quarantined()) {
      aside.insert(record.structure);
    }
  }
  return aside;
}

/// Predictions of another potential say nothing of this one.
Status check_potential(const FitDirectory& directory, const std::string& name, const StoreReader& predictions) {
  const auto text = read_file(directory.potential(name));
  if (!text) {
    return text.errors();
  }
  const auto potential = read_model(*text, directory.potential(name));
  if (!potential) {
    return potential.errors();
  }
  if (predictions.identity().model != fingerprint(write_model(*potential))) {
    return Error{ErrorKind::kRefused, directory.predictions(name),
                 "belong to another potential than the one beside them",
                 fmt::format("predict with the new one: ipfit fit {} --out {}", directory.fit_file(), directory.path)};
  }
  return Done{};
}

Result<ErrorTable> compare(const std::vector<Structure>& structures, const StoreReader& predictions,
                           const std::set<std::size_t>& aside) {
  ErrorTable table;
  std::vector<double> labels;
  std::vector<double> predicted;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const Structure& structure = structures[i];
    const RowMask mask = mask_of(structure);
    const std::int64_t count = row_count(structure.size(), mask);
    labels.resize(static_cast<std::size_t>(count));
    predicted.resize(static_cast<std::size_t>(count));
    if (Status read = predictions.read({first, count}, predicted); !read) {
      return read.errors();
    }
    first += count;
    if (!aside.contains(i)) {
      fill_targets(structure, mask, {}, labels);
      table.add(structure.set, structure.config_type, structure.size(), mask, labels, predicted);
    }
  }
  return table;
}

}  // namespace

Result<std::string> write_error_report(const FitDirectory& directory, const std::string& name) {
  auto predictions = StoreReader::open(directory.predictions(name));
  if (!predictions) {
    return predictions.errors();
  }
  if (Status same = check_potential(directory, name, *predictions); !same) {
    return same.errors();
  }
  if (Status complete = predictions->check_complete(); !complete) {
    return complete.errors();
  }
  auto structures = read_dataset(directory.dataset());
  if (!structures) {
    return structures.errors();
  }
  const auto table = compare(*structures, *predictions, set_aside(directory, *predictions));
  if (!table) {
    return table.errors();
  }
  std::string text = errors_text(*table);
  if (Status written = write_file_durably(directory.errors_json(name), errors_json(*table)); !written) {
    return written.errors();
  }
  if (Status written = write_file_durably(directory.errors_text(name), text); !written) {
    return written.errors();
  }
  return text;
}

}  // namespace ipfit
