#include "manager/run/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ipfit {
namespace {

constexpr std::size_t kMessageLimit = std::size_t{64} << 10;

Error cannot_start(const std::string& program, int code) {
  return {ErrorKind::kInternal, program, fmt::format("cannot be started: {}", std::strerror(code)),
          "reinstall ipfit: both programs belong in one directory"};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) {
    list.push_back(const_cast<char*>(word.c_str()));  // exec only reads
  }
  return list;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments, bool keep_errors,
                                         const std::vector<std::string>& environment) {
  std::vector<char*> argv = pointers(arguments);
  argv.push_back(nullptr);
  std::vector<char*> envp = pointers(environment);  // the first of two that have one name counts
  for (char** variable = environ; *variable != nullptr; ++variable) {
    envp.push_back(*variable);
  }
  envp.push_back(nullptr);

  std::array<int, 2> errors{-1, -1};
  std::array<int, 2> outcome{-1, -1};  // carries errno of a failed exec; closed by a successful one
  if (::pipe2(outcome.data(), O_CLOEXEC) != 0 || (keep_errors && ::pipe2(errors.data(), O_CLOEXEC) != 0)) {
    return cannot_start(arguments[0], errno);
  }
  const int parent = ::getpid();
  const int pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(1);
    }
    if (keep_errors) {
      ::dup2(errors[1], STDERR_FILENO);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Ctrl-C reaches the whole terminal group; what the child shall do then is for its parent to say.
    ::setpgid(0, 0);
    ::execve(argv[0], argv.data(), envp.data());
    const int code = errno;
    [[maybe_unused]] const auto written = ::write(outcome[1], &code, sizeof code);
    ::_exit(127);
  }
  ::close(outcome[1]);
  if (keep_errors) {
    ::close(errors[1]);
  }
  int code = pid < 0 ? errno : 0;
  if (pid > 0 && ::read(outcome[0], &code, sizeof code) > 0) {
    ::waitpid(pid, nullptr, 0);
  }
  ::close(outcome[0]);
  if (code != 0) {
    if (keep_errors) {
      ::close(errors[0]);
    }
    return cannot_start(arguments[0], code);
  }
  ChildProcess child;
  child.pid_ = pid;
  child.pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  child.errors_ = errors[0];
  if (keep_errors) {
    ::fcntl(errors[0], F_SETFL, O_NONBLOCK);
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::exchange(other.pidfd_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      message_(std::move(other.message_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(errors_, other.errors_);
  std::swap(message_, other.message_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (pidfd_ >= 0) {
    ::close(pidfd_);
  }
  if (errors_ >= 0) {
    ::close(errors_);
  }
}

std::optional<ChildExit> ChildProcess::poll() {
  drain_errors();
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) {
    return std::nullopt;
  }
  pid_ = -1;
  drain_errors();
  return ChildExit{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), std::move(message_)};
}

void ChildProcess::terminate() const {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
  }
}

void ChildProcess::drain_errors() {
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; errors_ >= 0 && (got = ::read(errors_, buffer.data(), buffer.size())) > 0;) {
    message_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (message_.size() > kMessageLimit) {
    message_.erase(0, message_.size() - kMessageLimit);
  }
}

std::string program_beside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace ipfit
