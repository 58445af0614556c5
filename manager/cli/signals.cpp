#include "manager/cli/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace ipfit {

StopSignals::StopSignals() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  fd_ = ::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
}

StopSignals::~StopSignals() {
  ::close(fd_);
}

int StopSignals::count() {
  signalfd_siginfo info{};
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    ++count_;
  }
  if (count_ > 1) {
    ::_exit(kInterrupted);
  }
  return count_;
}

}  // namespace ipfit
