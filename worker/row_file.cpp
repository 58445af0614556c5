#include "worker/row_file.h"

#include <fmt/format.h>

#include "common/file_system.h"

namespace ipfit {
namespace {

/// Whether the block lies inside of the file that is meant.
Status check_place(const File& file, const Place& place, std::size_t bytes) {
  const auto id = file.id();
  const auto size = file.size();
  if (!id || !size) {
    return id ? size.errors() : id.errors();
  }
  if (*id != place.id) {
    return Error{ErrorKind::kStorage, place.file, "is not the file that the manager has open", ""};
  }
  if (place.offset > *size || bytes > *size - place.offset) {
    return Error{ErrorKind::kStorage, place.file,
                 fmt::format("has {} bytes, {} from byte {} on do not fit in it", *size, bytes, place.offset), ""};
  }
  return Done{};
}

/// Locks the bytes; nobody may have a lock that forbids it.
Status lock(const File& file, const Place& place, std::size_t bytes, File::Lock kind) {
  const auto locked = file.lock(place.offset, bytes, kind);
  if (!locked) {
    return locked.errors();
  }
  if (!*locked) {
    return Error{
        ErrorKind::kRefused, place.file,
        fmt::format("another process has written the {} bytes from byte {} on, or does so now", bytes, place.offset),
        ""};
  }
  return Done{};
}

Status write_locked(const File& file, const Place& place, std::span<const std::byte> block) {
  if (Status good = check_place(file, place, block.size()); !good) {
    return good;
  }
  if (Status locked = lock(file, place, block.size(), File::Lock::kExclusive); !locked) {
    return locked;
  }
  if (Status written = file.write_at(place.offset, block); !written) {
    return written;
  }
  // The manager waits for the disk; the work of handing it the pages is done here, where there are more hands.
  file.begin_sync(place.offset, block.size());
  return lock(file, place, block.size(), File::Lock::kShared);
}

}  // namespace

Result<std::shared_ptr<const void>> write_in_place(const Place& place, std::span<const std::byte> block) {
  // Opened anew for each block, since a lock belongs to what was opened: two blocks never share one.
  auto file = File::open(place.file, File::Mode::kReadWrite);
  if (!file) {
    return file.errors();
  }
  if (Status written = write_locked(*file, place, block); !written) {
    return written.errors();
  }
  return std::shared_ptr<const void>(std::make_shared<const File>(std::move(*file)));
}

}  // namespace ipfit
