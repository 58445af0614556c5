#include "manager/run/process_handle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <utility>

namespace ipfit {
namespace {

pid_t sleeper() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  return child;
}

TEST_CASE("a process that is stopped is ended all the same") {
  const pid_t child = sleeper();
  REQUIRE(::kill(child, SIGSTOP) == 0);
  const ProcessHandle process(child);
  CHECK(process.pid() == child);
  CHECK(process.alive());
  process.kill();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  CHECK_FALSE(process.alive());
}

TEST_CASE("of a process that has ended nothing is left to end, whoever gets its number") {
  const pid_t child = sleeper();
  ProcessHandle process(child);
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(process.alive());
  process.kill();
  const ProcessHandle late(child);
  CHECK_FALSE(late.alive());
  late.kill();
  const ProcessHandle moved(std::move(process));
  CHECK_FALSE(moved.alive());
}

}  // namespace
}  // namespace ipfit
