#include "manager/cli/local_run.h"

#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <optional>

#include "manager/cli/progress.h"
#include "manager/cli/scratch.h"
#include "manager/run/child_process.h"
#include "manager/run/status.h"
#include "proto/zmq_transport.h"

namespace ipfit {
namespace {

constexpr double kDrainSeconds = 10.0;
constexpr int kMostWorkerStarts = 5;
constexpr auto kLookInterval = std::chrono::milliseconds(100);  // at the worker and the progress, not at every message

/// The last thing that a program said, without its own name.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  text.erase(0, text.rfind('\n') + 1);
  const std::string_view name = "ipfit-worker: ";
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

/// The worker of this machine: started again if it dies, but not for ever.
class LocalWorker {
 public:
  LocalWorker(std::string endpoint, std::string key, int slots, Log log)
      : endpoint_(std::move(endpoint)), key_(std::move(key)), slots_(slots), log_(std::move(log)) {}

  Status keep_running() {
    if (child_) {
      const auto ended = child_->poll();
      if (!ended) {
        return Done{};
      }
      log_.warn(fmt::format("the local worker ended with code {}: {}", ended->code, ended->message));
      child_.reset();
      if (ended->code >= 2 && ended->code <= 7) {
        return Error{static_cast<ErrorKind>(ended->code), "ipfit-worker", last_line(ended->message), ""};
      }
    }
    if (starts_++ == kMostWorkerStarts) {
      return Error{ErrorKind::kFailed, "ipfit-worker", fmt::format("died {} times", kMostWorkerStarts),
                   "the log of the fit says how; the same command goes on from here"};
    }
    auto child =
        ChildProcess::start({program_beside("ipfit-worker"), endpoint_, "--slots", std::to_string(slots_), "--quiet"},
                            true, {std::string(kKeyVariable) + "=" + key_});
    if (!child) {
      return child.errors();
    }
    child_.emplace(std::move(*child));
    return Done{};
  }

 private:
  std::string endpoint_;
  std::string key_;
  int slots_;
  Log log_;
  int starts_ = 0;
  std::optional<ChildProcess> child_;
};

}  // namespace

int default_slots() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

Result<LocalOutcome> run_locally(std::vector<Step> steps, const LocalOptions& options, StopSignals& signals,
                                 const Log& log) {
  const auto directory = ScratchDirectory::make_for_socket();  // so that only this user can reach the socket
  if (!directory) {
    return directory.errors();
  }
  const std::string endpoint = "ipc://" + directory->file("manager");
  auto listening = listen(ZmqContext(), {endpoint});
  if (!listening) {
    return listening.errors();
  }
  const std::string key = random_id();
  Manager manager(*listening->transport, log, key);
  LocalWorker worker(endpoint, key, options.slots, log);
  Progress progress(options.quiet);

  const std::uint64_t fit = manager.start(options.id, options.id, std::move(steps), options.skip_bad_structures);
  Status working = worker.keep_running();
  bool interrupted = false;
  std::chrono::steady_clock::time_point looked{};
  manager.run(
      [&] {
        interrupted = signals.count() > 0;
        const FitState state = manager.fits().at(fit).status.state;
        if (std::chrono::steady_clock::now() - looked >= kLookInterval) {
          looked = std::chrono::steady_clock::now();
          working = state < FitState::kDone ? worker.keep_running() : working;
          const FitStatus status = manager.status(fit);
          if (status.state == FitState::kSolving || (status.tasks_done > 0 && manager.slots() > 0)) {
            progress.show(progress_line(status, manager.slots(), options.doing));
          }
        }
        return working && !interrupted && state < FitState::kDone;
      },
      {signals.descriptor()});
  progress.finish();
  manager.drain(kDrainSeconds);
  if (!working) {
    return working.errors();
  }
  return LocalOutcome{manager.status(fit), interrupted, manager.fits().at(fit).assembly_summary};
}

}  // namespace ipfit
