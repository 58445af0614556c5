#include "manager/store/block_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "common/checksum.h"
#include "common/file_system.h"
#include "manager/store/claims.h"
#include "manager/store/matrix_file.h"
#include "manager/store/recover.h"
#include "manager/store/row_check.h"

namespace ipfit {
namespace {

std::string rows_text(RowRange rows) {
  return fmt::format("rows {} to {}", rows.first, rows.first + rows.count - 1);
}

std::vector<RowsStored> rows_of(const Claims& claims) {
  std::vector<RowsStored> rows;
  rows.reserve(claims.rows.size());
  for (const auto& [first, stored] : claims.rows) {
    rows.push_back(stored);
  }
  return rows;
}

}  // namespace

struct BlockStore::State {
  StoreIdentity identity;
  std::uint64_t tag;
  FileLock lock;
  MatrixFile matrix;
  File journal;
  std::uint64_t journal_end;
  std::uint64_t next_sequence;
  std::map<std::int64_t, RowsStored> stored;  ///< by first row; with those that are not committed yet
  std::vector<std::byte> uncommitted;         ///< records
  bool matrix_dirty = false;
  bool shared = false;
  Recovery recovery;
  std::optional<Error> broken;
  std::unique_ptr<RowCheck> check;  ///< of what was stored at opening, until verify()

  /// Remembers the first failure of the disk for ever.
  Status final(Status status) {
    if (!status) {
      broken = status.error();
    }
    return status;
  }

  void append(const JournalRecord& record) {
    const auto bytes = encode_record(record, tag, next_sequence++);
    uncommitted.insert(uncommitted.end(), bytes.begin(), bytes.end());
  }

