#include "worker/row_file.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "common/file_system.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

constexpr std::uint64_t kFileBytes = 1000;

/// A file of dots, as a manager would have it open.
struct Rows {
  test::TemporaryDirectory folder;
  std::string path = folder.file("blocks.f64");
  File file = File::open(path, File::Mode::kCreate).value();

  Rows() { put(std::string(kFileBytes, '.')); }
  void put(const std::string& text) const { REQUIRE(file.write_at(0, std::as_bytes(std::span(text)))); }
  Place place(std::uint64_t offset) const { return {path, file.id().value(), offset}; }
  std::string content() const { return read_file(path).value(); }
  std::string with(std::size_t offset, const std::string& text) const {
    return std::string(kFileBytes, '.').replace(offset, text.size(), text);
  }
};

Result<std::shared_ptr<const void>> write(const Place& place, const std::string& text) {
  return write_in_place(place, std::as_bytes(std::span(text)));
}

/// Why it was not written.
ErrorKind refusal(const Place& place, const std::string& text) {
  const auto written = write(place, text);
  REQUIRE_FALSE(written);
  CHECK_FALSE(written.error().what.empty());
  return written.error().kind;
}

}  // namespace

TEST_CASE("a block is written where it belongs and nowhere else") {
  const Rows rows;
  const auto written = write(rows.place(96), "0123456789");
  REQUIRE(written);
  CHECK(*written);
  CHECK(rows.content() == rows.with(96, "0123456789"));
  CHECK(write(rows.place(kFileBytes - 2), "xy"));
}

TEST_CASE(
    "what was written stays locked against other writers, and open to the manager's lock, until it is let go of") {
  const Rows rows;
  {
    const auto held = write(rows.place(96), "0123456789");
    REQUIRE(held);
    CHECK(refusal(rows.place(100), "late") == ErrorKind::kRefused);
    CHECK(rows.content() == rows.with(96, "0123456789"));
    CHECK(write(rows.place(106), "beside"));
    CHECK(rows.file.lock(96, 10, File::Lock::kShared).value());
  }
  CHECK(refusal(rows.place(96), "late") == ErrorKind::kRefused);  // the manager has it now
}

TEST_CASE("a block that nobody wanted leaves its place to the next one") {
  const Rows rows;
  write(rows.place(96), "0123456789").value().reset();
  const auto next = write(rows.place(96), "abcdefghij");
  REQUIRE(next);
  CHECK(rows.content() == rows.with(96, "abcdefghij"));
}

TEST_CASE("nothing is written while somebody else is writing there") {
  const Rows rows;
  REQUIRE(rows.file.lock(100, 1, File::Lock::kExclusive).value());
  CHECK(refusal(rows.place(96), "0123456789") == ErrorKind::kRefused);
  CHECK(rows.content() == rows.with(0, ""));
}

TEST_CASE("nothing is written into another file, beyond the end, or where there is no file") {
  const Rows rows;
  CHECK(refusal(rows.place(kFileBytes - 9), "0123456789") == ErrorKind::kStorage);
  CHECK(refusal(rows.place(~std::uint64_t{0} - 3), "0123456789") == ErrorKind::kStorage);
  CHECK(rows.content() == rows.with(0, ""));

  const Place place = rows.place(0);
  std::filesystem::rename(rows.path, rows.path + ".old");
  CHECK(refusal(place, "x") == ErrorKind::kStorage);
  REQUIRE(write_file_durably(rows.path, std::string(kFileBytes, '-')));
  CHECK(refusal(place, "x") == ErrorKind::kStorage);
  CHECK(rows.content() == std::string(kFileBytes, '-'));
  std::filesystem::remove(rows.path);
  std::filesystem::create_directory(rows.path);
  CHECK(refusal(place, "x") == ErrorKind::kStorage);
}

TEST_CASE("a write that fails is an error, and its lock is gone") {
  const Rows rows;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limits{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limits);
    const auto failed = write(rows.place(96), "0123456789");
    const bool free = rows.file.lock(96, 10, File::Lock::kExclusive).value();
    ::_exit(!failed && failed.error().kind == ErrorKind::kStorage && free ? 7 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("a writer that is killed in the middle leaves the place to others") {
  const Rows rows;
  const pid_t child = ::fork();
  if (child == 0) {
    const File file = File::open(rows.path, File::Mode::kReadWrite).value();
    if (file.lock(96, 10, File::Lock::kExclusive).value() && file.write_at(96, std::as_bytes(std::span("0123")))) {
      ::kill(::getpid(), SIGKILL);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const auto written = write(rows.place(96), "abcdefghij");
  REQUIRE(written);
  CHECK(rows.content() == rows.with(96, "abcdefghij"));
}
