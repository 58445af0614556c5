#include "manager/run/process_handle.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace ipfit {

ProcessHandle::ProcessHandle(int pid) : pid_(pid), pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

ProcessHandle::~ProcessHandle() {
  if (pidfd_ >= 0) {
    ::close(pidfd_);
  }
}

ProcessHandle::ProcessHandle(ProcessHandle&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::exchange(other.pidfd_, -1)) {}

ProcessHandle& ProcessHandle::operator=(ProcessHandle&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  return *this;
}

bool ProcessHandle::alive() const {
  return signal(0);
}

void ProcessHandle::kill() const {
  static_cast<void>(signal(SIGKILL));
}

bool ProcessHandle::signal(int number) const {
  return pidfd_ >= 0 && ::syscall(SYS_pidfd_send_signal, pidfd_, number, nullptr, 0) == 0;
}

}  // namespace ipfit
