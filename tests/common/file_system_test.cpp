#include "common/file_system.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Runs `body` in a child process whose files may not grow beyond `limit` bytes, and returns what it answers.
template <class Body>
int with_file_size_limit(rlim_t limit, Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limits{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &limits);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a file written durably holds what was written, old content gone, nothing left aside") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("fit.toml");
  for (const std::string& content : {std::string("first, and longer"), std::string("second"), std::string()}) {
    REQUIRE(write_file_durably(path, content));
    CHECK(read_file(path).value() == content);
  }
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_CASE("a file with secrets is for its owner only, even where a crash left a public one aside") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("ticket");
  std::ofstream(path + ".new") << "left by a crash";
  REQUIRE(write_file_durably(path, "secret", 0600));
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777U) == 0600U);
}

TEST_CASE("no more is read of a file than its reader can use: of a long one, a device, a pipe that never ends") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("file");
  std::ofstream(path) << std::string(1000, 'x');
  CHECK(read_file(path, 1000).value().size() == 1000);
  CHECK(read_file(path, 999).error().text() ==
        path + ": longer than 999 bytes; check that this is the file that was meant");
  CHECK(read_file("/dev/zero", 1 << 20).error().kind == ErrorKind::kInput);

  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    const int end = ::open(pipe.c_str(), O_WRONLY);
    while (::write(end, "endless", 7) > 0) {
    }
    ::_exit(0);
  }
  CHECK(read_file(pipe, 100000).error().kind == ErrorKind::kInput);
  int status = 0;
  ::waitpid(writer, &status, 0);
  CHECK(WIFSIGNALED(status));  // its reader has gone
}

TEST_CASE("a file that cannot be replaced stays as it was") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("potential");
  REQUIRE(write_file_durably(path, "old"));
  const int answer = with_file_size_limit(10, [&] {
    const auto written = write_file_durably(path, std::string(100, 'x'));
    return !written && written.error().kind == ErrorKind::kStorage && !written.error().remedy.empty() ? 7 : 1;
  });
  CHECK(answer == 7);
  CHECK(read_file(path).value() == "old");
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_CASE("a file that is missing is named with the reason") {
  const auto content = read_file("/nonexistent/si.xyz");
  REQUIRE_FALSE(content);
  CHECK(content.error().kind == ErrorKind::kInput);
  CHECK(content.error().text() == "/nonexistent/si.xyz: cannot be read: No such file or directory");
}

TEST_CASE("a directory is not read as a file") {
  CHECK_FALSE(read_file("/"));
}

TEST_CASE("a long file is read whole") {
  const test::TemporaryDirectory folder;
  std::string content(3'000'001, 'a');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * i % 251);
  }
  REQUIRE(write_file_durably(folder.file("long"), content));
  CHECK(read_file(folder.file("long")).value() == content);
}

TEST_CASE("directories are made with their parents, and making them again is no error") {
  const test::TemporaryDirectory folder;
  REQUIRE(make_directories(folder.file("a/b/c"), 0700));
  REQUIRE(make_directories(folder.file("a/b/c"), 0700));
  struct stat facts {};
  REQUIRE(::stat(folder.file("a/b").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777U) == 0700U);
  std::ofstream(folder.file("file")) << "x";
  CHECK_FALSE(make_directories(folder.file("file/below")));
}

TEST_CASE("pieces are written one after the other, empty ones and hundreds of them too") {
  const test::TemporaryDirectory folder;
  const auto file = File::open(folder.file("pieces"), File::Mode::kCreate);
  REQUIRE(file);
  std::string expected = "....";
  std::vector<std::string> texts;
  for (int i = 0; i < 700; ++i) {
    texts.push_back(std::string(static_cast<std::size_t>(i % 5), static_cast<char>('a' + i % 26)));
    expected += texts.back();
  }
  std::vector<std::span<const std::byte>> pieces;
  for (const std::string& text : texts) {
    pieces.push_back(bytes_of(text));
  }
  REQUIRE(file->write_at(0, bytes_of("....")));
  REQUIRE(file->write_at(4, pieces));
  REQUIRE(file->sync());
  CHECK(read_file(folder.file("pieces")).value() == expected);

  std::string back(expected.size(), '?');
  REQUIRE(file->read_at(0, std::as_writable_bytes(std::span(back))));
  CHECK(back == expected);
  CHECK_FALSE(file->read_at(1, std::as_writable_bytes(std::span(back))));  // one byte too many
}

TEST_CASE("a write that the system cuts short is carried on with and then fails in words") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("short");
  const int answer = with_file_size_limit(1000, [&] {
    const auto file = File::open(path, File::Mode::kCreate);
    const std::string text(600, 'x');
    const std::vector<std::span<const std::byte>> pieces{bytes_of(text), bytes_of(text)};
    const auto written = file->write_at(0, pieces);
    return !written && written.error().what == "File too large while writing at byte 1000" ? 7 : 1;
  });
  CHECK(answer == 7);
  CHECK(read_file(path).value() == std::string(1000, 'x'));
}

