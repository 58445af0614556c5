#include "common/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

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

}  // namespace ipfit
