#include "manager/cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace ipfit {
namespace {

constexpr auto kOnTerminal = std::chrono::milliseconds(200);
constexpr auto kInLog = std::chrono::seconds(10);

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  finish();
}

void Progress::show(std::string_view line) {
  const auto now = std::chrono::steady_clock::now();
  const bool same_stage = line.substr(0, line.find(' ')) == last_.substr(0, last_.find(' '));
  if (quiet_ || line == last_ || (same_stage && now - shown_ < (terminal_ ? kOnTerminal : kInLog))) {
    return;
  }
  last_ = line;
  shown_ = now;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", last_.c_str());
    open_ = true;
  } else {
    std::fprintf(stderr, "%s\n", last_.c_str());
  }
  std::fflush(stderr);
}

void Progress::finish() {
  if (open_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    open_ = false;
  }
}

}  // namespace ipfit