TEST_CASE("reserved space is zero, counts as allocated, and keeps what is there") {
  const test::TemporaryDirectory folder;
  const auto file = File::open(folder.file("reserved"), File::Mode::kCreate);
  REQUIRE(file->write_at(0, bytes_of("abc")));
  REQUIRE(file->preallocate(1'000'000));
  CHECK(file->size().value() == 1'000'000);
  CHECK(file->allocated().value() >= 1'000'000);
  std::string back(6, '?');
  REQUIRE(file->read_at(0, std::as_writable_bytes(std::span(back))));
  CHECK(back == std::string("abc\0\0\0", 6));
}

TEST_CASE("space that is not there is refused with what is needed and what is free") {
  const test::TemporaryDirectory folder;
  const auto file = File::open(folder.file("huge"), File::Mode::kCreate);
  const std::uint64_t free = free_bytes(folder.path().string()).value();
  const auto reserved = file->preallocate(free + (std::uint64_t{1} << 40U));
  REQUIRE_FALSE(reserved);
  CHECK(reserved.error().kind == ErrorKind::kStorage);
  // File systems with a smaller limit on one file say so instead.
  CHECK_THAT(reserved.error().what,
             Catch::Contains("No space left on device: needs") || Catch::Contains("File too large"));
  CHECK_FALSE(reserved.error().remedy.empty());
}

TEST_CASE("a lock is held against everybody else until it is given up") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("lock");
  {
    const auto held = lock_file(path);
    REQUIRE(held);
    const auto again = lock_file(path);
    REQUIRE_FALSE(again);
    CHECK(again.error().kind == ErrorKind::kStorage);
    CHECK_THAT(again.error().what, Catch::StartsWith("in use by process " + std::to_string(::getpid()) + " on "));
  }
  CHECK(lock_file(path));
}

TEST_CASE("bytes of a file are locked by one alone, or by several who share, and others may lock what is beside them") {
  using Lock = File::Lock;
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("rows");
  const auto one = File::open(path, File::Mode::kCreate);
  const auto two = File::open(path, File::Mode::kReadWrite);
  CHECK(one->lock(100, 50, Lock::kExclusive).value());
  CHECK_FALSE(two->lock(149, 10, Lock::kExclusive).value());
  CHECK_FALSE(two->lock(149, 10, Lock::kShared).value());
  CHECK(two->lock(150, 10, Lock::kExclusive).value());
  CHECK(one->lock(100, 50, Lock::kShared).value());  // without a moment in which nobody has it
  CHECK_FALSE(two->lock(149, 1, Lock::kExclusive).value());
  CHECK(two->lock(149, 1, Lock::kShared).value());
  CHECK_FALSE(one->lock(100, 50, Lock::kExclusive).value());
  CHECK_FALSE(two->lock(149, 1, Lock::kExclusive).value());  // the failure before took nothing away
}

TEST_CASE("a part of what is locked can be given up, and the rest stays locked") {
  using Lock = File::Lock;
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("rows");
  const auto one = File::open(path, File::Mode::kCreate);
  const auto two = File::open(path, File::Mode::kReadWrite);
  REQUIRE(one->lock(0, 100, Lock::kShared).value());
  CHECK(one->unlock(40, 20));
  CHECK(two->lock(40, 20, Lock::kExclusive).value());
  CHECK_FALSE(two->lock(39, 1, Lock::kExclusive).value());
  CHECK_FALSE(two->lock(60, 1, Lock::kExclusive).value());
  CHECK(one->unlock(200, 20));  // nothing was locked there
}

TEST_CASE("locked bytes are free when the file that locked them is closed, and not when another one is") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("rows");
  const auto other = File::open(path, File::Mode::kCreate);
  {
    const auto holder = File::open(path, File::Mode::kReadWrite);
    CHECK(holder->lock(0, 8, File::Lock::kExclusive).value());
    { const auto third = File::open(path, File::Mode::kReadWrite); }
    CHECK_FALSE(other->lock(0, 8, File::Lock::kShared).value());
  }
  CHECK(other->lock(0, 8, File::Lock::kShared).value());
}

TEST_CASE("a file is the same under all its names, and another one under the same name is not") {
  const test::TemporaryDirectory folder;
  const auto file = File::open(folder.file("a"), File::Mode::kCreate);
  std::filesystem::create_hard_link(folder.file("a"), folder.file("b"));
  CHECK(File::open(folder.file("b"), File::Mode::kRead)->id().value() == file->id().value());
  std::filesystem::remove(folder.file("a"));
  const auto other = File::open(folder.file("a"), File::Mode::kCreate);
  CHECK_FALSE(other->id().value() == file->id().value());
}

TEST_CASE("a lock dies with its process") {
  const test::TemporaryDirectory folder;
  const std::string path = folder.file("lock");
  std::array<int, 2> locked{};
  std::array<int, 2> hold{};
  REQUIRE(::pipe(locked.data()) == 0);
  REQUIRE(::pipe(hold.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(hold[1]);
    const auto held = lock_file(path);
    char byte = held ? 'y' : 'n';
    if (::write(locked[1], &byte, 1) != 1 || ::read(hold[0], &byte, 1) != 0) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  char byte = '?';
  REQUIRE(::read(locked[0], &byte, 1) == 1);
  CHECK(byte == 'y');
  const auto refused = lock_file(path);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().what, Catch::StartsWith("in use by process " + std::to_string(child) + " on "));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(lock_file(path));
  for (const int descriptor : {locked[0], locked[1], hold[0], hold[1]}) {
    ::close(descriptor);
  }
}
