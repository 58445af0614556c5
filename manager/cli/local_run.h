#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/log.h"
#include "common/result.h"
#include "manager/cli/signals.h"
#include "manager/run/manager.h"

namespace ipfit {

struct LocalOptions {
  std::string id;
  int slots = 1;  ///< evaluator processes
  bool skip_bad_structures = false;
  bool quiet = false;
  std::string_view doing;  ///< for the progress: what the run is, where it is not the states of a fit
};

/// How a local run ended.
struct LocalOutcome {
  FitStatus status;
  bool interrupted = false;
  std::string assembly_summary;  ///< empty where there was none
};

/// Runs the steps of one fit on this machine: a manager in this process, a worker as a child with `slots` evaluators, a
/// private ipc socket between them. Shows progress. Errors: the socket or the worker cannot be started.
Result<LocalOutcome> run_locally(std::vector<Step> steps, const LocalOptions& options, StopSignals& signals,
                                 const Log& log);

/// One evaluator per core that this process may use.
int default_slots();

}  // namespace ipfit
