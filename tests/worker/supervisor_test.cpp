#include "worker/supervisor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "common/result.h"

using namespace ipfit;

namespace {

int status_of_signal(int signal) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    kill(getpid(), signal);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

int status_of_exit(int code) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    _exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

int status_of_exit(ErrorKind kind) {
  return status_of_exit(static_cast<int>(kind));
}

}  // namespace

TEST_CASE("an evaluator that crashes is started again at once, then ever later, up to half a minute") {
  RestartDelay delay;
  CHECK(delay.after_death(0.1) == 0.0);
  CHECK(delay.after_death(0.1) == 0.5);
  CHECK(delay.after_death(0.1) == 1.0);
  CHECK(delay.after_death(0.1) == 2.0);
  for (int i = 0; i < 2000; ++i) {
    const double seconds = delay.after_death(0.1);
    CHECK(seconds >= 2.0);
    CHECK(seconds <= 30.0);
  }
  CHECK(delay.after_death(0.1) == 30.0);
}

TEST_CASE("an evaluator that lived for a minute is started again as if it was the first time") {
  RestartDelay delay;
  for (int i = 0; i < 10; ++i) {
    delay.after_death(0.1);
  }
  CHECK(delay.after_death(60.0) == 0.0);
  CHECK(delay.after_death(0.1) == 0.5);
}

TEST_CASE("only crashes are answered by a restart") {
  CHECK(judge_exit(status_of_signal(SIGKILL)) == Verdict::kRestart);
  CHECK(judge_exit(status_of_exit(ErrorKind::kInternal)) == Verdict::kRestart);
  CHECK(judge_exit(status_of_exit(99)) == Verdict::kRestart);
  CHECK(judge_exit(status_of_exit(0)) == Verdict::kGone);
  CHECK(judge_exit(status_of_exit(ErrorKind::kNetwork)) == Verdict::kGone);
  CHECK(judge_exit(status_of_exit(ErrorKind::kRefused)) == Verdict::kStopAll);
  CHECK(judge_exit(status_of_exit(ErrorKind::kUsage)) == Verdict::kStopAll);
}

TEST_CASE("the end of an evaluator is told in words") {
  CHECK(describe_exit(status_of_signal(SIGKILL)) == "killed by SIGKILL (Killed)");
  CHECK(describe_exit(status_of_exit(3)) == "ended with exit code 3");
}
