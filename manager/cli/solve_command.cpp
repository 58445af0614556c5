#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/cli/solution_name.h"
#include "manager/output/compared.h"
#include "manager/output/error_report.h"
#include "manager/plan/dataset_index.h"
#include "manager/solve/solve_fit.h"

namespace ipfit {
namespace {

constexpr const char* kDefault = "default";

Status check_options(const SolveOptions& options) {
  if (!options.name.empty()) {
    if (Status good = check_solution_name("--name", options.name); !good) {
      return good;
    }
  }
  if (options.changes.any() && (options.name.empty() || options.name == kDefault)) {
    return Error{ErrorKind::kUsage, "--name", "is needed for a solution that differs from fit.toml",
                 "give it a name, for example --name try2; \"default\" is the one of fit.toml"};
  }
  return Done{};
}

/// Two commands at once would mix the files of one solution.
Result<FileLock> lock_solution(const FitDirectory& directory, const std::string& name) {
  if (Status made = make_directories(directory.solution(name)); !made) {
    return made.errors();
  }
  return lock_file(directory.lock_of(name));
}

Result<std::set<std::string>> training_groups(const FitDirectory& directory) {
  const auto structures = read_dataset(directory.dataset());
  if (!structures) {
    return structures.errors();
  }
  std::set<std::string> groups;
  for (const Structure& structure : *structures) {
    if (structure.set == DataSet::kTrain) {
      groups.insert(structure.config_type);
    }
  }
  return groups;
}

Result<FitSpec> wanted_spec(const FitDirectory& directory, const SolutionChanges& changes) {
  auto spec = load_fit_file(directory.fit_file());
  if (!spec || !changes.any()) {
    return spec;
  }
  const auto groups = training_groups(directory);
  return groups ? with_changes(*spec, changes, *groups) : Result<FitSpec>(groups.errors());
}

void print_summary(const SolveSummary& summary) {
  print(summary.was_there
            ? fmt::format("{} columns: solved before, nothing to do\n", summary.columns)
            : fmt::format("{} rows x {} columns: {}, {:.1f} s\n{}{}", summary.rows, summary.columns, summary.status,
                          summary.seconds, summary.one_body, summary.one_body.empty() ? "" : "\n"));
}

/// Whether nothing can be said of single structures: rows were reduced, and workers have not predicted with this
/// potential.
bool errors_are_unknown(const FitDirectory& directory, const std::string& name, const FitSpec& spec) {
  if (spec.assembly.keep != Keep::kReduced) {
    return false;
  }
  const auto predictions = open_predictions(directory, name);
  return !predictions && predictions.error().kind != ErrorKind::kStorage;  // damage is to be reported
}

/// The error table and the report of a solution; gives the exit code.
int make_errors(const FitDirectory& directory, const std::string& name, bool verbose, bool quiet) {
  const auto errors = write_error_report(directory, name);
  if (!errors) {
    return report(errors.errors());
  }
  if (!quiet) {
    print(errors->text() + (verbose ? "\n" + contributions_text(errors->contributions) : ""));
  }
  return report_command(directory.path, name, true);
}

}  // namespace

int solve_command(const SolveOptions& options) {
  if (Status good = check_options(options); !good) {
    return report(good.errors());
  }
  const FitDirectory directory{options.directory};
  const std::string name = options.name.empty() ? kDefault : options.name;
  const auto spec = wanted_spec(directory, options.changes);
  if (!spec) {
    return report(spec.errors());
  }
  const auto lock = lock_solution(directory, name);
  if (!lock) {
    return report(lock.errors());
  }
  const auto summary = solve_fit(directory, name, *spec);
  if (!summary) {
    return report(summary.errors());
  }
  if (!options.quiet) {
    print_summary(*summary);
  }
  if (options.errors && errors_are_unknown(directory, name, *spec)) {
    if (!options.quiet) {
      print(
          fmt::format("errors of single structures are not known, since only reduced rows were kept;\n  compare with "
                      "labels: ipfit predict {} FILE.xyz\n",
                      directory.potential(name)));
    }
    if (const int code = report_command(directory.path, name, true); code != 0) {
      return code;
    }
  } else if (options.errors) {
    if (!options.quiet) {
      print("\n");
    }
    if (const int code = make_errors(directory, name, options.verbose, options.quiet); code != 0) {
      return code;
    }
  }
  if (!options.quiet) {
    print(fmt::format("\nsolution: {}\n  beside the others: ipfit compare {}\n", directory.solution(name),
                      options.directory));
  }
  return 0;
}

int errors_command(const ErrorsOptions& options) {
  if (Status good = check_solution_name("--solution", options.solution); !good) {
    return report(good.errors());
  }
  return make_errors(FitDirectory{options.directory}, options.solution, options.verbose, options.quiet);
}

}  // namespace ipfit
