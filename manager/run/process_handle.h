#pragma once

namespace ipfit {

/// A process that is not our child, known by more than its number: once it has ended, no other one is taken for it.
class ProcessHandle {
 public:
  /// Of a process that is there now.
  explicit ProcessHandle(int pid);
  ~ProcessHandle();
  ProcessHandle(ProcessHandle&& other) noexcept;
  ProcessHandle& operator=(ProcessHandle&& other) noexcept;

  int pid() const { return pid_; }
  bool alive() const;
  /// Ends it at once, if it is still there.
  void kill() const;

 private:
  bool signal(int number) const;

  int pid_;
  int pidfd_;
};

}  // namespace ipfit
