#include "common/file_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace ipfit {
namespace {

std::string reason(int number) {
  return std::generic_category().message(number);
}

std::string remedy(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there or choose a directory on another disk";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f) or choose another file system";
    case EIO:
      return "the disk or its connection fails: see the system log (dmesg)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check owner and permissions, or choose another directory";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    default:
      return "";
  }
}

Error storage_error(const std::string& path, int number, const std::string& doing) {
  return Error{ErrorKind::kStorage, path, reason(number) + " while " + doing, remedy(number)};
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{} bytes", bytes)
                           : fmt::format("{:.3f} GB", static_cast<double>(bytes) / 1e9);
}

std::string parent_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// Repeats a system call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

int open_descriptor(const std::string& path, int flags, unsigned permissions = 0600) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, permissions); });
}

/// A lock of the open file, not of the process: it is not lost when something else here closes the same file.
bool set_lock(int descriptor, short kind, std::uint64_t offset, std::uint64_t bytes) {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(offset);
  range.l_len = static_cast<off_t>(bytes);
  return uninterrupted([&] { return ::fcntl(descriptor, F_OFD_SETLK, &range); }) == 0;
}

Status rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return storage_error(to, errno, "renaming " + from + " to it");
  }
  return sync_directory(parent_of(to));
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

Error held_by_another(const std::string& path, int descriptor) {
  std::array<char, 512> text{};
  const ssize_t length = uninterrupted([&] { return ::pread(descriptor, text.data(), text.size() - 1, 0); });
  std::string holder(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  holder.erase(std::find(holder.begin(), holder.end(), '\n'), holder.end());
  return Error{ErrorKind::kStorage, path, "in use by " + (holder.empty() ? "another process" : holder),
               "stop that process, or wait until it has ended"};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t most) {
  const auto failed = [&] { return Error{ErrorKind::kInput, path, "cannot be read: " + reason(errno), remedy(errno)}; };
  const int descriptor = open_descriptor(path, O_RDONLY);
  if (descriptor < 0) {
    return failed();
  }
  // Read to the end rather than by the size: pipes and files under /proc have none.
  std::string content;
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    const ssize_t count = uninterrupted([&] { return ::read(descriptor, piece.data(), piece.size()); });
    if (count < 0) {
      const Error error = failed();
      ::close(descriptor);
      return error;
    }
    if (count == 0) {
      ::close(descriptor);
      return content;
    }
    content.append(piece.data(), static_cast<std::size_t>(count));
    if (content.size() > most) {
      ::close(descriptor);
      return Error{ErrorKind::kInput, path, fmt::format("longer than {} bytes", most),
                   "check that this is the file that was meant"};
    }
    if (static_cast<std::size_t>(count) == piece.size() && piece.size() < (std::size_t{1} << 22)) {
      piece.resize(piece.size() * 2);
    }
  }
}

Status write_file_durably(const std::string& path, std::string_view content, unsigned permissions) {
  const std::string aside = path + ".new";
  ::unlink(aside.c_str());  // left by a crash, perhaps with other permissions
  const int descriptor = open_descriptor(aside, O_RDWR | O_CREAT | O_EXCL, permissions);
  if (descriptor < 0) {
    return storage_error(aside, errno, "creating it");
  }
  ::close(descriptor);
  auto file = File::open(aside, File::Mode::kReadWrite);
  if (!file) {
    return file.errors();
  }
  auto done = file->write_at(0, std::as_bytes(std::span(content)));
  if (done) {
    done = file->sync();
  }
  if (done) {
    done = rename_durably(aside, path);
  }
  if (!done) {
    ::unlink(aside.c_str());
  }
  return done;
}

Status make_directories(const std::string& path, unsigned permissions) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    return Done{};
  }
  const std::string parent = parent_of(path);
  if (parent != path) {
    if (auto made = make_directories(parent, permissions); !made) {
      return made;
    }
  }
  if (::mkdir(path.c_str(), permissions) != 0) {
    const int number = errno;
    if (std::error_code ignored; number == EEXIST && std::filesystem::is_directory(path, ignored)) {
      return Done{};
    }
    return storage_error(path, number, "making the directory");
  }
  return sync_directory(parent);
}

Status sync_directory(const std::string& path) {
  const int descriptor = open_descriptor(path, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) {
    return storage_error(path, errno, "opening the directory");
  }
  const int result = uninterrupted([&] { return ::fsync(descriptor); });
  const int number = errno;
  ::close(descriptor);
  // Some network file systems cannot sync a directory and say EINVAL; there is nothing more that one could do.
  if (result != 0 && number != EINVAL) {
    return storage_error(path, number, "syncing the directory");
  }
  return Done{};
}

Result<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs facts {};
  if (::statvfs(path.c_str(), &facts) != 0) {
    return storage_error(path, errno, "asking for the free space");
  }
  return std::uint64_t{facts.f_bavail} * facts.f_frsize;
}

Result<File> File::open(const std::string& path, Mode mode) {
  const int flags = mode == Mode::kRead ? O_RDONLY : mode == Mode::kReadWrite ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC;
  const int descriptor = open_descriptor(path, flags);
  if (descriptor < 0) {
    return storage_error(path, errno, mode == Mode::kCreate ? "creating it" : "opening it");
  }
  return File(path, descriptor);
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<FileId> File::id() const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) {
    return storage_error(path_, errno, "asking which file it is");
  }
  return FileId{facts.st_dev, facts.st_ino};
}

