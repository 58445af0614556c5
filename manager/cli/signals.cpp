#include "manager/cli/signals.h"

#include <unistd.h>

#include <csignal>

#include "common/signals.h"

namespace ipfit {

StopSignals::StopSignals() : fd_(signal_pipe({SIGINT, SIGTERM}, kInterrupted)) {}

StopSignals::~StopSignals() {
  ::close(fd_);
}

int StopSignals::count() {
  for (unsigned char number = 0; ::read(fd_, &number, 1) == 1;) {
    ++count_;
  }
  return count_;
}

}  // namespace ipfit
