#include "common/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

namespace ipfit {

void prepare_process() {
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO) {
    fcntl(fd, F_SETFD, 0);  // children inherit these three
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  }
  if (fd > STDERR_FILENO) {
    close(fd);
  }
  signal(SIGXFSZ, SIG_IGN);
}

Error last_words(const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) {
    return {ErrorKind::kFailed, "", "there is not enough memory",
            "raise the limit on memory (ulimit -v), or use a machine that has more"};
  }
  const auto* system = dynamic_cast<const std::system_error*>(&problem);
  if (system != nullptr && (system->code().value() == EMFILE || system->code().value() == ENFILE)) {
    return {ErrorKind::kFailed, "", problem.what(), "raise the limit on open files: ulimit -n 1024"};
  }
  return {ErrorKind::kInternal, "", problem.what(), "please report this as a bug"};
}

}  // namespace ipfit
