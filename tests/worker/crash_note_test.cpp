#include "worker/crash_note.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace ipfit;

namespace {

const TaskId kTask{0x1234567890abcdefULL, Phase::kErrors, 42};

/// Runs `work` on the note in another process that then dies by SIGKILL.
template <class Work>
void die_after(const CrashNote& note, Work work) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Result<CrashNote> inherited = CrashNote::open(note.descriptor());
    if (inherited) {
      work(*inherited);
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("the structure that an evaluator died at is known afterwards") {
  Result<CrashNote> note = CrashNote::create();
  REQUIRE(note);
  die_after(*note, [](CrashNote& mine) {
    mine.begin(kTask);
    mine.at(7);
    mine.at(8);
  });
  CHECK_FALSE(note->crash());
  CHECK(note->evaluator_died() == CrashReport{kTask, 8});
  CHECK(note->crash() == CrashReport{kTask, 8});
}

TEST_CASE("an evaluator that dies between two structures blames none") {
  Result<CrashNote> note = CrashNote::create();
  REQUIRE(note);
  die_after(*note, [](CrashNote& mine) {
    mine.begin(kTask);
    mine.at(7);
    mine.end();
  });
  CHECK_FALSE(note->evaluator_died());
  CHECK_FALSE(note->crash());
}

TEST_CASE("a crash is reported until the manager has heard of it, and then no more") {
  Result<CrashNote> note = CrashNote::create();
  REQUIRE(note);
  die_after(*note, [](CrashNote& mine) {
    mine.begin(kTask);
    mine.at(7);
  });
  note->evaluator_died();
  die_after(*note, [](CrashNote&) {});  // the next one dies before it could report
  CHECK_FALSE(note->evaluator_died());
  CHECK(note->crash() == CrashReport{kTask, 7});
  die_after(*note, [](CrashNote& mine) { mine.crash_reported(); });
  note->evaluator_died();
  CHECK_FALSE(note->crash());
}

TEST_CASE("a descriptor that is no crash note is refused") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const Result<CrashNote> note = CrashNote::open(ends[0]);
  REQUIRE_FALSE(note);
  CHECK(note.error().kind == ErrorKind::kUsage);
  close(ends[0]);
  close(ends[1]);
}
