#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/result.h"

namespace ipfit {

/// The whole file as bytes in a string; also of a pipe or a device. Errors: kInput when it is missing, unreadable or
/// longer than `most` bytes, of which no more are read.
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
Result<std::string> read_file(const std::string& path, std::size_t most = kMostFileBytes);

/// Replaces or creates the file so that after any crash the old or the new content is there, whole: written aside
/// (PATH.new), synced, renamed, directory synced. `permissions` are those of open(2), before the umask; 0600 for
/// secrets. Errors: kStorage.
Status write_file_durably(const std::string& path, std::string_view content, unsigned permissions = 0666);

/// Makes the directory and its missing parents, durably. Success where it exists. Errors: kStorage.
Status make_directories(const std::string& path, unsigned permissions = 0777);

/// Makes creations, renames and removals in the directory durable. Errors: kStorage.
Status sync_directory(const std::string& path);

/// Space that an ordinary process may still use on the file system of `path`. Errors: kStorage.
Result<std::uint64_t> free_bytes(const std::string& path);

/// Which file it is, whatever its name and whoever opened it.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};

/// An open file. Interrupted and short reads and writes are carried on with until all is done. Every error is kStorage
/// with the path, the system's reason in words and, where there is one, the remedy. Threads may share it for reading.
class File {
 public:
  enum class Mode {
    kRead,
    kReadWrite,
    kCreate,  ///< for reading and writing; emptied where it exists; only its owner may read it
  };
  static Result<File> open(const std::string& path, Mode mode);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  Result<FileId> id() const;
  Result<std::uint64_t> size() const;
  /// Bytes that the file occupies on the disk: less than its size where it has holes.
  Result<std::uint64_t> allocated() const;

  /// An error where the file ends before `out` is full.
  Status read_at(std::uint64_t offset, std::span<std::byte> out) const;
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// The pieces one after the other, without copying them together.
  Status write_at(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) const;

  /// Reserves disk space for the first `bytes` bytes and makes the file at least that long. Keeps what is in it. Where
  /// the space does not suffice, the error says how much is needed and how much is there.
  Status preallocate(std::uint64_t bytes) const;

  /// The content, and what is needed to read it back, is on the disk when this returns (fdatasync). After an error
  /// nobody knows what is on the disk: the file must not be written any further.
  Status sync() const;

  /// These bytes will be read soon: the system may fetch them meanwhile.
  void expect_read(std::uint64_t offset, std::uint64_t bytes) const;

  /// Lets the system begin to write these bytes to the disk, without waiting for it: a hint, and no promise.
  void begin_sync(std::uint64_t offset, std::uint64_t bytes) const;

  enum class Lock {
    kShared,     ///< several may have it at a time
    kExclusive,  ///< one alone
  };
  /// Locks these bytes (0: all from `offset` on) against all who open the file anew, here or in another process, and
  /// lock too (nobody else is kept out). What this object has locked there already changes its kind, without a moment
  /// in between. Kept until the object or its process ends, however it ends. False: somebody else has a lock that
  /// forbids it; nothing changes.
  Result<bool> lock(std::uint64_t offset, std::uint64_t bytes, Lock kind) const;
  /// Gives up what this object has locked there, if anything.
  Status unlock(std::uint64_t offset, std::uint64_t bytes) const;

  /// Later reads come from the disk, not from the system's memory of what was written (which after a failed sync may
  /// be something else).
  void forget_cache() const;

 private:
  File(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
};

/// Held as long as the object lives, and no longer than the process.
class FileLock {
 public:
  explicit FileLock(File file) : file_(std::move(file)) {}

 private:
  File file_;
};

/// Locks the file (made where it is missing) against all other holders, in this process or another, and writes process
/// and host into it. Errors: kStorage, naming the holder.
Result<FileLock> lock_file(const std::string& path);

}  // namespace ipfit
