#include <fmt/format.h>

#include "common/fit/fit_file.h"
#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/output/comparison.h"

namespace ipfit {

int compare_command(const CompareOptions& options) {
  const FitDirectory directory{options.directory};
  const auto solutions = read_solutions(directory);
  if (!solutions) {
    return report(solutions.errors());
  }
  if (options.json) {
    print(comparison_json(*solutions));
    return 0;
  }
  print(comparison_text(*solutions));
  const auto spec = load_fit_file(directory.fit_file());
  const bool reduced = spec && spec->assembly.keep == Keep::kReduced;
  for (const SolutionSummary& solution : *solutions) {
    if (solution.errors.is_null()) {
      print(reduced ? fmt::format("no errors of {}, since only reduced rows were kept: ipfit predict {} FILE.xyz\n",
                                  solution.name, directory.potential(solution.name))
                    : fmt::format("no errors of {} yet: ipfit errors {} --solution {}\n", solution.name,
                                  options.directory, solution.name));
    }
  }
  return 0;
}

}  // namespace ipfit