  Status check_range(RowRange rows) const;
  Status check_sizes(const StoredBlock& block) const;
  Status check_chunks(const StoredBlock& block) const;
  Result<bool> stored_already(const RowsStored& record) const;
  Result<bool> lock_rows(RowRange rows, File::Lock kind) const;
  Result<bool> lock_stored_at_once() const;
  Status lock_stored_one_by_one() const;
  Result<Taken> write_rows(const StoredBlock& block, const RowsStored& record);
  void claim(const RowsStored& record);
  Status drop(const std::vector<DamagedRows>& damaged);
};

Result<BlockStore> BlockStore::open(const std::string& directory, const StoreIdentity& identity) {
  const std::string journal_path = directory + "/journal";
  const std::string matrix_path = directory + "/blocks.f64";
  if (auto made = make_directories(directory); !made) {
    return made.errors();
  }
  auto lock = lock_file(directory + "/lock");
  if (!lock) {
    return lock.errors();
  }
  auto found = recover(directory, identity);
  if (!found) {
    return found.errors();
  }
  Claims& claims = *found;
  auto matrix = MatrixFile::open(matrix_path, File::Mode::kReadWrite, identity.rows, identity.columns);
  if (!matrix) {
    return matrix.errors();
  }
  auto same_matrix = MatrixFile::open(matrix_path, File::Mode::kRead, identity.rows, identity.columns);
  if (!same_matrix) {
    return same_matrix.errors();
  }
  auto journal = File::open(journal_path, File::Mode::kReadWrite);
  if (!journal) {
    return journal.errors();
  }
  const auto journal_end = journal->size();
  if (!journal_end) {
    return journal_end.errors();
  }

  std::vector<RowsStored> rows = rows_of(claims);
  Recovery recovery{{}, claims.quarantined, claims.finished, claims.findings};
  for (const RowsStored& stored : rows) {
    recovery.stored.push_back(stored.rows);
  }
  auto check = rows.empty() ? nullptr : std::make_unique<RowCheck>(std::move(*same_matrix), std::move(rows));
  return BlockStore(std::make_unique<State>(State{.identity = identity,
                                                  .tag = identity_tag(identity),
                                                  .lock = std::move(*lock),
                                                  .matrix = std::move(*matrix),
                                                  .journal = std::move(*journal),
                                                  .journal_end = *journal_end,
                                                  .next_sequence = claims.next_sequence,
                                                  .stored = std::move(claims.rows),
                                                  .uncommitted = {},
                                                  .matrix_dirty = false,
                                                  .shared = false,
                                                  .recovery = std::move(recovery),
                                                  .broken = std::nullopt,
                                                  .check = std::move(check)}));
}

BlockStore::BlockStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockStore::BlockStore(BlockStore&&) noexcept = default;
BlockStore& BlockStore::operator=(BlockStore&&) noexcept = default;
BlockStore::~BlockStore() = default;

const Recovery& BlockStore::recovery() const {
  return state_->recovery;
}

const StoreIdentity& BlockStore::identity() const {
  return state_->identity;
}

bool BlockStore::verified() const {
  return !state_->check || state_->check->done();
}

void BlockStore::when_verified(std::function<void()> call) {
  if (state_->check) {
    state_->check->when_done(std::move(call));
  } else {
    call();
  }
}

/// Replaces the journal by one that does not claim these rows. Everything must be committed.
Status BlockStore::State::drop(const std::vector<DamagedRows>& damaged) {
  const auto replay = replay_from_disk(journal.path());
  if (!replay) {
    return replay.errors();
  }
  Claims claims = claims_of(*replay, identity);
  for (const DamagedRows& rows : damaged) {
    claims.rows.erase(rows.claim.rows.first);
    stored.erase(rows.claim.rows.first);
  }
  std::erase_if(recovery.stored, [this](RowRange rows) { return !stored.contains(rows.first); });
  claims.finished = false;
  recovery.finished = false;
  if (auto written = write_file_durably(journal.path(), clean_journal(identity, claims)); !written) {
    return written;
  }
  auto renewed = File::open(journal.path(), File::Mode::kReadWrite);
  if (!renewed) {
    return renewed.errors();
  }
  const auto end = renewed->size();
  if (!end) {
    return end.errors();
  }
  journal = std::move(*renewed);
  journal_end = *end;
  next_sequence = claims.next_sequence;
  return Done{};
}

Result<std::vector<std::string>> BlockStore::verify() {
  State& state = *state_;
  if (state.broken) {
    return *state.broken;
  }
  std::vector<std::string> findings;
  if (!state.check) {
    return findings;
  }
  const std::vector<DamagedRows> damaged = state.check->wait();
  state.check.reset();
  if (damaged.empty()) {
    return findings;
  }
  if (auto committed = commit(); !committed) {
    return committed.errors();
  }
  if (auto dropped = state.final(state.drop(damaged)); !dropped) {
    return dropped.errors();
  }
  for (const DamagedRows& rows : damaged) {
    findings.push_back(fmt::format("{}: {} (from {}) will be evaluated again", rows.what, rows_text(rows.claim.rows),
                                   rows.claim.worker));
  }
  state.recovery.findings.insert(state.recovery.findings.end(), findings.begin(), findings.end());
  return findings;
}

Status BlockStore::State::check_range(RowRange rows) const {
  if (rows.first < 0 || rows.count <= 0 || rows.first > identity.rows || rows.count > identity.rows - rows.first) {
    return Error{ErrorKind::kRefused, rows_text(rows), fmt::format("the matrix has {} rows", identity.rows), ""};
  }
  return Done{};
}

Status BlockStore::State::check_sizes(const StoredBlock& block) const {
  const RowRange rows = block.rows;
  if (auto good = check_range(rows); !good) {
    return good;
  }
  std::uint64_t bytes = 0;
  bool chunked = block.chunks.size() == block.chunk_checksums.size();
  for (std::size_t i = 0; i < block.chunks.size(); ++i) {
    bytes += block.chunks[i].size();
    chunked = chunked && (i + 1 == block.chunks.size() ? block.chunks[i].size() <= kChunkBytes
                                                       : block.chunks[i].size() == kChunkBytes);
  }
  if (!chunked || bytes != matrix.bytes_of(rows)) {
    return Error{ErrorKind::kRefused, rows_text(rows),
                 fmt::format("the block has {} bytes in {} chunks, expected {} in chunks of {}", bytes,
                             block.chunks.size(), matrix.bytes_of(rows), kChunkBytes),
                 ""};
  }
  return Done{};
}

Status BlockStore::State::check_chunks(const StoredBlock& block) const {
  for (std::size_t i = 0; i < block.chunks.size(); ++i) {
    if (checksum(block.chunks[i]) != block.chunk_checksums[i]) {
      return Error{
          ErrorKind::kRefused, rows_text(block.rows),
          fmt::format("chunk {} of the block from {} was damaged on the way: its checksum differs", i, block.worker),
          "it will be evaluated again"};
    }
  }
  return Done{};
}

/// Whether the same rows are stored already; an error where they contradict what is stored.
Result<bool> BlockStore::State::stored_already(const RowsStored& record) const {
  const auto after = stored.lower_bound(record.rows.first + record.rows.count);
  if (after == stored.begin()) {
    return false;
  }
  const RowsStored& other = std::prev(after)->second;
  if (other.rows == record.rows && other.checksum == record.checksum) {
    return true;
  }
  if (other.rows.first + other.rows.count <= record.rows.first) {
    return false;
  }
  return Error{ErrorKind::kRefused, rows_text(record.rows),
               other.rows == record.rows
                   ? fmt::format("{} and {} delivered different bytes: one of the two machines computes wrongly",
                                 other.worker, record.worker)
                   : fmt::format("overlap with {}, which are stored", rows_text(other.rows)),
               "the rows stored first are kept"};
}

/// Locks rows of a shared store. False: somebody else has them locked.
Result<bool> BlockStore::State::lock_rows(RowRange rows, File::Lock kind) const {
  return shared ? matrix.lock(rows, kind) : Result<bool>(true);
}

/// Writes the rows, under locks where the store is shared.
Result<BlockStore::Taken> BlockStore::State::write_rows(const StoredBlock& block, const RowsStored& record) {
  const auto alone = lock_rows(block.rows, File::Lock::kExclusive);
  if (!alone) {
    return alone.errors();
  }
  if (*alone) {
    if (auto written = final(matrix.write(block.rows, block.chunks)); !written) {
      return written.errors();
    }
  }
  const auto kept = lock_rows(block.rows, File::Lock::kShared);
  if (!kept) {
    return kept.errors();
  }
  if (!*kept) {
    return Taken::kBusy;
  }
  // Another process has written the rows and has not said so yet, or never will: they must be the same.
  if (!*alone && !matrix.check(record)) {
    return Error{ErrorKind::kRefused, rows_text(block.rows),
                 fmt::format("{} delivered other bytes than another process has written in place", block.worker),
                 "it will be evaluated again"};
  }
  return Taken::kYes;
}

/// To be committed.
void BlockStore::State::claim(const RowsStored& record) {
  matrix_dirty = true;
  append(record);
  stored.emplace(record.rows.first, record);
}

Result<BlockStore::Taken> BlockStore::write(const StoredBlock& block) {
  State& state = *state_;
  if (state.broken) {
    return *state.broken;
  }
  if (auto good = state.check_sizes(block); !good) {
    return good.errors();
  }
  if (auto good = state.check_chunks(block); !good) {
    return good.errors();
  }
  const RowsStored record{block.rows, checksum_of_chunks(block.chunk_checksums), block.worker, block.seconds};
  const auto already = state.stored_already(record);
  if (!already) {
    return already.errors();
  }
  if (*already) {
    return Taken::kYes;
  }
  const auto taken = state.write_rows(block, record);
  if (taken && *taken == Taken::kYes) {
    state.claim(record);
  }
  return taken;
}

Status BlockStore::adopt(const RowsStored& rows) {
  State& state = *state_;
  if (state.broken) {
    return *state.broken;
  }
  if (auto good = state.check_range(rows.rows); !good) {
    return good;
  }
  const auto already = state.stored_already(rows);
  if (!already) {
    return already.errors();
  }
  if (*already) {
    return Done{};
  }
  const auto locked = state.lock_rows(rows.rows, File::Lock::kShared);
  if (!locked) {
    return locked.errors();
  }
  if (!*locked) {
    return Error{ErrorKind::kRefused, rows_text(rows.rows),
                 fmt::format("{} let go of them, and another process is writing them", rows.worker), ""};
  }
  state.claim(rows);
  return Done{};
}

/// Locks all stored rows against other processes. False: some process is writing, perhaps other rows.
Result<bool> BlockStore::State::lock_stored_at_once() const {
  // The system looks at all locks of a file whenever one is added: with 25,000 ranges that took half a minute. Taking
  // away, from the end of the file on, finds its place at once.
  const auto locked = matrix.lock({0, identity.rows}, File::Lock::kShared);
  if (!locked || !*locked) {
    return locked;
  }
  std::int64_t end = identity.rows;
  for (auto entry = stored.rbegin(); entry != stored.rend(); ++entry) {
    const RowRange rows = entry->second.rows;
    if (auto freed = matrix.unlock({rows.first + rows.count, end - rows.first - rows.count}); !freed) {
      return freed.errors();
    }
    end = rows.first;
  }
  if (auto freed = matrix.unlock({0, end}); !freed) {
    return freed.errors();
  }
  return true;
}

/// The same range by range, for the case that a process is writing other rows.
Status BlockStore::State::lock_stored_one_by_one() const {
  for (const auto& [first, record] : stored) {
    const auto locked = matrix.lock(record.rows, File::Lock::kShared);
    if (!locked) {
      return locked.errors();
    }
    if (!*locked) {
      return Error{ErrorKind::kStorage, matrix.path(),
                   fmt::format("a process is writing {}, which are stored", rows_text(record.rows)),
                   "end what is left of an earlier run"};
    }
  }
  return Done{};
}

Result<SharedFile> BlockStore::share() {
  State& state = *state_;
  const auto id = state.matrix.id();
  if (!id) {
    return id.errors();
  }
  state.shared = true;
  const auto locked = state.lock_stored_at_once();
  if (!locked) {
    return locked.errors();
  }
  if (!*locked) {
    if (auto one_by_one = state.lock_stored_one_by_one(); !one_by_one) {
      return one_by_one.errors();
    }
  }
  return SharedFile{std::filesystem::absolute(state.matrix.path()), *id, state.matrix.bytes_of({0, 1})};
}

bool BlockStore::shared() const {
  return state_->shared;
}

Status BlockStore::quarantine(const QuarantineRecord& record) {
  if (state_->broken) {
    return *state_->broken;
  }
  state_->append(record);
  return Done{};
}

Status BlockStore::commit() {
  State& state = *state_;
  if (state.broken) {
    return *state.broken;
  }
  if (state.uncommitted.empty()) {
    return Done{};
  }
  // A record must never be durable before its rows are.
  if (state.matrix_dirty) {
    if (auto synced = state.final(state.matrix.sync()); !synced) {
      return synced;
    }
    state.matrix_dirty = false;
  }
  if (auto written = state.final(state.journal.write_at(state.journal_end, state.uncommitted)); !written) {
    return written;
  }
  if (auto synced = state.final(state.journal.sync()); !synced) {
    return synced;
  }
  state.journal_end += state.uncommitted.size();
  state.uncommitted.clear();
  return Done{};
}

bool BlockStore::complete() const {
  return covers_all(state_->stored, state_->identity.rows);
}

Status BlockStore::finish() {
  State& state = *state_;
  if (state.broken) {
    return *state.broken;
  }
  if (complete()) {  // else nothing is gained by waiting for it
    if (const auto damaged = verify(); !damaged) {
      return damaged.errors();
    }
  }
  if (!complete()) {
    return Error{ErrorKind::kFailed, "", "the matrix is not complete", "run the fit again"};
  }
  if (!state.recovery.finished) {
    state.append(PhaseFinished{});
    state.recovery.finished = true;
  }
  return commit();
}

Status BlockStore::read(RowRange rows, std::span<double> out) const {
  return state_->matrix.read(rows, out);
}

}  // namespace ipfit
