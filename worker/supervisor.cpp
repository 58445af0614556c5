#include "worker/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <optional>
#include <utility>

#include "common/result.h"
#include "common/signals.h"
#include "worker/crash_note.h"

namespace ipfit {
namespace {

constexpr double kFirstDelaySeconds = 0.5;
constexpr double kLongestDelaySeconds = 30.0;
constexpr double kGoodLifeSeconds = 60.0;

/// The same line from another evaluator within this time is one event seen many times.
constexpr double kSameLineSeconds = 5.0;

/// Exit code of a child that could not execute the program.
constexpr int kCannotExecute = 127;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Slot {
  explicit Slot(CrashNote its_note) : note(std::move(its_note)) {}

  CrashNote note;
  RestartDelay delay;
  std::uint32_t incarnation = 0;
  pid_t pid = -1;
  int output = -1;      ///< what the evaluator writes
  std::string partial;  ///< of a line
  double started = 0.0;
  std::optional<double> start_at;
};

constexpr std::initializer_list<int> kSignals{SIGCHLD, SIGTERM, SIGINT, SIGUSR1};

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become_evaluator(pid_t parent, int output, int note, char* const* arguments, const char* program) {
  for (const int signal : kSignals) {
    std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);  // Ctrl-C is for the supervisor, which asks its evaluators to stop
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(0);  // the supervisor died before the line above
  }
  const int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (oom >= 0) {
    // An evaluator is cheap to lose, a manager or a person's other program on this machine is not.
    [[maybe_unused]] const ssize_t written = write(oom, "500", 3);
    close(oom);
  }
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  fcntl(note, F_SETFD, 0);
  execv(program, arguments);
  _exit(kCannotExecute);
}

class Supervisor {
 public:
  explicit Supervisor(const SupervisorOptions& options) : options_(options), signals_(signal_pipe(kSignals)) {}

  int run() {
    if (!make_slots()) {
      return static_cast<int>(ErrorKind::kInternal);
    }
    while (true) {
      start_due();
      if (nobody_left()) {
        return exit_code_;
      }
      wait();
      read_outputs();
      handle_signals();
      bury_dead();
    }
  }

 private:
  bool make_slots() {
    for (std::uint32_t s = 0; s < options_.slots; ++s) {
      Result<CrashNote> note = CrashNote::create();
      if (!note) {
        options_.warn(note.error().text());
        return false;
      }
      slots_.emplace_back(std::move(*note)).start_at = now();
    }
    return true;
  }

