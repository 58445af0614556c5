#include "manager/plan/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "common/atoms/dataset_summary.h"
#include "common/atoms/element.h"
#include "common/atoms/extxyz.h"
#include "common/atoms/key_use.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/assembly_model.h"
#include "common/fit/repulsion.h"
#include "common/lsq/one_body.h"
#include "common/lsq/targets.h"
#include "manager/plan/split.h"
#include "proto/structure_codec.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> resolve(const std::vector<std::string>& files, const std::string& base) {
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    paths.push_back((fs::path(base) / file).lexically_normal());
  }
  return paths;
}

/// What is gathered while the structures pass by.
struct Pass {
  Imported imported;
  DatasetSummary train;
  DatasetSummary validation;
  DatasetSummary test;
  std::map<std::uint8_t, Source> first_seen;  ///< by element
  std::vector<Composition> compositions;      ///< of the training structures
  StructureIndex index;
  Fingerprinter hash;

  Status take(const Structure& structure, const RecordSink& sink) {
    const std::vector<std::byte> record = encode_structure(structure);
    hash.add(record);
    if (Status put = sink(record); !put) {
      return put;
    }
    imported.structures.push_back(index.next(structure, record.size()));
    for (const std::uint8_t species : structure.species) {
      first_seen.try_emplace(species, structure.source);
    }
    if (structure.set == DataSet::kTrain) {
      train.add(structure);
      compositions.push_back(composition_of(structure));
      ++imported.train_count;
    } else {
      (structure.set == DataSet::kTest ? test : validation).add(structure);
    }
    return Done{};
  }
};

using Visit = std::function<Status(Structure& structure)>;

/// Visits the structures of some files, one after the other.
Status read_files(const std::vector<std::string>& paths, const LabelKeys& keys, const Visit& visit) {
  for (const std::string& path : paths) {
    auto reader = ExtxyzReader::open(path, keys);
    if (!reader) {
      return reader.errors();
    }
    for (;;) {
      auto next = reader->next();
      if (!next) {
        return next.errors();
      }
      if (!next->has_value()) {
        break;
      }
      // Without its directory, so that the same data are the same wherever they lie and whoever names them.
      (*next)->source.file = fs::path(path).filename();
      if (Status taken = visit(**next); !taken) {
        return taken;
      }
    }
  }
  return Done{};
}

/// The files of each set, with their directories.
struct Files {
  std::vector<std::string> train;
  std::vector<std::string> validation;
  std::vector<std::string> test;

  std::vector<std::string> all() const {
    std::vector<std::string> names = train;
    names.insert(names.end(), validation.begin(), validation.end());
    names.insert(names.end(), test.begin(), test.end());
    return names;
  }
};

/// Takes the structures of all files, those of a set side by side. Where a share of the training data is kept for
/// validation its files are read three times, since the choice depends on all of them and none is held in memory.
Status read_sets(const Files& files, const DataSpec& spec, const LabelKeys& keys, const RecordSink& sink, Pass& pass) {
  std::optional<Split> split;
  if (spec.validation_fraction > 0.0) {
    split.emplace(spec.validation_fraction, spec.validation_seed);
    const Status read = read_files(files.train, keys, [&](Structure& structure) -> Status {
      split->add(structure);
      return Done{};
    });
    if (!read) {
      return read;
    }
    split->settle();
  }
  const auto take = [&](const std::vector<std::string>& names, DataSet set, std::optional<bool> apart) {
    return read_files(names, keys, [&, set, apart](Structure& structure) -> Status {
      if (apart && split->kept_apart(structure) != *apart) {
        return Done{};
      }
      structure.set = set;
      return pass.take(structure, sink);
    });
  };
  Status read = take(files.train, DataSet::kTrain, split ? std::optional(false) : std::nullopt);
  if (read && split) {
    read = take(files.train, DataSet::kValidation, true);
  }
  if (read) {
    read = take(files.validation, DataSet::kValidation, std::nullopt);
  }
  return read ? take(files.test, DataSet::kTest, std::nullopt) : read;
}

// Elements that the fit file leaves out are those of the training data, by atomic number.
void resolve_elements(FitSpec& spec, const DatasetSummary& train) {
  std::vector<std::uint8_t>& elements = elements_of(spec.basis);
  if (elements.empty()) {
    for (const auto& [element, atoms] : train.atoms_by_element()) {
      elements.push_back(element);
    }
  }
}

// Weights for a group that is not there are a misspelt name, and would be missed without a word.
std::vector<Error> check_weight_groups(const WeightsSpec& weights, const DatasetSummary& train) {
  std::vector<std::string_view> known;
  for (const auto& [name, group] : train.groups()) {
    known.push_back(name);
  }
  std::vector<Error> errors;
  for (const auto& [name, group] : weights.groups) {
    if (std::ranges::count(known, name) == 0) {
      errors.push_back(
          {ErrorKind::kInput, fmt::format("[weights.{}]", name),
           fmt::format("no training structure has the group \"{}\"; there are: {}", name, fmt::join(known, ", ")),
           "mend the name or remove the section"});
    }
  }
  return errors;
}

