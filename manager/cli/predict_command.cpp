#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "common/atoms/element.h"
#include "common/atoms/extxyz.h"
#include "common/atoms/extxyz_write.h"
#include "common/atoms/key_use.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/lsq/targets.h"
#include "common/model/model.h"
#include "manager/cli/commands.h"
#include "manager/cli/load_potential.h"
#include "manager/cli/local_run.h"
#include "manager/cli/output.h"
#include "manager/cli/scratch.h"
#include "manager/output/committee_file.h"
#include "manager/output/error_table.h"
#include "manager/plan/fit_directory.h"
#include "manager/run/phase.h"
#include "manager/store/store_reader.h"
#include "proto/structure_codec.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

Status check_elements(const Structure& structure, const Model& model) {
  for (const std::uint8_t species : structure.species) {
    if (std::ranges::count(elements_of(model.basis), species) == 0) {
      return Error{ErrorKind::kInput, fmt::format("{}:{}", structure.source.file, structure.source.line),
                   fmt::format("frame {} contains {}, which this potential does not know", structure.source.frame,
                               element_symbol(species)),
                   "remove the structure, or fit a potential with this element"};
    }
  }
  return Done{};
}

// The keys of the fit, where the file has them; else those of the documented lists.
Result<KeyUse> choose_keys(const PredictOptions& options) {
  if (fs::is_directory(options.potential)) {
    if (const auto spec = load_fit_file(FitDirectory{options.potential}.fit_file())) {
      auto use = discover_keys({options.structures}, spec->data.keys);
      if (use) {
        return use;
      }
    }
  }
  return discover_keys({options.structures}, {});
}

// The structures as a data set; labels, where there are any, come along for the error table.
Result<std::vector<Structure>> take_in(const PredictOptions& options, const Model& model, const std::string& dataset) {
  const auto use = choose_keys(options);
  if (!use) {
    return use.errors();
  }
  if (!options.quiet) {
    print(use->text() + "\n");
  }
  auto structures = read_extxyz(options.structures, use->keys);
  if (!structures) {
    return structures;
  }
  std::string records;
  for (Structure& structure : *structures) {
    structure.set = DataSet::kTest;
    if (Status known = check_elements(structure, model); !known) {
      return known.errors();
    }
    const auto record = encode_structure(structure);
    records.append(reinterpret_cast<const char*>(record.data()), record.size());
  }
  if (Status written = write_file_durably(dataset, records); !written) {
    return written.errors();
  }
  return structures;
}

/// The predicted rows of one structure, a row of every kind that it can have.
struct Predicted {
  RowMask mask;
  std::vector<double> rows;

  Labels labels(std::int64_t atoms) const {
    const double* row = rows.data();
    Labels labels;
    labels.energy = *row++;
    for (std::int64_t atom = 0; atom < atoms; ++atom, row += 3) {
      labels.forces.emplace_back(row[0], row[1], row[2]);
    }
    if (mask.virial) {
      std::copy_n(row, 6, labels.virial.emplace().begin());
    }
    return labels;
  }

  /// Only the rows of the kinds in `wanted`, in row order.
  std::vector<double> only(RowMask wanted, std::int64_t atoms) const {
    const auto forces_end = rows.begin() + 1 + 3 * atoms;
    std::vector<double> some;
    if (wanted.energy) {
      some.push_back(rows[0]);
    }
    if (wanted.forces) {
      some.insert(some.end(), rows.begin() + 1, forces_end);
    }
    if (wanted.virial) {
      some.insert(some.end(), forces_end, rows.end());
    }
    return some;
  }
};

void compare(const Structure& structure, const Predicted& predicted, ErrorTable& table) {
  const RowMask mask = mask_of(structure);
  std::vector<double> labels(static_cast<std::size_t>(row_count(structure.size(), mask)));
  fill_targets(structure, mask, {}, labels);
  table.add(structure.set, structure.config_type, structure.size(), mask, labels,
            predicted.only(mask, structure.size()));
}

/// Root mean square, over the members of a committee, of what they predict less what the potential predicts.
std::vector<double> deviations_of(const std::vector<double>& rows, const std::vector<std::vector<double>>& members) {
  std::vector<double> out(rows.size(), 0.0);
  for (const std::vector<double>& member : members) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double difference = member[row] - rows[row];
      out[row] += difference * difference / static_cast<double>(members.size());
    }
  }
  for (double& value : out) {
    value = std::sqrt(value);
  }
  return out;
}

Result<std::vector<double>> read_rows(const StoreReader& store, RowRange rows) {
  std::vector<double> out(static_cast<std::size_t>(rows.count));
  if (Status read = store.read(rows, out); !read) {
    return read.errors();
  }
  return out;
}

