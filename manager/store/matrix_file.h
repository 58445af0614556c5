#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/file_system.h"
#include "manager/store/journal.h"

namespace ipfit {

/// The rows of a store on disk: rows x columns float64, row-major, little-endian, nothing else in the file. Knows
/// places and sizes, not which rows are valid. read() and check() may be called from several threads.
class MatrixFile {
 public:
  /// Makes the file, all zero, with its whole space reserved: made aside and renamed, durable on return. Replaces what
  /// is there. Errors: kStorage, with need and have where space is missing.
  static Status create(const std::string& path, std::int64_t rows, std::int64_t columns);

  /// Opens the file; with Mode::kReadWrite missing space is reserved again (a copy may have holes).
  static Result<MatrixFile> open(const std::string& path, File::Mode mode, std::int64_t rows, std::int64_t columns);

  std::uint64_t bytes_of(RowRange rows) const;
  /// The bytes of the rows, in pieces.
  Status write(RowRange rows, std::span<const std::span<const std::byte>> pieces) const;
  Status read(RowRange rows, std::span<double> out) const;
  /// These rows will be read soon: the system may fetch them meanwhile.
  void expect_read(RowRange rows) const { file_.expect_read(offset_of(rows.first), bytes_of(rows)); }
  /// Whether the rows on the disk have the checksum of the record; the error says why not.
  Status check(const RowsStored& stored) const;
  /// The error of rows that have not.
  Error damaged(const RowsStored& stored) const;
  /// Locks the rows as File::lock() does.
  Result<bool> lock(RowRange rows, File::Lock kind) const;
  Status unlock(RowRange rows) const;
  Result<FileId> id() const { return file_.id(); }
  const std::string& path() const { return file_.path(); }
  Status sync() const { return file_.sync(); }
  void forget_cache() const { file_.forget_cache(); }

 private:
  MatrixFile(File file, std::int64_t columns) : file_(std::move(file)), columns_(columns) {}
  std::uint64_t offset_of(std::int64_t row) const;
  File file_;
  std::int64_t columns_;
};

}  // namespace ipfit
