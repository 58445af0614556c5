#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/output/error_report.h"
#include "manager/solve/solve_fit.h"

namespace ipfit {

int solve_command(const std::string& directory, bool quiet) {
  const auto summary = solve_fit(FitDirectory{directory}, "default");
  if (!summary) {
    return report(summary.errors());
  }
  if (quiet) {
    return 0;
  }
  print(summary->was_there
            ? fmt::format("{} columns: solved before, nothing to do\n", summary->columns)
            : fmt::format("{} rows x {} columns: {}, {:.1f} s\n{}{}", summary->rows, summary->columns, summary->status,
                          summary->seconds, summary->one_body, summary->one_body.empty() ? "" : "\n"));
  if (!summary->was_there) {
    print(fmt::format("for its errors: ipfit fit {}/fit.toml --out {}\n", directory, directory));
  }
  return 0;
}

int errors_command(const std::string& directory, bool quiet) {
  const auto table = write_error_report(FitDirectory{directory}, "default");
  if (!table) {
    return report(table.errors());
  }
  if (!quiet) {
    print(*table);
  }
  return 0;
}

}  // namespace ipfit