Result<std::uint64_t> File::size() const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) {
    return storage_error(path_, errno, "asking for its size");
  }
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<std::uint64_t> File::allocated() const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) {
    return storage_error(path_, errno, "asking for its size");
  }
  return static_cast<std::uint64_t>(facts.st_blocks) * 512;
}

Status File::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count =
        uninterrupted([&] { return ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset)); });
    if (count < 0) {
      return storage_error(path_, errno, fmt::format("reading {} bytes at byte {}", out.size(), offset));
    }
    if (count == 0) {
      return Error{ErrorKind::kStorage, path_,
                   fmt::format("ends at byte {}, expected {} more bytes there", offset, out.size()), ""};
    }
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return Done{};
}

Status File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  return write_at(offset, std::span(&bytes, 1));
}

Status File::write_at(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) const {
  constexpr std::size_t kPiecesPerCall = 256;  // at most IOV_MAX, which is 1024
  std::array<iovec, kPiecesPerCall> vectors;
  std::size_t done_of_first = 0;  // bytes of pieces[0] that are written already
  while (true) {
    while (!pieces.empty() && done_of_first == pieces[0].size()) {
      pieces = pieces.subspan(1);
      done_of_first = 0;
    }
    if (pieces.empty()) {
      return Done{};
    }
    const std::size_t count = std::min(pieces.size(), kPiecesPerCall);
    for (std::size_t i = 0; i < count; ++i) {
      const auto rest = i == 0 ? pieces[i].subspan(done_of_first) : pieces[i];
      vectors[i] = {const_cast<std::byte*>(rest.data()), rest.size()};  // pwritev only reads
    }
    const ssize_t result = uninterrupted(
        [&] { return ::pwritev(descriptor_, vectors.data(), static_cast<int>(count), static_cast<off_t>(offset)); });
    if (result <= 0) {
      return storage_error(path_, result < 0 ? errno : EIO, fmt::format("writing at byte {}", offset));
    }
    auto written = static_cast<std::size_t>(result);
    offset += written;
    while (!pieces.empty() && written >= pieces[0].size() - done_of_first) {
      written -= pieces[0].size() - done_of_first;
      pieces = pieces.subspan(1);
      done_of_first = 0;
    }
    done_of_first += written;
  }
}

Status File::preallocate(std::uint64_t bytes) const {
  if (bytes == 0) {
    return Done{};
  }
  int number = EINTR;
  while (number == EINTR) {
    number = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  }
  if (number == ENOSPC || number == EDQUOT) {
    const auto here = allocated();
    const auto have = free_bytes(path_);
    const std::uint64_t usable = (here ? *here : 0) + (have ? *have : 0);
    return Error{ErrorKind::kStorage, path_,
                 fmt::format("{}: needs {}, {} are free", reason(number), size_text(bytes), size_text(usable)),
                 remedy(number)};
  }
  if (number != 0) {
    return storage_error(path_, number, "reserving " + size_text(bytes));
  }
  return Done{};
}

Status File::sync() const {
  if (uninterrupted([&] { return ::fdatasync(descriptor_); }) != 0) {
    return storage_error(path_, errno, "syncing it");
  }
  return Done{};
}

void File::expect_read(std::uint64_t offset, std::uint64_t bytes) const {
  ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

void File::begin_sync(std::uint64_t offset, std::uint64_t bytes) const {
  ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

Result<bool> File::lock(std::uint64_t offset, std::uint64_t bytes, Lock kind) const {
  if (set_lock(descriptor_, kind == Lock::kShared ? F_RDLCK : F_WRLCK, offset, bytes)) {
    return true;
  }
  if (errno == EAGAIN || errno == EACCES) {
    return false;
  }
  return storage_error(path_, errno, fmt::format("locking {} bytes at byte {}", bytes, offset));
}

Status File::unlock(std::uint64_t offset, std::uint64_t bytes) const {
  if (!set_lock(descriptor_, F_UNLCK, offset, bytes)) {
    return storage_error(path_, errno, fmt::format("unlocking {} bytes at byte {}", bytes, offset));
  }
  return Done{};
}

void File::forget_cache() const {
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
}

Result<FileLock> lock_file(const std::string& path) {
  const int descriptor = open_descriptor(path, O_RDWR | O_CREAT);
  if (descriptor < 0) {
    return storage_error(path, errno, "opening the lock");
  }
  ::close(descriptor);
  auto file = File::open(path, File::Mode::kReadWrite);
  if (!file) {
    return file.errors();
  }
  constexpr std::uint64_t kToTheEnd = 0;
  const auto locked = file->lock(0, kToTheEnd, File::Lock::kExclusive);
  if (!locked) {
    return locked.errors();
  }
  if (!*locked) {
    return held_by_another(path, file->descriptor());
  }
  const std::string holder = fmt::format("process {} on {}\n", ::getpid(), host_name());
  if (::ftruncate(file->descriptor(), 0) != 0) {
    return storage_error(path, errno, "emptying the lock");
  }
  if (auto written = file->write_at(0, std::as_bytes(std::span(holder))); !written) {
    return written.errors();
  }
  return FileLock(std::move(*file));
}

}  // namespace ipfit