/// Writes the structures with their predictions; gives the errors where there are labels. `committee`: the predictions
/// of its members, none where no uncertainty is asked for.
Result<ErrorTable> write_predictions(const std::vector<Structure>& structures, const StoreReader& store,
                                     const std::vector<StoreReader>& committee, const std::string& out) {
  std::ofstream file(out);
  if (!file) {
    return Error{ErrorKind::kStorage, out, fmt::format("cannot be written: {}", std::strerror(errno)),
                 "choose another --out"};
  }
  ErrorTable table;
  std::int64_t first = 0;
  for (Structure structure : structures) {
    Predicted predicted{{true, true, structure.fully_periodic()}, {}};
    const RowRange rows{first, row_count(structure.size(), predicted.mask)};
    first += rows.count;
    auto values = read_rows(store, rows);
    if (!values) {
      return values.errors();
    }
    predicted.rows = std::move(*values);
    std::vector<std::vector<double>> members;
    for (const StoreReader& member : committee) {
      auto of_member = read_rows(member, rows);
      if (!of_member) {
        return of_member.errors();
      }
      members.push_back(std::move(*of_member));
    }
    compare(structure, predicted, table);
    structure.labels = predicted.labels(structure.size());
    const Labels deviations =
        Predicted{predicted.mask, deviations_of(predicted.rows, members)}.labels(structure.size());
    write_extxyz(file, structure, {}, committee.empty() ? nullptr : &deviations);
  }
  file.close();
  if (!file) {
    return Error{ErrorKind::kStorage, out, "cannot be written", "make space or choose another --out"};
  }
  return table;
}

Result<std::vector<Model>> load_committee(const std::string& potential, const Model& model) {
  const std::string path = fs::path(potential).replace_filename("coefficients.json").string();
  const auto text = read_file(path);
  return text ? read_committee(*text, path, model) : Result<std::vector<Model>>(text.errors());
}

/// All rows of all structures, as the potential predicts them. Errors: what ended the run; an empty list where a person
/// did.
Result<StoreReader> evaluate(const PredictOptions& options, const Model& model, std::string_view doing,
                             const std::string& dataset, const std::string& store, StopSignals& signals) {
  LocalOptions local;
  local.id = "predict";
  local.slots = options.workers > 0 ? options.workers : default_slots();
  local.quiet = options.quiet;
  local.doing = doing;
  const auto outcome = run_locally(
      {PhaseStep{Phase::kErrors, [&] { return prepare_phase(dataset, model, store, PhaseRows::kEverything); }}}, local,
      signals, Log::nowhere());
  if (!outcome) {
    return outcome.errors();
  }
  if (outcome->interrupted) {
    return std::vector<Error>{};
  }
  if (outcome->status.state != FitState::kDone) {
    return outcome->status.errors;
  }
  return StoreReader::open(store);
}

bool has_errors(const ErrorTable& table) {
  return std::ranges::any_of(table.of(DataSet::kTest).total.kinds,
                             [](const ErrorSums& kind) { return kind.count > 0; });
}

}  // namespace

int predict_command(const PredictOptions& options) {
  StopSignals signals;
  if (std::error_code ignored; !options.out.empty() && fs::equivalent(options.out, options.structures, ignored)) {
    return report({{ErrorKind::kUsage, options.out, "is the input: its labels would be lost", "choose another --out"}});
  }
  const std::string potential =
      fs::is_directory(options.potential) ? FitDirectory{options.potential}.potential("default") : options.potential;
  const auto model = load_potential(potential);
  if (!model) {
    return report(model.errors());
  }
  const auto committee = options.uncertainty ? load_committee(potential, *model) : std::vector<Model>{};
  if (!committee) {
    return report(committee.errors());
  }
  const auto scratch = ScratchDirectory::make();
  if (!scratch) {
    return report(scratch.errors());
  }
  const std::string dataset = scratch->file("dataset.bin");
  auto structures = take_in(options, *model, dataset);
  if (!structures) {
    return report(structures.errors());
  }
  const auto store = evaluate(options, *model, "predicting", dataset, scratch->file("predictions"), signals);
  if (!store) {
    return store.errors().empty() ? kInterrupted : report(store.errors());
  }
  std::vector<StoreReader> members;
  for (std::size_t i = 0; i < committee->size(); ++i) {
    auto member = evaluate(options, (*committee)[i], fmt::format("committee, {} of {}", i + 1, committee->size()),
                           dataset, scratch->file(fmt::format("member-{}", i)), signals);
    if (!member) {
      return member.errors().empty() ? kInterrupted : report(member.errors());
    }
    members.push_back(std::move(*member));
  }
  const std::string out =
      options.out.empty() ? fs::path(options.structures).replace_extension(".predicted.xyz").string() : options.out;
  const auto table = write_predictions(*structures, *store, members, out);
  if (!table) {
    return report(table.errors());
  }
  if (!options.quiet) {
    print(has_errors(*table) ? errors_text("Predictions against labels", table->of(DataSet::kTest)) + "\n" : "");
    print(fmt::format("{} structures: {}\n", structures->size(), out));
  }
  return 0;
}

}  // namespace ipfit