  bool nobody_left() const {
    return std::none_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.pid > 0 || s.start_at; });
  }

  void start_due() {
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].start_at && now() >= *slots_[s].start_at) {
        slots_[s].start_at.reset();
        start(s);
      }
    }
  }

  void start(std::uint32_t index) {
    Slot& slot = slots_[index];
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      options_.warn(std::string("cannot start an evaluator: ") + std::strerror(errno));
      slot.start_at = now() + slot.delay.after_death(0.0);
      return;
    }
    std::vector<std::string> words{options_.program};
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    const auto own = options_.own_arguments(index, slot.incarnation, slot.note.descriptor());
    words.insert(words.end(), own.begin(), own.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    // A signal that reaches the child before it has its own handlers must not be taken for one of ours.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    slot.pid = fork();
    if (slot.pid == 0) {
      become_evaluator(parent, ends[1], slot.note.descriptor(), arguments.data(), options_.program.c_str());
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    slot.output = ends[0];
    slot.started = now();
    if (slot.pid < 0) {
      options_.warn(std::string("cannot start an evaluator: ") + std::strerror(errno));
      close_output(slot);
      slot.start_at = now() + slot.delay.after_death(0.0);
    }
    ++slot.incarnation;
  }

  void wait() const {
    std::vector<pollfd> waited{{signals_, POLLIN, 0}};
    double until = now() + 3600.0;
    for (const Slot& slot : slots_) {
      if (slot.output >= 0) {
        waited.push_back({slot.output, POLLIN, 0});
      }
      until = std::min(until, slot.start_at.value_or(until));
    }
    const double milliseconds = std::ceil(1000.0 * std::max(0.0, until - now()));
    poll(waited.data(), waited.size(), static_cast<int>(milliseconds));
  }

  void read_outputs() {
    for (Slot& slot : slots_) {
      read_output(slot);
    }
  }

  void read_output(Slot& slot) {
    char bytes[4096];
    while (slot.output >= 0) {
      const ssize_t count = read(slot.output, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0) {
        return;
      }
      if (count == 0) {
        close_output(slot);
        return;
      }
      slot.partial.append(bytes, static_cast<std::size_t>(count));
      pass_on_lines(slot);
    }
  }

  void pass_on_lines(Slot& slot) {
    std::size_t end = 0;
    while ((end = slot.partial.find('\n')) != std::string::npos) {
      pass_on(slot.partial.substr(0, end));
      slot.partial.erase(0, end + 1);
    }
  }

  void pass_on(const std::string& line) {
    std::erase_if(recent_, [](const auto& said) { return said.second < now() - kSameLineSeconds; });
    const auto same = [&](const auto& said) { return said.first == line; };
    if (std::none_of(recent_.begin(), recent_.end(), same)) {
      recent_.emplace_back(line, now());
      options_.warn(line);
    }
  }

  void close_output(Slot& slot) {
    if (!slot.partial.empty()) {
      pass_on(std::exchange(slot.partial, ""));
    }
    close(std::exchange(slot.output, -1));
  }

  void handle_signals() {
    unsigned char signal = 0;
    while (read(signals_, &signal, 1) == 1) {
      if (signal == SIGCHLD) {
        continue;
      }
      if (!stopping_) {
        options_.say("asked to stop: finishing what is nearly done; a second signal ends it at once");
        stop(SIGTERM);
      } else {
        stop(SIGKILL);
      }
    }
  }

  void stop(int signal) {
    stopping_ = true;
    for (Slot& slot : slots_) {
      slot.start_at.reset();
      if (slot.pid > 0) {
        kill(slot.pid, signal);
      }
    }
  }

  void bury_dead() {
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
      int status = 0;
      if (slots_[s].pid > 0 && waitpid(slots_[s].pid, &status, WNOHANG) == slots_[s].pid) {
        slots_[s].pid = -1;
        bury(s, status);
      }
    }
  }

  void bury(std::uint32_t index, int status) {
    Slot& slot = slots_[index];
    read_output(slot);
    if (slot.output >= 0) {
      close_output(slot);
    }
    const std::optional<CrashReport> crash = slot.note.evaluator_died();
    switch (judge_exit(status)) {
      case Verdict::kGone:
        exit_code_ = std::max(exit_code_, WEXITSTATUS(status));
        break;
      case Verdict::kStopAll:
        exit_code_ =
            WEXITSTATUS(status) == kCannotExecute ? static_cast<int>(ErrorKind::kInternal) : WEXITSTATUS(status);
        if (WEXITSTATUS(status) == kCannotExecute) {
          options_.warn("cannot execute " + options_.program);
        }
        if (!stopping_) {
          stop(SIGTERM);
        }
        break;
      case Verdict::kRestart:
        restart(index, status, crash);
        break;
    }
  }

  void restart(std::uint32_t index, int status, const std::optional<CrashReport>& crash) {
    if (stopping_) {
      return;
    }
    Slot& slot = slots_[index];
    const double delay = slot.delay.after_death(now() - slot.started);
    std::string line = "slot " + std::to_string(index) + " " + describe_exit(status);
    if (crash) {
      line += " while it evaluated structure " + std::to_string(crash->structure) + " of the data set";
    }
    char wait[32] = "";
    if (delay > 0.0) {
      std::snprintf(wait, sizeof wait, " in %.1f s", delay);
    }
    options_.warn(line + "; restarting it" + wait);
    slot.start_at = now() + delay;
  }

  const SupervisorOptions& options_;
  std::deque<Slot> slots_;
  std::deque<std::pair<std::string, double>> recent_;  ///< lines passed on, and when
  int signals_;
  bool stopping_ = false;
  int exit_code_ = 0;
};

}  // namespace

int run_supervisor(const SupervisorOptions& options) {
  return Supervisor(options).run();
}

double RestartDelay::after_death(double lived_seconds) {
  deaths_ = lived_seconds >= kGoodLifeSeconds ? 1 : deaths_ + 1;
  return deaths_ == 1 ? 0.0 : std::min(kLongestDelaySeconds, kFirstDelaySeconds * std::exp2(deaths_ - 2));
}

Verdict judge_exit(int status) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) == static_cast<int>(ErrorKind::kInternal)) {
    return Verdict::kRestart;
  }
  const int code = WEXITSTATUS(status);
  if (code == 0 || code == static_cast<int>(ErrorKind::kNetwork)) {
    return Verdict::kGone;
  }
  const bool known = code == static_cast<int>(ErrorKind::kRefused) || code == static_cast<int>(ErrorKind::kUsage) ||
                     code == kCannotExecute;
  return known ? Verdict::kStopAll : Verdict::kRestart;
}

std::string describe_exit(int status) {
  if (!WIFSIGNALED(status)) {
    return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  const char* name = sigabbrev_np(WTERMSIG(status));
  const char* words = strsignal(WTERMSIG(status));
  return "killed by SIG" + std::string(name != nullptr ? name : "?") + " (" + words + ")";
}

}  // namespace ipfit
