#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"

namespace ipfit {

/// How a child ended.
struct ChildExit {
  int code = 0;         ///< exit code, or 128 + signal
  std::string message;  ///< what it wrote to standard error, its last 64 KiB
};

/// A program of ours run as a child: it dies with this process, and its standard error is kept. Standard output goes
/// where ours goes.
class ChildProcess {
 public:
  /// Starts `arguments[0]` with the arguments, in our environment and `environment` ("NAME=value") before it. Errors:
  /// kInternal where it cannot be started. `keep_errors` false leaves standard error as ours.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments, bool keep_errors,
                                    const std::vector<std::string>& environment = {});
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  ///< kills and reaps it where it still runs

  int pid() const { return pid_; }
  int descriptor() const { return pidfd_; }  ///< readable when it has ended
  std::optional<ChildExit> poll();           ///< once it has ended: how
  void terminate() const;                    ///< SIGTERM

 private:
  ChildProcess() = default;
  void drain_errors();

  int pid_ = -1;
  int pidfd_ = -1;
  int errors_ = -1;
  std::string message_;
};

/// The path of a program that is installed beside this one.
std::string program_beside(const std::string& name);

}  // namespace ipfit
