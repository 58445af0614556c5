#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/output/comparison.h"

namespace ipfit {

int compare_command(const CompareOptions& options) {
  const auto solutions = read_solutions(FitDirectory{options.directory});
  if (!solutions) {
    return report(solutions.errors());
  }
  if (options.json) {
    print(comparison_json(*solutions));
    return 0;
  }
  print(comparison_text(*solutions));
  for (const SolutionSummary& solution : *solutions) {
    if (solution.errors.is_null()) {
      print(fmt::format("no errors of {} yet: ipfit errors {} --solution {}\n", solution.name, options.directory,
                        solution.name));
    }
  }
  return 0;
}

}  // namespace ipfit
