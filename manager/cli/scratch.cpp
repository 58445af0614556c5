#include "manager/cli/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace ipfit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "ipfit-";
constexpr std::string_view kPattern = "ipfit-XXXXXX";
constexpr const char* kUsualPlace = "/tmp";

/// Longest directory whose sockets have paths of at most 107 bytes: "/ipfit-XXXXXX/manager" follows.
constexpr std::size_t kLongestForSocket = 80;

std::string temporary_place() {
  const char* given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? kUsualPlace : given;
}

/// No file of this name is in a fit directory, whatever that is called and wherever it lies.
std::string lock_in(const std::string& directory) {
  return directory + "/.scratch";
}

bool is_ours(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename();
  struct stat facts {};
  return name.size() == kPattern.size() && name.starts_with(kPrefix) && ::lstat(entry.path().c_str(), &facts) == 0 &&
         S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
}

/// Removes the directories whose processes were killed. One without a lock is just being made, or not of this kind.
void remove_abandoned(const std::string& parent) {
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(parent, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    const std::string lock = lock_in(entry->path());
    if (is_ours(*entry) && fs::is_regular_file(fs::symlink_status(lock, ignored))) {
      if (const auto held = lock_file(lock)) {
        fs::remove_all(entry->path(), ignored);
      }
    }
  }
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::make_in(const std::string& parent) {
  remove_abandoned(parent);
  std::string path = parent + "/" + std::string(kPattern);
  if (::mkdtemp(path.data()) == nullptr) {
    return Error{ErrorKind::kStorage, parent,
                 fmt::format("no temporary directory can be made: {}", std::strerror(errno)),
                 "set TMPDIR to a directory that you may write to and that has space"};
  }
  // It gets its name when it is locked: another process never finds a lock that it could take.
  const std::string aside = lock_in(path) + ".new";
  auto lock = lock_file(aside);
  std::error_code problem;
  if (lock) {
    fs::rename(aside, lock_in(path), problem);
  }
  if (!lock || problem) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    return lock ? Error{ErrorKind::kStorage, path, "cannot be locked: " + problem.message(),
                        "set TMPDIR to another directory"}
                : lock.error();
  }
  return ScratchDirectory(std::move(path), std::move(*lock));
}

Result<ScratchDirectory> ScratchDirectory::make() {
  return make_in(temporary_place());
}

Result<ScratchDirectory> ScratchDirectory::make_for_socket() {
  const std::string given = temporary_place();
  if (given.size() <= kLongestForSocket) {
    if (auto made = make_in(given)) {
      return made;
    }
  }
  return make_in(kUsualPlace);
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, "")), lock_(std::move(other.lock_)) {}

ScratchDirectory::~ScratchDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

}  // namespace ipfit
