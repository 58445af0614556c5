#pragma once

namespace ipfit {

/// Lets any thread wake a thread that polls `descriptor()`.
class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  int descriptor() const { return fd_; }
  void signal() const;
  void clear() const;

 private:
  int fd_;
};

}  // namespace ipfit
