#include <fmt/format.h>

#include <filesystem>

#include "common/file_system.h"
#include "common/log.h"
#include "manager/cli/commands.h"
#include "manager/cli/fit_setup.h"
#include "manager/cli/local_run.h"
#include "manager/cli/output.h"
#include "manager/output/solution_files.h"
#include "manager/plan/sizes.h"

namespace ipfit {
namespace {

/// What was done, and how good it is.
std::string summary_text(const FitDirectory& directory, const std::string& assembly) {
  const auto coefficients = read_file(directory.coefficients("default"));
  const auto solution = coefficients ? read_coefficients(*coefficients, directory.coefficients("default"))
                                     : Result<Coefficients>(coefficients.errors());
  const auto table = read_file(directory.errors_text("default"));
  return fmt::format("matrix   {}\nsolved   {}\n\n{}", assembly, solution ? solution->status : "", table ? *table : "");
}

}  // namespace

int fit_command(const FitOptions& options) {
  StopSignals signals;
  auto file = open_fit_file(options.file);
  if (!file) {
    return report(file.errors());
  }
  const std::string out = options.out.empty()
                              ? std::filesystem::path(options.file).filename().replace_extension(".fit").string()
                              : options.out;
  auto setup = set_up(*file, out);
  if (!setup) {
    return report(setup.errors());
  }
  if (!options.quiet) {
    print(setup->data.report + sizes_text(setup->data) + (setup->goes_on ? "going on from " + out + "\n\n" : "\n"));
  }
  LocalOptions local;
  local.id = std::filesystem::path(out).filename().string();
  local.slots = options.workers > 0 ? options.workers : default_slots();
  local.skip_bad_structures = setup->data.spec.assembly.on_bad_structure == BadStructure::kSkip;
  local.quiet = options.quiet;
  const auto outcome = run_locally(fit_steps(setup->directory), local, signals, Log::to_file(setup->directory.log()));
  if (!outcome) {
    return report(outcome.errors());
  }
  if (outcome->interrupted) {
    print("stopped; what is evaluated is kept, and the same command goes on from here\n");
    return kInterrupted;
  }
  if (outcome->status.state != FitState::kDone) {
    return report(outcome->status.errors);
  }
  if (!options.quiet) {
    print(summary_text(setup->directory, outcome->assembly_summary));
    for (const std::string& bad : outcome->status.quarantined) {
      print("set aside: " + bad + "\n");
    }
    print(fmt::format("\nresults: {}\n  look at:      {}\n  predict with: ipfit predict {} STRUCTURES.xyz\n",
                      setup->directory.solution("default"), setup->directory.report_html("default"), out));
    if (std::filesystem::exists(setup->directory.yace("default"))) {
      print(fmt::format("  in LAMMPS:    cd {}; lmp -in {}\n", setup->directory.solution("default"), kLammpsInputName));
    }
  }
  return 0;
}

}  // namespace ipfit
