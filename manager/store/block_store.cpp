#include "manager/store/block_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "common/checksum.h"
#include "common/file_system.h"
#include "manager/store/claims.h"
#include "manager/store/matrix_file.h"

namespace ipfit {
namespace {

std::string rows_text(RowRange rows) {
  return fmt::format("rows {} to {}", rows.first, rows.first + rows.count - 1);
}

std::vector<std::string> differences(const StoreIdentity& found, const StoreIdentity& wanted) {
  std::vector<std::string> parts;
  const auto compare = [&](const char* name, const auto& there, const auto& here) {
    if (there != here) {
      parts.push_back(fmt::format("{} {} there, {} now", name, there, here));
    }
  };
  compare("build", found.build, wanted.build);
  compare("data set", found.dataset, wanted.dataset);
  compare("model (basis)", found.model, wanted.model);
  compare("number of rows", found.rows, wanted.rows);
  compare("number of columns", found.columns, wanted.columns);
  return parts;
}

/// Refuses a journal that belongs to another store or another ipfit; an empty optional is agreement.
std::optional<Error> refusal(const std::string& path, const Replay& replay, const StoreIdentity& identity) {
  if (replay.foreign_version) {
    return Error{ErrorKind::kRefused, path,
                 fmt::format("has records of format version {}, this ipfit reads version {}", *replay.foreign_version,
                             kJournalVersion),
                 "use the ipfit that wrote it, or another output directory"};
  }
  const auto found = identity_of(replay);
  if (found && *found != identity) {
    return Error{ErrorKind::kRefused, path,
                 fmt::format("belongs to another fit: {}", fmt::join(differences(*found, identity), "; ")),
                 "choose another output directory, or remove this one to evaluate everything again"};
  }
  const bool strangers_only =
      !replay.records.empty() && std::none_of(replay.records.begin(), replay.records.end(),
                                              [&](const FoundRecord& r) { return r.tag == identity_tag(identity); });
  if (!found && strangers_only) {
    return Error{ErrorKind::kRefused, path, "belongs to another fit (its identity record is damaged)",
                 "choose another output directory, or remove this one to evaluate everything again"};
  }
  return std::nullopt;
}

bool covers_all(const std::map<std::int64_t, RowsStored>& stored, std::int64_t rows) {
  std::int64_t count = 0;
  for (const auto& [first, claim] : stored) {
    count += claim.rows.count;
  }
  return count == rows;
}

/// A journal with these claims and nothing else.
std::vector<std::byte> clean_journal(const StoreIdentity& identity, Claims& claims) {
  std::vector<std::byte> bytes;
  claims.next_sequence = 0;
  const auto add = [&](const JournalRecord& record) {
    const auto encoded = encode_record(record, identity_tag(identity), claims.next_sequence++);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  };
  add(identity);
  for (const auto& [first, stored] : claims.rows) {
    add(stored);
  }
  for (const QuarantineRecord& quarantine : claims.quarantined) {
    add(quarantine);
  }
  if (claims.finished) {
    add(PhaseFinished{});
  }
  return bytes;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool exists(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0;
}

/// Drops what the disk does not hold as claimed. Reads every claimed row.
void verify(const MatrixFile& matrix, const StoreIdentity& identity, Claims& claims) {
  matrix.forget_cache();
  std::erase_if(claims.rows, [&](const auto& entry) {
    const Status good = matrix.check(entry.second);
    if (!good) {
      claims.findings.push_back(fmt::format("{}: {} (from {}) will be evaluated again", good.error().text(),
                                            rows_text(entry.second.rows), entry.second.worker));
    }
    return !good;
  });
  claims.finished = claims.finished && covers_all(claims.rows, identity.rows);
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
  Result<Taken> write_rows(const StoredBlock& block, const RowsStored& record);
  void claim(const RowsStored& record);
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

  Claims claims;
  bool rewrite = true;
  if (exists(journal_path)) {
    const auto content = read_file(journal_path);
    if (!content) {
      return content.errors();
    }
    const Replay replay = replay_journal(std::as_bytes(std::span(*content)));
    if (const auto refused = refusal(journal_path, replay, identity)) {
      return *refused;
    }
    claims = claims_of(replay, identity);
    rewrite = !identity_of(replay);
    if (!exists(matrix_path)) {
      claims.findings.push_back(matrix_path + ": missing; everything will be evaluated again");
      claims.rows.clear();
    }
  }
  // Without a journal nothing claims the rows, so a matrix that is there is the rest of a creation that was cut short.
  if (!exists(journal_path) || !exists(matrix_path)) {
    if (auto made = MatrixFile::create(matrix_path, identity.rows, identity.columns); !made) {
      return made.errors();
    }
  }
  auto matrix = MatrixFile::open(matrix_path, File::Mode::kReadWrite, identity.rows, identity.columns);
  if (!matrix) {
    return matrix.errors();
  }
  verify(*matrix, identity, claims);

  // A store that is open has a clean journal: no torn tail to append behind, no claim that was found wrong.
  if (rewrite || !claims.findings.empty()) {
    if (auto written = write_file_durably(journal_path, as_text(clean_journal(identity, claims))); !written) {
      return written.errors();
    }
  }
  auto journal = File::open(journal_path, File::Mode::kReadWrite);
  if (!journal) {
    return journal.errors();
  }
  const auto journal_end = journal->size();
  if (!journal_end) {
    return journal_end.errors();
  }

  Recovery recovery{{}, claims.quarantined, claims.finished, claims.findings};
  for (const auto& [first, stored] : claims.rows) {
    recovery.stored.push_back(stored.rows);
  }
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
                                                  .broken = std::nullopt}));
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

Result<SharedFile> BlockStore::share() {
  State& state = *state_;
  const auto id = state.matrix.id();
  if (!id) {
    return id.errors();
  }
  state.shared = true;
  for (const auto& [first, record] : state.stored) {
    const auto locked = state.lock_rows(record.rows, File::Lock::kShared);
    if (!locked) {
      return locked.errors();
    }
    if (!*locked) {
      return Error{ErrorKind::kStorage, state.matrix.path(),
                   fmt::format("a process is writing {}, which are stored", rows_text(record.rows)),
                   "end what is left of an earlier run"};
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

Status BlockStore::finish() {
  State& state = *state_;
  if (state.broken) {
    return *state.broken;
  }
  if (!covers_all(state.stored, state.identity.rows)) {
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
