#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ipfit {

struct SupervisorOptions {
  std::string program;                 ///< what is executed for an evaluator, normally /proc/self/exe
  std::vector<std::string> arguments;  ///< of every evaluator
  /// Further arguments of one evaluator; `note` is the descriptor of its crash note, open in it.
  std::function<std::vector<std::string>(std::uint32_t slot, std::uint32_t incarnation, int note)> own_arguments;
  std::uint32_t slots = 1;
  std::function<void(std::string_view)> say;   ///< one line: something happened
  std::function<void(std::string_view)> warn;  ///< one line: something went wrong, or an evaluator said it
};

/// Runs one evaluator process per slot until all have left, and returns the exit code of the worker.
///
/// An evaluator that crashes is started again, and its successor knows from the crash note what it was at. One that
/// leaves (exit code 0 or kNetwork) leaves for good; one that is refused ends the whole worker. What evaluators write
/// to stdout or stderr is passed on by line, the same line from several of them once. They die with the supervisor,
/// even by SIGKILL, and stand before everything else when the kernel runs out of memory.
///
/// SIGTERM, SIGINT, SIGUSR1: evaluators are asked to stop, and get until they are done; a second signal kills them.
/// To be called once, from the main thread (evaluators die with it); takes over SIGCHLD and those three.
int run_supervisor(const SupervisorOptions& options);

/// When a crashed evaluator is started again: at once, then after 0.5 s, doubling up to 30 s; anew after one that lived
/// for a minute.
class RestartDelay {
 public:
  double after_death(double lived_seconds);

 private:
  int deaths_ = 0;
};

enum class Verdict {
  kRestart,  ///< it crashed
  kGone,     ///< it left, and the slot with it
  kStopAll,  ///< what it met, all will meet
};

/// What the end of an evaluator means; `status` as from waitpid.
Verdict judge_exit(int status);

/// "killed by SIGSEGV (Segmentation fault)", "ended with exit code 6"
std::string describe_exit(int status);

}  // namespace ipfit
