#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

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

/// These rows are in blocks.f64, synced before this record was written.
struct RowsStored {
  RowRange rows;
  std::uint64_t checksum = 0;  ///< checksum_of_chunks of their bytes, chunks counted from the first row of the range
  std::string worker;          ///< who evaluated them, "host:pid"
  double seconds = 0.0;        ///< and for how long
  bool operator==(const RowsStored&) const = default;
};

/// The rows of this structure (index in the data set) mean nothing: leave them out.
struct QuarantineRecord {
  std::uint32_t structure = 0;
  std::string reason;
  bool operator==(const QuarantineRecord&) const = default;
};

/// All rows are stored.
struct PhaseFinished {
  bool operator==(const PhaseFinished&) const = default;
};

using JournalRecord = std::variant<StoreIdentity, RowsStored, QuarantineRecord, PhaseFinished>;

// The format of the journal, byte by byte, is docs/reference/store-format.md; these are its numbers.
inline constexpr std::uint16_t kJournalVersion = 1;
inline constexpr std::size_t kMaxRecordBytes = 8192;
inline constexpr std::size_t kMaxRecordText = 2000;  ///< longer texts are cut

/// Binds records to their store: the checksum of the body of the identity record.
std::uint64_t identity_tag(const StoreIdentity& identity);

/// One record as it stands in the journal.
std::vector<std::byte> encode_record(const JournalRecord& record, std::uint64_t tag, std::uint64_t sequence);

struct FoundRecord {
  std::uint64_t offset = 0;
  std::uint64_t sequence = 0;
  std::uint64_t tag = 0;
  JournalRecord record;
  bool operator==(const FoundRecord&) const = default;
};

/// Bytes between two records, or before the first, that are no record.
struct Damage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Damage&) const = default;
};

/// What a journal holds. Records stand alone: each one with the right checksum counts, whatever surrounds it.
struct Replay {
  std::vector<FoundRecord> records;  ///< in the order of the file
  std::vector<Damage> damage;
  std::uint64_t end = 0;                         ///< of the last record, in bytes
  std::uint64_t torn_bytes = 0;                  ///< after it: what a crash during an append leaves
  std::optional<std::uint16_t> foreign_version;  ///< a whole record of another version is there
};

/// Pure, total (any bytes), and linear in their number up to the factor kMaxRecordBytes for bytes made to annoy.
Replay replay_journal(std::span<const std::byte> bytes);

}  // namespace ipfit
