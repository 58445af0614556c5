#include "manager/store/matrix_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <vector>

#include "common/checksum.h"

namespace ipfit {
namespace {

Result<std::uint64_t> file_bytes(const std::string& path, std::int64_t rows, std::int64_t columns) {
  std::int64_t values = 0;
  std::int64_t bytes = 0;
  if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &values) ||
      __builtin_mul_overflow(values, std::int64_t{sizeof(double)}, &bytes)) {
    return Error{ErrorKind::kStorage, path,
                 fmt::format("a matrix of {} rows and {} columns does not fit in a file", rows, columns),
                 "use fewer structures or a smaller basis"};
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

Status MatrixFile::create(const std::string& path, std::int64_t rows, std::int64_t columns) {
  const auto bytes = file_bytes(path, rows, columns);
  if (!bytes) {
    return bytes.errors();
  }
  const std::string aside = path + ".new";
  const auto make = [&]() -> Status {
    const auto file = File::open(aside, File::Mode::kCreate);
    if (!file) {
      return file.errors();
    }
    if (auto reserved = file->preallocate(*bytes); !reserved) {
      return reserved;
    }
    return file->sync();
  };
  Status made = make();
  std::error_code problem;
  if (made) {
    std::filesystem::rename(aside, path, problem);
  }
  if (made && problem) {
    made = Error{ErrorKind::kStorage, path, problem.message() + " while renaming " + aside + " to it", ""};
  }
  if (!made) {
    std::filesystem::remove(aside, problem);
    return made;
  }
  return sync_directory(std::filesystem::path(path).parent_path().string());
}

Result<MatrixFile> MatrixFile::open(const std::string& path, File::Mode mode, std::int64_t rows, std::int64_t columns) {
  const auto bytes = file_bytes(path, rows, columns);
  if (!bytes) {
    return bytes.errors();
  }
  auto file = File::open(path, mode);
  if (!file) {
    return file.errors();
  }
  if (mode == File::Mode::kReadWrite) {
    const auto size = file->size();
    const auto allocated = file->allocated();
    if (!size || !allocated || *size < *bytes || *allocated < *bytes) {
      if (const auto reserved = file->preallocate(*bytes); !reserved) {
        return reserved.errors();
      }
    }
  }
  return MatrixFile(std::move(*file), columns);
}

std::uint64_t MatrixFile::offset_of(std::int64_t row) const {
  return static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(columns_) * sizeof(double);
}

std::uint64_t MatrixFile::bytes_of(RowRange rows) const {
  return offset_of(rows.count);
}

Status MatrixFile::write(RowRange rows, std::span<const std::span<const std::byte>> pieces) const {
  return file_.write_at(offset_of(rows.first), pieces);
}

Result<bool> MatrixFile::lock(RowRange rows, File::Lock kind) const {
  const std::uint64_t bytes = bytes_of(rows);
  return bytes == 0 ? Result<bool>(true) : file_.lock(offset_of(rows.first), bytes, kind);
}

Status MatrixFile::unlock(RowRange rows) const {
  const std::uint64_t bytes = bytes_of(rows);
  return bytes == 0 ? Status(Done{}) : file_.unlock(offset_of(rows.first), bytes);
}

Status MatrixFile::read(RowRange rows, std::span<double> out) const {
  return file_.read_at(offset_of(rows.first), std::as_writable_bytes(out).first(bytes_of(rows)));
}

Error MatrixFile::damaged(const RowsStored& stored) const {
  const std::uint64_t first = offset_of(stored.rows.first);
  return Error{ErrorKind::kStorage, file_.path(),
               fmt::format("rows {} to {} (bytes {} to {}) do not have the checksum that the journal has for them",
                           stored.rows.first, stored.rows.first + stored.rows.count - 1, first,
                           first + bytes_of(stored.rows) - 1),
               "run the fit again: it evaluates them again"};
}

Status MatrixFile::check(const RowsStored& stored) const {
  // Pieces that are still in the second-level cache when their checksum is taken.
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kChunkBytes / 8, bytes_of(stored.rows)));
  BlockChecksum found;
  const std::uint64_t end = offset_of(stored.rows.first) + bytes_of(stored.rows);
  for (std::uint64_t at = offset_of(stored.rows.first); at < end;) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), end - at));
    if (auto read = file_.read_at(at, piece); !read) {
      return read;
    }
    found.add(piece);
    at += piece.size();
  }
  return found.digest() == stored.checksum ? Status(Done{}) : Status(damaged(stored));
}

}  // namespace ipfit
