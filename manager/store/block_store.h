#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/file_system.h"
#include "common/result.h"
#include "manager/store/journal.h"

namespace ipfit {

/// A block on its way to the disk: the bytes of its rows in chunks of kChunkBytes, as they came from the socket.
struct StoredBlock {
  RowRange rows;
  std::vector<std::span<const std::byte>> chunks;
  std::vector<std::uint64_t> chunk_checksums;
  std::string worker;    ///< "host:pid", for the journal
  double seconds = 0.0;  ///< spent evaluating, for the journal
};

/// The file of a store that other processes write rows into.
struct SharedFile {
  std::string path;  ///< absolute
  FileId id;
  std::uint64_t row_bytes = 0;  ///< rows stand one after the other from its start
};

/// What opening a store found.
struct Recovery {
  std::vector<RowRange> stored;  ///< in row order, as they were written; those that are damaged until verify() too
  std::vector<QuarantineRecord> quarantined;
  bool finished = false;              ///< finish() was called and all rows are still claimed
  std::vector<std::string> findings;  ///< damage, in words: place, bytes, what will be evaluated again
};

/// The matrix of one phase of a fit on disk: `blocks.f64` (rows x columns float64, row-major, preallocated) and
/// `journal` (docs/reference/store-format.md). One process at a time (file `lock`). Not thread-safe: it belongs to the
/// store thread. Data are synced before the record that claims them is written, the record is synced before commit()
/// returns. What was stored before is verified on a thread beside, and no phase is finished without. After a failed
/// write or sync nothing more is written: the object reports the same error for ever, and what is on the disk is found
/// by opening the store again.
class BlockStore {
 public:
  /// Creates the directory and its files, or opens them, replays the journal and begins to verify the checksums of all
  /// stored rows, without waiting for it. Damage of the journal is named in recovery().findings and mended. Errors:
  /// kStorage where there is no space for the whole matrix (with need and have) or another process holds the lock (with
  /// its pid and host); kRefused for another identity (naming what differs) or another format version.
  static Result<BlockStore> open(const std::string& directory, const StoreIdentity& identity);
  BlockStore(BlockStore&&) noexcept;
  BlockStore& operator=(BlockStore&&) noexcept;
  ~BlockStore();

  const Recovery& recovery() const;

  /// Whether all rows that were there at opening have been read and compared with their checksums.
  bool verified() const;
  /// Calls `call` when they have: on another thread, or at once.
  void when_verified(std::function<void()> call);
  /// Waits until they have. What is damaged is stored no longer: it is taken out of recovery().stored and of the
  /// journal, and can be written again. Returns what that is, in words, the first time; adds it to recovery().findings.
  /// Errors: kStorage.
  Result<std::vector<std::string>> verify();
  const StoreIdentity& identity() const;

  enum class Taken {
    kYes,
    kBusy,  ///< another process is writing these rows at the moment: try again
  };
  /// Writes the rows in place. Ranges of two blocks must be equal or disjoint. The same block again changes nothing.
  /// Errors that leave the store usable (kRefused, nothing written): a chunk differs from its checksum; sizes do not
  /// fit; rows that are stored with another checksum, or overlap. kStorage: the disk; final.
  Result<Taken> write(const StoredBlock& block);
  Status quarantine(const QuarantineRecord& record);

  /// From now on other processes may write rows that are not stored yet, by the rules of worker/row_file.h. What is
  /// stored is locked against them, as is whatever write() and adopt() add, for as long as this object lives. Errors:
  /// kStorage where somebody is writing rows that are stored.
  Result<SharedFile> share();
  bool shared() const;
  /// Takes rows as stored that another process has written in place and still has locked; they become durable with the
  /// next commit. Errors as of write(); kRefused also where yet another process is writing them.
  Status adopt(const RowsStored& rows);

  /// Makes durable all that was written since the last commit: sync rows, append records, sync journal.
  Status commit();
  /// All rows are stored, or will be with the next commit.
  bool complete() const;
  /// Verifies, commits, and records that the phase is finished. kFailed where rows are missing.
  Status finish();

  /// Reads rows into `out` (count * columns doubles). Does not check that they were stored.
  Status read(RowRange rows, std::span<double> out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  explicit BlockStore(std::unique_ptr<State> state);
};

}  // namespace ipfit
