#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/result.h"

namespace ipfit {

/// What a store belongs to. A store opened with another identity is refused, naming the part that differs.
struct StoreIdentity {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::string dataset;  ///< fingerprint of dataset.bin
  std::string model;    ///< fingerprint of the model text
  std::string build;    ///< build id: other builds may round differently
  bool operator==(const StoreIdentity&) const = default;
};

/// Rows [first, first + count) of the matrix.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  auto operator<=>(const RowRange&) const = default;
};

/// A block on its way to the disk: the bytes of its rows in chunks of kChunkBytes, as they came from the socket.
struct StoredBlock {
  RowRange rows;
  std::vector<std::span<const std::byte>> chunks;
  std::vector<std::uint64_t> chunk_checksums;
  std::string worker;    ///< "host:pid", for the journal
  double seconds = 0.0;  ///< spent evaluating, for the journal
};

struct QuarantineRecord {
  std::uint32_t structure = 0;
  std::string reason;
};

/// What opening a store found.
struct Recovery {
  std::vector<RowRange> stored;  ///< verified, in row order, as they were written
  std::vector<QuarantineRecord> quarantined;
  std::vector<std::string> findings;  ///< damage, in words: place, bytes, what will be evaluated again
};

/// The matrix of one phase of a fit on disk: `blocks.f64` (rows x columns float64, row-major, preallocated) and
/// `journal` (docs/reference/store-format.md). One process at a time (lock file). Not thread-safe: it belongs to the
/// store thread. Data are synced before the record that claims them is written, the record is synced before commit()
/// returns. After a failed sync nothing more is written: the object reports the same error for ever.
class BlockStore {
 public:
  /// Creates the directory's files, or opens them, replays the journal and verifies the checksums of all stored rows.
  /// Errors: no space for the whole matrix (with need and have), another process holds the lock (with its pid), another
  /// identity.
  static Result<BlockStore> open(const std::string& directory, const StoreIdentity& identity);
  BlockStore(BlockStore&&) noexcept;
  BlockStore& operator=(BlockStore&&) noexcept;
  ~BlockStore();

  const Recovery& recovery() const;
  const StoreIdentity& identity() const;

  /// Writes the rows in place. Checks every chunk against its checksum first (kRefused: damaged on the way, nothing
  /// written).
  Status write(const StoredBlock& block);
  Status quarantine(const QuarantineRecord& record);
  /// Makes durable all that was written since the last commit: sync rows, append records, sync journal.
  Status commit();

  /// Reads rows into `out` (count * columns doubles). Does not check that they were stored.
  Status read(RowRange rows, std::span<double> out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  explicit BlockStore(std::unique_ptr<State> state);
};

/// Opens an existing store for reading only (solve, predict): no lock against other readers, no verification unless
/// asked.
Result<StoreIdentity> read_store_identity(const std::string& directory);

}  // namespace ipfit
