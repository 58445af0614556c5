#include <fmt/format.h>

#include <filesystem>

#include "common/file_system.h"
#include "common/log.h"
#include "manager/cli/commands.h"
#include "manager/cli/fit_setup.h"
#include "manager/cli/local_run.h"
#include "manager/cli/output.h"
#include "manager/plan/sizes.h"

namespace ipfit {

int fit_command(const FitOptions& options) {
  StopSignals signals;
  auto file = load_fit_file(options.file);
  if (!file) {
    return report(file.errors());
  }
  const std::string out =
      options.out.empty() ? std::filesystem::path(options.file).replace_extension(".fit").string() : options.out;
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
    const auto table = read_file(setup->directory.errors_text("default"));
    print(table ? *table : "");
    for (const std::string& bad : outcome->status.quarantined) {
      print("set aside: " + bad + "\n");
    }
    print(fmt::format("\nresults: {}\n  predict with: ipfit predict {} STRUCTURES.xyz\n",
                      setup->directory.solution("default"), out));
  }
  return 0;
}

}  // namespace ipfit
