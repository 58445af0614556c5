#include "manager/store/store_reader.h"

#include <fmt/format.h>

namespace ipfit {

Result<StoreReader> StoreReader::open(const std::string& directory) {
  const std::string journal_path = directory + "/journal";
  const auto content = read_file(journal_path);
  if (!content) {
    return content.errors();
  }
  const Replay replay = replay_journal(std::as_bytes(std::span(*content)));
  if (replay.foreign_version) {
    return Error{ErrorKind::kRefused, journal_path,
                 fmt::format("has records of format version {}, this ipfit reads version {}", *replay.foreign_version,
                             kJournalVersion),
                 "use the ipfit that wrote it"};
  }
  const auto identity = identity_of(replay);
  if (!identity) {
    return Error{ErrorKind::kStorage, journal_path, "has no readable identity record",
                 "run the fit again on this directory: it repairs the journal and keeps what is stored"};
  }
  auto matrix = MatrixFile::open(directory + "/blocks.f64", File::Mode::kRead, identity->rows, identity->columns);
  if (!matrix) {
    return matrix.errors();
  }
  return StoreReader(*identity, claims_of(replay, *identity), std::move(*matrix));
}

std::vector<RowRange> StoreReader::stored() const {
  std::vector<RowRange> ranges;
  for (const auto& [first, claim] : claims_.rows) {
    ranges.push_back(claim.rows);
  }
  return ranges;
}

Status StoreReader::check_complete() const {
  std::int64_t stored = 0;
  std::int64_t first_missing = 0;
  for (const auto& [first, claim] : claims_.rows) {
    stored += claim.rows.count;
    if (first == first_missing) {
      first_missing += claim.rows.count;
    }
  }
  if (stored == identity_.rows) {
    return Done{};
  }
  return Error{ErrorKind::kFailed, "",
               fmt::format("{} of {} rows are not evaluated yet, the first is row {}", identity_.rows - stored,
                           identity_.rows, first_missing),
               "run the fit again: it goes on from what is stored"};
}

Status StoreReader::verify() const {
  std::vector<Error> errors;
  for (const auto& [first, claim] : claims_.rows) {
    if (const Status good = matrix_.check(claim); !good) {
      errors.push_back(good.error());
    }
  }
  if (!errors.empty()) {
    return errors;
  }
  return Done{};
}

Status StoreReader::read(RowRange rows, std::span<double> out) const {
  if (rows.first < 0 || rows.count < 0 || rows.first > identity_.rows || rows.count > identity_.rows - rows.first ||
      out.size() * sizeof(double) < matrix_.bytes_of(rows)) {
    return Error{ErrorKind::kInternal, "blocks.f64",
                 fmt::format("asked for {} rows from {} of {} into {} numbers", rows.count, rows.first, identity_.rows,
                             out.size()),
                 ""};
  }
  return matrix_.read(rows, out);
}

Result<StoreIdentity> read_store_identity(const std::string& directory) {
  const auto reader = StoreReader::open(directory);
  if (!reader) {
    return reader.errors();
  }
  return reader->identity();
}

}  // namespace ipfit