// Otherwise it would be found after the assembly.
std::vector<Error> check_validation(const FitSpec& spec, const DatasetSummary& validation) {
  if (spec.solver.strength != StrengthRule::kValidation || validation.all().structures > 0) {
    return {};
  }
  return {{ErrorKind::kInput, "[solver]", "chooses by a validation set, but no structure is kept for validation",
           "add validation = [\"FILE.xyz\"] or a larger validation_fraction to [data]"}};
}

std::vector<Error> check_elements(const FitSpec& spec, const Pass& pass) {
  std::vector<Error> errors;
  for (const auto& [element, source] : pass.first_seen) {
    if (std::ranges::count(elements_of(spec.basis), element) == 0) {
      errors.push_back({ErrorKind::kInput, fmt::format("{}:{}", source.file, source.line),
                        fmt::format("frame {} contains {}, which is not among the elements of the basis", source.frame,
                                    element_symbol(element)),
                        fmt::format("add \"{}\" to elements in [basis], or remove the structures that contain it",
                                    element_symbol(element))});
    }
  }
  return errors;
}

// What can be known only when all data have been read: the elements, and what is made of them.
Status settle_model(Pass& pass) {
  FitSpec& spec = pass.imported.spec;
  resolve_elements(spec, pass.train);
  if (std::vector<Error> foreign = check_elements(spec, pass); !foreign.empty()) {
    return foreign;
  }
  auto reference = resolve_zbl(spec.reference, elements_of(spec.basis));
  if (!reference) {
    return reference.errors();
  }
  spec.reference = std::move(*reference);
  auto model = assembly_model(spec);
  if (!model) {
    return model.errors();
  }
  spec.basis = with_cutoff(spec.basis, model->basis);
  pass.imported.model = std::move(*model);
  pass.train.count_isolated(pass.imported.model.cutoff());
  pass.validation.count_isolated(pass.imported.model.cutoff());
  pass.test.count_isolated(pass.imported.model.cutoff());
  return Done{};
}

}  // namespace

Result<Imported> import_data(const FitSpec& spec, const std::string& base, const RecordSink& sink) {
  const Files files{resolve(spec.data.train, base), resolve(spec.data.validation, base), resolve(spec.data.test, base)};
  const auto use = discover_keys(files.all(), spec.data.keys);
  if (!use) {
    return use.errors();
  }

  Pass pass;
  if (Status read = read_sets(files, spec.data, use->keys, sink, pass); !read) {
    return read.errors();
  }
  std::vector<Error> errors = check_labels(pass.train, spec.data.keys);
  std::ranges::move(check_weight_groups(spec.weights, pass.train), std::back_inserter(errors));
  std::ranges::move(check_validation(spec, pass.validation), std::back_inserter(errors));
  pass.imported.spec = spec;
  pass.imported.spec.data.keys = use->keys;
  if (Status settled = settle_model(pass); !settled) {
    std::ranges::copy(settled.errors(), std::back_inserter(errors));
  }
  std::string note;
  if (errors.empty()) {
    const Model& model = pass.imported.model;
    const auto one_body =
        one_body_energies(spec.reference, elements_of(model.basis), pass.compositions, model.cutoff());
    if (one_body) {
      note = one_body->note.empty() ? "" : one_body->note + "\n";
    } else {
      errors = one_body.errors();
    }
  }
  if (!errors.empty()) {
    return errors;
  }
  pass.imported.hash = pass.hash.digest();
  const auto part = [](const char* title, const DatasetSummary& summary) {
    return summary.all().structures == 0 ? "" : fmt::format("\n{} data\n{}", title, summary.text());
  };
  pass.imported.report = use->text() + part("training", pass.train) + part("validation", pass.validation) +
                         part("test", pass.test) + note + "\n";
  return std::move(pass.imported);
}

Result<Imported> import_to(const FitDirectory& directory, const FitSpec& spec, const std::string& base) {
  auto file = File::open(directory.partial_dataset(), File::Mode::kCreate);
  if (!file) {
    return file.errors();
  }
  // Records are small; written one by one they would cost more in system calls than in bytes.
  constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
  std::vector<std::byte> buffer;
  std::uint64_t written = 0;
  const auto flush = [&]() -> Status {
    Status put = file->write_at(written, std::span<const std::byte>(buffer));
    written += buffer.size();
    buffer.clear();
    return put;
  };
  auto imported = import_data(spec, base, [&](std::span<const std::byte> record) -> Status {
    buffer.insert(buffer.end(), record.begin(), record.end());
    return buffer.size() < kBufferBytes ? Status(Done{}) : flush();
  });
  if (!imported) {
    return imported;
  }
  if (Status put = flush(); !put) {
    return put.errors();
  }
  if (Status synced = file->sync(); !synced) {
    return synced.errors();
  }
  return imported;
}

Status keep_dataset(const FitDirectory& directory) {
  std::error_code error;
  fs::rename(directory.partial_dataset(), directory.dataset(), error);
  if (error) {
    return Error{ErrorKind::kStorage, directory.dataset(), "cannot be made: " + error.message(), ""};
  }
  return sync_directory(directory.path);
}

}  // namespace ipfit
