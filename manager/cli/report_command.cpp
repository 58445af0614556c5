#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/cli/solution_name.h"
#include "manager/output/report/report.h"

namespace ipfit {

int report_command(const std::string& directory, const std::string& solution, bool quiet) {
  if (Status good = check_solution_name("--solution", solution); !good) {
    return report(good.errors());
  }
  const FitDirectory fit{directory};
  if (const Status written = write_report(fit, solution); !written) {
    return report(written.errors());
  }
  if (!quiet) {
    print(fmt::format("report: {}\nas text: {}\n", fit.report_html(solution), fit.report_text(solution)));
  }
  return 0;
}

}  // namespace ipfit
