#include "manager/run/wakeup.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace ipfit {

Wakeup::Wakeup() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) {
    throw std::system_error(errno, std::generic_category(), "eventfd");
  }
}

Wakeup::~Wakeup() {
  ::close(fd_);
}

void Wakeup::signal() const {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the reader is awake anyway.
  [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
}

void Wakeup::clear() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(fd_, &count, sizeof count);
}

}  // namespace ipfit
