#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "common/result.h"
#include "proto/transport.h"
#include "worker/crash_note.h"
#include "worker/worker_state.h"

namespace ipfit {

struct WorkerLoopOptions {
  WorkerOptions worker;
  std::function<Result<std::unique_ptr<Transport>>()> connect;  ///< called again when a connection is given up
  std::shared_ptr<CrashNote> note;
  std::function<void(std::string_view)> say;  ///< one line: something happened
  int stop_descriptor = -1;                   ///< readable when the worker is asked to stop (a pipe, an eventfd)
};

/// One evaluator: performs what WorkerState decides. The calling thread owns the connection and waits for messages,
/// evaluations, time and the wish to stop; a second thread evaluates. Returns when the machine leaves, with its error
/// if it does not leave because it was asked to. A structure that is still being evaluated then is left to the end of
/// the process.
std::optional<Error> run_worker(const WorkerLoopOptions& options);

}  // namespace ipfit
