#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/blas.h"
#include "common/build_id.h"
#include "common/model/probe.h"
#include "common/process.h"
#include "common/signals.h"
#include "common/vectors.h"
#include "proto/zmq_transport.h"
#include "worker/check_connection.h"
#include "worker/crash_note.h"
#include "worker/identity.h"
#include "worker/supervisor.h"
#include "worker/worker_loop.h"

namespace ipfit {
namespace {

/// Tasks that an evaluator holds: one on its way back, one being evaluated, one that waits, so that neither a slow line
/// nor a slow manager leaves it idle. Blocks that wait for their acknowledgement do not count.
constexpr std::uint32_t kCredit = 3;

struct Arguments {
  std::string endpoint;
  std::uint32_t slots = std::max(1U, std::thread::hardware_concurrency());
  double orphan_seconds = 900.0;
  bool check = false;
  bool quiet = false;
  bool die_with_parent = false;

  // What a supervisor gives to its evaluators.
  int note = -1;
  std::string worker_id;
  std::uint32_t slot = 0;
  std::uint32_t incarnation = 0;
};

void print(std::string_view line) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

void print_nothing(std::string_view) {}

int fail(const std::vector<Error>& errors) {
  for (const Error& error : errors) {
    print("error: " + error.text());
  }
  return static_cast<int>(errors.front().kind);
}

int check(const Arguments& arguments) {
  const auto say = [](std::string_view line) { std::printf("%.*s\n", static_cast<int>(line.size()), line.data()); };
  say("ipfit-worker " + std::string(version()) + ", build " + std::string(build_id()));
  const Hello hello = introduce(random_worker_id(), 0, 0, 0);
  if (const Status status = check_self_test(hello.self_test); !status) {
    return fail(status.errors());
  }
  say(std::string("self-test: passed, with vector instructions ").append(chosen_vectors()));
  const Status status = check_connection(arguments.endpoint, hello, say);
  return status ? 0 : fail(status.errors());
}

std::optional<Error> evaluate(const Arguments& arguments, CrashNote note, int stop) {
  const ZmqContext context;
  WorkerLoopOptions options;
  options.worker.endpoint = arguments.endpoint;
  options.worker.hello = introduce(arguments.worker_id, arguments.slot, arguments.incarnation, kCredit);
  options.worker.hello.crash = note.crash();
  if (const char* key = std::getenv(kKeyVariable)) {
    options.worker.hello.key = key;
  }
  options.worker.orphan_seconds = arguments.orphan_seconds;
  options.connect = [&] { return connect(context, arguments.endpoint); };
  options.note = std::make_shared<CrashNote>(std::move(note));
  options.say = arguments.quiet ? print_nothing : print;
  options.stop_descriptor = stop;
  return run_worker(options);
}

/// An evaluator: a child of a supervisor.
int run_evaluator(const Arguments& arguments) {
  const int stop = signal_pipe({SIGTERM});
  signal(SIGPIPE, SIG_IGN);  // the supervisor's end may be gone for the moment that it takes to die with it
  Result<CrashNote> note = CrashNote::open(arguments.note);
  if (!note) {
    return fail(note.errors());
  }
  const std::optional<Error> error = evaluate(arguments, std::move(*note), stop);
  const int code = error ? fail({*error}) : 0;
  std::fflush(nullptr);
  _exit(code);  // a structure that is still being evaluated is not waited for
}

int supervise(const Arguments& arguments) {
  if (const Status status = check_endpoint(arguments.endpoint, false); !status) {
    return fail(status.errors());
  }
  const auto say = arguments.quiet ? print_nothing : print;
  SupervisorOptions options;
  options.program = "/proc/self/exe";
  options.arguments = {arguments.endpoint, "--orphan-timeout", std::to_string(arguments.orphan_seconds)};
  if (arguments.quiet) {
    options.arguments.emplace_back("--quiet");
  }
  options.own_arguments = [id = random_worker_id()](std::uint32_t slot, std::uint32_t incarnation, int note) {
    return std::vector<std::string>{"--evaluator", std::to_string(note), "--worker-id",   id,
                                    "--slot",      std::to_string(slot), "--incarnation", std::to_string(incarnation)};
  };
  options.slots = arguments.slots;
  options.say = say;
  options.warn = print;
  say("ipfit-worker " + std::string(version()) + ", build " + std::string(build_id()) + ": " +
      std::to_string(arguments.slots) + (arguments.slots == 1 ? " slot" : " slots") + " for " + arguments.endpoint);
  const int code = run_supervisor(options);
  say("left");
  return code;
}

int run(const Arguments& arguments, pid_t parent) {
  if (arguments.die_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      return 0;  // it died before the line above
    }
  }
  if (const auto unusable = unusable_vectors()) {
    return fail({*unusable});
  }
  if (arguments.check) {
    return check(arguments);
  }
  return arguments.note >= 0 ? run_evaluator(arguments) : supervise(arguments);
}

}  // namespace
}  // namespace ipfit

int main(int argc, char** argv) {
  const pid_t parent = getppid();
  ipfit::prepare_process();
  ipfit::use_single_threaded_blas();

  ipfit::Arguments arguments;
  CLI::App app{"Evaluates structures for an ipfit manager. Start it on any spare machine, stop it at any time."};
  app.add_option("ENDPOINT", arguments.endpoint, "the manager: tcp://HOST:PORT or ipc:///PATH")->required();
  app.add_option("--slots", arguments.slots, "evaluator processes; one per core if not given")
      ->check(CLI::Range(1U, 4096U));
  app.add_option("--orphan-timeout", arguments.orphan_seconds,
                 "leave after so many seconds without a manager (at least 10); 900 if not given")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--check", arguments.check,
               "say whether the manager can be reached and would admit this worker, and end");
  app.add_flag("--quiet", arguments.quiet, "say only what goes wrong");
  app.add_flag("--die-with-parent", arguments.die_with_parent,
               "end at once when the process that started this one ends");
  app.set_version_flag("--version", std::string(ipfit::version()) + " (build " + std::string(ipfit::build_id()) + ")");
  app.add_option("--evaluator", arguments.note)->group("");
  app.add_option("--worker-id", arguments.worker_id)->group("");
  app.add_option("--slot", arguments.slot)->group("");
  app.add_option("--incarnation", arguments.incarnation)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : static_cast<int>(ipfit::ErrorKind::kUsage);
  }
  try {
    return ipfit::run(arguments, parent);
  } catch (const std::exception& problem) {
    return ipfit::fail({ipfit::last_words(problem)});
  }
}
