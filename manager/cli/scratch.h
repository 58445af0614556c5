#pragma once

#include <string>

#include "common/file_system.h"
#include "common/result.h"

namespace ipfit {

/// A new directory ipfit-XXXXXX that only this user can enter; gone, with all that is in it, when this is. What a
/// killed process left is removed when the next one is made beside it: a lock is held as long as a directory is used.
class ScratchDirectory {
 public:
  /// For files of any size: in $TMPDIR, or /tmp where it is not set. Error (kStorage): it cannot be made there.
  static Result<ScratchDirectory> make();
  /// For a socket, whose path may have only 107 bytes: in $TMPDIR where that can be used and is short, else in /tmp.
  static Result<ScratchDirectory> make_for_socket();

  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  ScratchDirectory(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  static Result<ScratchDirectory> make_in(const std::string& parent);

  std::string path_;  ///< empty once moved from
  FileLock lock_;
};

}  // namespace ipfit
