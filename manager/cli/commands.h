#pragma once

#include <string>

#include "manager/solve/other_solution.h"

namespace ipfit {

/// The commands of `ipfit`, one file each (docs/reference/ipfit.md). Each returns the exit code.

struct FitOptions {
  std::string file;
  std::string out;   ///< empty: the name of the fit file with .fit
  int workers = -1;  ///< evaluator processes; negative: one per core
  bool quiet = false;
};
int fit_command(const FitOptions& options);

int check_command(const std::string& file);

struct ManagerCommandOptions {
  std::string state;
  std::string listen = "tcp://127.0.0.1:7777";
  bool insecure = false;
};
int manager_command(const ManagerCommandOptions& options);

struct SubmitOptions {
  std::string file;
  std::string manager;
  bool watch = false;
};
int submit_command(const SubmitOptions& options);

int list_command(const std::string& manager);
int status_command(const std::string& manager, const std::string& id);
int watch_command(const std::string& manager, const std::string& id);
int cancel_command(const std::string& manager, const std::string& id);

struct FetchOptions {
  std::string manager;
  std::string id;
  std::string out;
  bool all = false;  ///< the matrix and the predictions too
};
int fetch_command(const FetchOptions& options);

struct SolveOptions {
  std::string directory;  ///< of the fit
  std::string name;       ///< of the solution; empty: "default"
  SolutionChanges changes;
  bool errors = true;    ///< make the error table too
  bool verbose = false;  ///< show what the fit listens to
  bool quiet = false;
};
int solve_command(const SolveOptions& options);

struct ErrorsOptions {
  std::string directory;
  std::string solution = "default";
  bool verbose = false;
  bool quiet = false;
};
int errors_command(const ErrorsOptions& options);

struct CompareOptions {
  std::string directory;
  bool json = false;
};
int compare_command(const CompareOptions& options);

int verify_command(const std::string& directory, bool quiet);

int report_command(const std::string& directory, const std::string& solution, bool quiet);

struct ExportOptions {
  std::string directory;  ///< of the fit
  std::string solution = "default";
  std::string format = "yace";
  std::string out;  ///< empty: potential.yace in the directory of the solution
};
int export_command(const ExportOptions& options);

struct PredictOptions {
  std::string potential;     ///< potential file or fit directory
  std::string structures;    ///< extended XYZ
  std::string out;           ///< extended XYZ with the predicted labels; empty: beside the input
  bool uncertainty = false;  ///< standard deviations too, from the committee
  int workers = -1;
  bool quiet = false;
};
int predict_command(const PredictOptions& options);

}  // namespace ipfit
