#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "common/file_system.h"
#include "manager/cli/commands.h"
#include "manager/cli/load_potential.h"
#include "manager/cli/output.h"
#include "manager/cli/solution_name.h"
#include "manager/output/example_structure.h"
#include "manager/output/lammps_files.h"
#include "manager/output/solution_files.h"
#include "manager/plan/dataset_index.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

/// A training structure, where the directory has its data set; results that were fetched from a manager come without.
/// The potential may be one that somebody put there, of other elements than the data: only what it knows is shown.
Result<std::optional<Structure>> training_structure(const FitDirectory& directory, const Model& model) {
  std::error_code ignored;
  if (!fs::exists(directory.dataset(), ignored)) {
    return std::optional<Structure>();
  }
  auto structures = read_dataset(directory.dataset());
  if (!structures) {
    return structures.errors();
  }
  const std::vector<std::uint8_t>& elements = elements_of(model.basis);
  std::erase_if(*structures, [&](const Structure& structure) {
    return structure.set != DataSet::kTrain || !std::ranges::all_of(structure.species, [&](std::uint8_t species) {
             return std::ranges::find(elements, species) != elements.end();
           });
  });
  const auto chosen = choose_example(*structures, model.one_body);
  return chosen ? std::optional(std::move((*structures)[*chosen])) : std::nullopt;
}

/// The fingerprint that coefficients.json gives; empty where it does not.
std::string inputs_of(const FitDirectory& directory, const std::string& solution) {
  const auto text = read_file(directory.coefficients(solution));
  const auto coefficients = text ? read_coefficients(*text, directory.coefficients(solution)) : text.errors();
  return coefficients ? coefficients->inputs : "";
}

Result<LammpsFiles> make_files(const ExportOptions& options, const std::string& potential_name) {
  const FitDirectory directory{options.directory};
  const auto model = load_potential(directory.potential(options.solution));
  if (!model) {
    return model.errors();
  }
  if (Status exportable = check_exportable(model->basis); !exportable) {
    Error error = exportable.error();
    error.where = directory.potential(options.solution);
    return error;
  }
  const auto shown = training_structure(directory, *model);
  if (!shown) {
    return shown.errors();
  }
  return lammps_files(*model, inputs_of(directory, options.solution), *shown, potential_name);
}

/// Writes what is missing: a file of that name may be somebody's own.
Status write_if_missing(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    print(fmt::format("{} is there already, left as it is\n", path.string()));
    return Done{};
  }
  return write_file_durably(path.string(), text);
}

Status write_files(const LammpsFiles& files, const fs::path& out) {
  if (Status written = write_file_durably(out.string(), files.potential); !written) {
    return written;
  }
  if (Status written = write_if_missing(out.parent_path() / kLammpsInputName, files.input); !written) {
    return written;
  }
  return write_if_missing(out.parent_path() / kLammpsStructureName, files.structure);
}

}  // namespace

int export_command(const ExportOptions& options) {
  if (Status good = check_solution_name("--solution", options.solution); !good) {
    return report(good.errors());
  }
  const fs::path out = options.out.empty() ? FitDirectory{options.directory}.yace(options.solution) : options.out;
  if (out.extension() != ".yace") {
    return report({{ErrorKind::kUsage, out.string(), "does not end in .yace, so LAMMPS would not read it",
                    "choose another --out"}});
  }
  const auto files = make_files(options, out.filename().string());
  if (!files) {
    return report(files.errors());
  }
  if (Status written = write_files(*files, out); !written) {
    return report(written.errors());
  }
  const std::string parent = out.parent_path().string();
  print(fmt::format("potential: {}\nto try it: cd {}; lmp -in {}\n", out.string(), parent.empty() ? "." : parent,
                    kLammpsInputName));
  return 0;
}

}  // namespace ipfit
