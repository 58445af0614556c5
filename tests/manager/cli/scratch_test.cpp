#include "manager/cli/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/support/temporary_directory.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

/// TMPDIR as it is set here, until the end of the test.
class TmpDir {
 public:
  explicit TmpDir(const std::string& value) {
    if (const char* found = std::getenv("TMPDIR")) {
      before_ = found;
    }
    ::setenv("TMPDIR", value.c_str(), 1);
  }
  ~TmpDir() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }
  TmpDir(const TmpDir&) = delete;
  TmpDir& operator=(const TmpDir&) = delete;

 private:
  std::optional<std::string> before_;
};

/// Makes a scratch directory in another process, which is killed while it uses it; its path.
std::string left_by_a_killed_process() {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto scratch = ScratchDirectory::make();
    const std::string path = scratch ? scratch->path() : "";
    [[maybe_unused]] const auto written = ::write(ends[1], path.data(), path.size());
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  char path[4096];
  const ssize_t length = ::read(ends[0], path, sizeof path);
  ::close(ends[0]);
  ::close(ends[1]);
  REQUIRE(length > 0);
  return {path, static_cast<std::size_t>(length)};
}

TEST_CASE("a scratch directory is for its user only, and goes with all that is in it") {
  const test::TemporaryDirectory place;
  const TmpDir tmpdir(place.path());
  std::string path;
  {
    const auto scratch = ScratchDirectory::make();
    REQUIRE(scratch.ok());
    path = scratch->path();
    CHECK(fs::path(path).parent_path() == place.path());
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777U) == 0700U);
    fs::create_directory(scratch->file("deep"));
    std::ofstream(scratch->file("deep/file")) << "content";
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("what a killed process left goes when the next directory is made, and nothing else does") {
  const test::TemporaryDirectory place;
  const TmpDir tmpdir(place.path());
  const std::string left = left_by_a_killed_process();
  std::ofstream(left + "/dataset.bin") << "large";
  CHECK(fs::exists(left));
  const auto in_use = ScratchDirectory::make();
  REQUIRE(in_use.ok());
  CHECK_FALSE(fs::exists(left));
  // A fit directory of such a name, a directory that is just being made, a file, a link to a precious place.
  fs::create_directory(place.file("ipfit-silico"));
  std::ofstream(place.file("ipfit-silico/lock")) << "process 1 on lab\n";
  fs::create_directory(place.file("ipfit-making"));
  std::ofstream(place.file("ipfit-myfile")) << "precious";
  const std::string elsewhere = left_by_a_killed_process();
  fs::rename(elsewhere, place.file("precious"));
  fs::create_directory_symlink(place.file("precious"), place.file("ipfit-mylink"));
  const auto another = ScratchDirectory::make();
  REQUIRE(another.ok());
  CHECK(fs::exists(in_use->path()));
  for (const char* kept : {"ipfit-silico/lock", "ipfit-making", "ipfit-myfile", "ipfit-mylink", "precious/.scratch"}) {
    INFO(kept);
    CHECK(fs::exists(place.file(kept)));
  }
}

TEST_CASE("without a place for large files the error names it, and says what to do") {
  const test::TemporaryDirectory place;
  std::ofstream(place.file("file")) << "no directory";
  for (const std::string& wrong : {place.file("nowhere"), place.file("file")}) {
    const TmpDir tmpdir(wrong);
    const auto scratch = ScratchDirectory::make();
    REQUIRE_FALSE(scratch.ok());
    CHECK(scratch.error().kind == ErrorKind::kStorage);
    CHECK(scratch.error().where == wrong);
    CHECK(scratch.error().remedy.find("TMPDIR") != std::string::npos);
  }
}

TEST_CASE("a socket finds a place whose path is short enough wherever TMPDIR points") {
  const test::TemporaryDirectory place;
  fs::path deep = place.path();
  while (deep.native().size() < 200) {
    deep /= "directory-of-somebody";
  }
  fs::create_directories(deep);
  const std::string exactly = place.file(std::string(80 - place.path().native().size() - 1, 'x'));
  fs::create_directory(exactly);
  for (const std::string& given : {place.file("nowhere"), deep.string(), exactly, exactly + "x", std::string()}) {
    INFO(given);
    const TmpDir tmpdir(given);
    const auto scratch = ScratchDirectory::make_for_socket();
    REQUIRE(scratch.ok());
    CHECK(scratch->file("manager").size() <= 107);
    CHECK((scratch->path().starts_with(exactly) == (given == exactly)));
  }
}

}  // namespace
}  // namespace ipfit
