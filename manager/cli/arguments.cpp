#include "manager/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "common/build_id.h"
#include "common/result.h"
#include "manager/cli/commands.h"
#include "proto/message.h"

namespace ipfit {
namespace {

constexpr const char* kDefaultManager = "tcp://127.0.0.1:7777";

std::string default_manager() {
  const char* given = std::getenv("IPFIT_MANAGER");
  return given != nullptr && *given != '\0' ? given : kDefaultManager;
}

std::string version_text() {
  return "ipfit " + std::string(version()) + ", build " + std::string(build_id()) + ", protocol " +
         std::to_string(kProtocolVersion);
}

CLI::App* add_solve(CLI::App& app, SolveOptions& solve) {
  auto* command = app.add_subcommand("solve", "Solve the assembled system of a fit directory again; evaluates nothing");
  command->add_option("DIR", solve.directory, "Fit directory")->required();
  command->add_option("--name", solve.name, "Name of the solution; default: the one of fit.toml, \"default\"");
  command->add_option("--solver", solve.changes.solver, "Another solver.kind");
  command->add_option("--lambda", solve.changes.lambda, "Another solver.lambda");
  command->add_option("--functions", solve.changes.functions, "Only the first so many functions around each element")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--weights", solve.changes.weights, "File with other sections [weights.NAME]");
  command->add_option("--groups", solve.changes.only, "Fit to these groups only: a,b")->delimiter(',');
  command->add_option("--without-group", solve.changes.without, "Do not fit to this group; may be given several times");
  command->add_option("--from", solve.changes.from, "Fit file with other weights, solver and one-body energies");
  command->add_flag(
      "--no-errors", [&solve](std::int64_t) { solve.errors = false; }, "Leave the error table to errors");
  command->add_flag("-v,--verbose", solve.verbose, "Show also what each group adds to the weighted sum of squares");
  command->add_flag("--quiet", solve.quiet, "Print nothing");
  return command;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Fits linear interatomic potentials on whatever machines are free."};
  app.set_version_flag("--version", version_text(), "Print version, build and protocol");
  app.require_subcommand(1);
  app.footer("Start with: ipfit check FILE, then ipfit fit FILE. Exit codes: docs/reference/exit-codes.md");
  int code = 0;

  FitOptions fit;
  auto* fit_app = app.add_subcommand("fit", "Fit on this machine; the same command goes on after any interruption");
  fit_app->add_option("FILE", fit.file, "Fit file (TOML)")->required();
  fit_app->add_option("--out", fit.out,
                      "Directory of the fit; default: the name of the fit file with .fit, in the current directory");
  fit_app->add_option("--workers", fit.workers, "Evaluator processes; default: one per core")
      ->check(CLI::Range(1, 1024));
  fit_app->add_flag("--quiet", fit.quiet, "Show no progress and no tables");
  fit_app->callback([&] { code = fit_command(fit); });

  std::string file;
  auto* check_app = app.add_subcommand("check", "Read everything, report sizes and problems; evaluates nothing");
  check_app->add_option("FILE", file, "Fit file (TOML)")->required();
  check_app->callback([&] { code = check_command(file); });

  ManagerCommandOptions manager;
  auto* manager_app = app.add_subcommand("manager", "Run the daemon that takes fits and hands out work");
  manager_app->add_option("--state", manager.state, "Directory for its fits")->required();
  manager_app->add_option("--listen", manager.listen, "Endpoint for workers and clients")->capture_default_str();
  manager_app->add_flag("--insecure", manager.insecure,
                        "Allow an endpoint that other machines can reach, without encryption or authentication");
  manager_app->callback([&] { code = manager_command(manager); });

  std::string endpoint = default_manager();
  const auto add_endpoint = [&](CLI::App* command, std::string& target) {
    command->add_option("--manager", target,
                        "Endpoint of the manager; default: $IPFIT_MANAGER or " + std::string(kDefaultManager));
  };

  SubmitOptions submit;
  submit.manager = endpoint;
  auto* submit_app = app.add_subcommand("submit", "Send a fit, with its data, to a manager");
  submit_app->add_option("FILE", submit.file, "Fit file (TOML)")->required();
  add_endpoint(submit_app, submit.manager);
  submit_app->add_flag("--watch", submit.watch, "Show progress until the fit has ended");
  submit_app->callback([&] { code = submit_command(submit); });

  auto* list_app = app.add_subcommand("list", "List the fits of a manager");
  add_endpoint(list_app, endpoint);
  list_app->callback([&] { code = list_command(endpoint); });

  std::string id;
  auto* status_app = app.add_subcommand("status", "Say everything about one fit and its workers");
  status_app->add_option("ID", id, "Fit, as in ipfit list")->required();
  add_endpoint(status_app, endpoint);
  status_app->callback([&] { code = status_command(endpoint, id); });

  auto* watch_app = app.add_subcommand("watch", "Show the progress of one fit until it has ended");
  watch_app->add_option("ID", id, "Fit, as in ipfit list")->required();
  add_endpoint(watch_app, endpoint);
  watch_app->callback([&] { code = watch_command(endpoint, id); });

  auto* cancel_app = app.add_subcommand("cancel", "Stop a fit; what is stored stays in the state directory");
  cancel_app->add_option("ID", id, "Fit, as in ipfit list")->required();
  add_endpoint(cancel_app, endpoint);
  cancel_app->callback([&] { code = cancel_command(endpoint, id); });

  FetchOptions fetch;
  fetch.manager = endpoint;
  auto* fetch_app = app.add_subcommand("fetch", "Copy the results of a fit from a manager");
  fetch_app->add_option("ID", fetch.id, "Fit, as in ipfit list")->required();
  fetch_app->add_option("--out", fetch.out, "Directory to make")->required();
  fetch_app->add_flag("--all", fetch.all, "Also data set, matrix and predictions, so that it can be solved again");
  add_endpoint(fetch_app, fetch.manager);
  fetch_app->callback([&] { code = fetch_command(fetch); });

  SolveOptions solve;
  add_solve(app, solve)->callback([&] { code = solve_command(solve); });

  ErrorsOptions errors;
  auto* errors_app = app.add_subcommand("errors", "Compare predictions and labels of a fit directory: the error table");
  errors_app->add_option("DIR", errors.directory, "Fit directory")->required();
  errors_app->add_option("--solution", errors.solution, "Which solution")->capture_default_str();
  errors_app->add_flag("-v,--verbose", errors.verbose, "Show also what each group adds to the weighted sum of squares");
  errors_app->add_flag("--quiet", errors.quiet, "Write the files, print nothing");
  errors_app->callback([&] { code = errors_command(errors); });

  CompareOptions compare;
  auto* compare_app = app.add_subcommand("compare", "All solutions of a fit directory in one table");
  compare_app->add_option("DIR", compare.directory, "Fit directory")->required();
  compare_app->add_flag("--json", compare.json, "Print it for programs");
  compare_app->callback([&] { code = compare_command(compare); });

  std::string directory;
  bool quiet = false;
  auto* verify_app =
      app.add_subcommand("verify", "Check everything stored in a fit directory against its checksums; changes nothing");
  verify_app->add_option("DIR", directory, "Fit directory")->required();
  verify_app->add_flag("--quiet", quiet, "Print nothing but damage");
  verify_app->callback([&] { code = verify_command(directory, quiet); });

  std::string solution = "default";
  auto* report_app = app.add_subcommand("report", "Write the report of a solution: report.html and report.txt");
  report_app->add_option("DIR", directory, "Fit directory")->required();
  report_app->add_option("--solution", solution, "Which solution")->capture_default_str();
  report_app->add_flag("--quiet", quiet, "Write the files, print nothing");
  report_app->callback([&] { code = report_command(directory, solution, quiet); });

  ExportOptions exported;
  auto* export_app = app.add_subcommand("export", "Write a fitted potential for LAMMPS, with an input file to try it");
  export_app->add_option("DIR", exported.directory, "Fit directory")->required();
  export_app->add_option("--solution", exported.solution, "Which solution")->capture_default_str();
  export_app->add_option("--format", exported.format, "What to write")
      ->check(CLI::IsMember({"yace"}))
      ->capture_default_str();
  export_app->add_option("--out", exported.out, "File to write; default: potential.yace beside the solution");
  export_app->callback([&] { code = export_command(exported); });

  PredictOptions predict;
  auto* predict_app = app.add_subcommand("predict", "Energies, forces and virials of structures from a potential");
  predict_app->add_option("POTENTIAL", predict.potential, "Potential file or fit directory")->required();
  predict_app->add_option("STRUCTURES", predict.structures, "Extended-XYZ file")->required();
  predict_app->add_option("--out", predict.out,
                          "Extended-XYZ file to write; default: the name of the input with .predicted.xyz");
  predict_app->add_flag("--uncertainty", predict.uncertainty, "Standard deviations of energies and forces too");
  predict_app->add_option("--workers", predict.workers, "Evaluator processes; default: one per core")
      ->check(CLI::Range(1, 1024));
  predict_app->add_flag("--quiet", predict.quiet, "Show no progress and no tables");
  predict_app->callback([&] { code = predict_command(predict); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : static_cast<int>(ErrorKind::kUsage);
  }
  return code;
}

}  // namespace ipfit
