#include "common/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ipfit {
namespace {

volatile sig_atomic_t signal_pipe_end = -1;
volatile sig_atomic_t exit_code_at_second = 0;
volatile sig_atomic_t signals_come = 0;

void pass_on(int signal) {
  signals_come = signals_come + 1;
  if (exit_code_at_second != 0 && signals_come > 1) {
    _exit(exit_code_at_second);
  }
  const int before = errno;
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(signal_pipe_end, &number, 1);  // a full pipe says enough
  errno = before;
}

}  // namespace

int signal_pipe(std::initializer_list<int> signals, int exit_at_second) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
  }
  signal_pipe_end = ends[1];
  exit_code_at_second = exit_at_second;
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) {
    if (sigaction(signal, &action, nullptr) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
    }
  }
  return ends[0];
}

}  // namespace ipfit
