#include "manager/output/compared.h"

#include <fmt/format.h>

#include "common/checksum.h"
#include "common/file_system.h"
#include "common/lsq/targets.h"
#include "common/model/model.h"

namespace ipfit {
namespace {

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

}  // namespace

Result<StoreReader> open_predictions(const FitDirectory& directory, const std::string& name) {
  auto predictions = StoreReader::open(directory.predictions(name));
  if (!predictions) {
    return predictions;
  }
  if (Status same = check_potential(directory, name, *predictions); !same) {
    return same.errors();
  }
  if (Status complete = predictions->check_complete(); !complete) {
    return complete.errors();
  }
  if (Status whole = predictions->verify(); !whole) {
    return whole.errors();
  }
  return predictions;
}

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

Status for_each_compared(const std::vector<Structure>& structures, const StoreReader& predictions,
                         const std::set<std::size_t>& aside, const std::function<void(const Compared&)>& visit) {
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
      visit({structure, mask, labels, predicted});
    }
  }
  return Done{};
}

}  // namespace ipfit
