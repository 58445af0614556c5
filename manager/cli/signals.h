#pragma once

namespace ipfit {

/// SIGINT and SIGTERM as something to poll instead of something that ends the process. One per process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return fd_; }
  /// How many have come so far. The second one ends the process at once: everything acknowledged is on disk.
  int count();

 private:
  int fd_;
  int count_ = 0;
};

/// Exit code after Ctrl-C or SIGTERM.
inline constexpr int kInterrupted = 130;

}  // namespace ipfit
