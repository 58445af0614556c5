#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ipfit::test {

/// Where syncs cost nothing: for tests that make thousands of them. The usual place where there is no such.
inline std::filesystem::path memory_folder() {
  std::error_code ignored;
  return std::filesystem::is_directory("/dev/shm", ignored) ? "/dev/shm" : std::filesystem::temp_directory_path();
}

/// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::filesystem::path& inside = std::filesystem::temp_directory_path()) {
    std::string name = (inside / "ipfit_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ipfit::test
