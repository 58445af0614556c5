#include "manager/store/verify_store.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "common/file_system.h"
#include "manager/store/claims.h"
#include "manager/store/matrix_file.h"

namespace ipfit {
namespace {

constexpr const char* kRepair = "run the fit again: it mends the journal";
constexpr const char* kAgain = "run the fit again: it evaluates them again";

/// A finding of the journal, which says "journal: ..." of itself.
Error damage_error(const std::string& path, const std::string& finding) {
  constexpr std::string_view kName = "journal: ";
  return {ErrorKind::kStorage, path, finding.starts_with(kName) ? finding.substr(kName.size()) : finding, kRepair};
}

/// The journal as the disk has it.
Result<std::string> read_journal(const std::string& path) {
  if (const auto file = File::open(path, File::Mode::kRead)) {
    file->forget_cache();
  }
  return read_file(path);
}

Status verify_rows(const std::string& path, const Claims& claims, const BytesRead& progress, VerifiedStore& out) {
  const auto matrix = MatrixFile::open(path, File::Mode::kRead, out.identity->rows, out.identity->columns);
  if (!matrix) {
    return matrix.errors();
  }
  matrix->forget_cache();
  for (const auto& [first, claim] : claims.rows) {
    const std::uint64_t bytes = matrix->bytes_of(claim.rows);
    if (const Status good = matrix->check(claim); good) {
      ++out.blocks;
      out.rows += claim.rows.count;
    } else {
      out.damage.push_back({ErrorKind::kStorage, path, good.error().what, kAgain});
    }
    out.bytes += bytes;
    progress(bytes);
  }
  return Done{};
}

}  // namespace

Result<VerifiedStore> verify_store(const std::string& directory, const BytesRead& progress) {
  const std::string path = directory + "/journal";
  const auto content = read_journal(path);
  if (!content) {
    return content.errors();
  }
  const Replay replay = replay_journal(std::as_bytes(std::span(*content)));
  if (replay.foreign_version) {
    return Error{ErrorKind::kRefused, path,
                 fmt::format("has records of format version {}, this ipfit reads version {}", *replay.foreign_version,
                             kJournalVersion),
                 "use the ipfit that wrote it"};
  }
  VerifiedStore out;
  out.records = replay.records.size();
  out.bytes = content->size();
  out.identity = identity_of(replay);
  const Claims claims = claims_of(replay, out.identity.value_or(StoreIdentity{}));
  if (!out.identity) {
    for (const std::string& finding : damage_of(replay)) {
      out.damage.push_back(damage_error(path, finding));
    }
    out.damage.push_back({ErrorKind::kStorage, path,
                          "the record that says what is stored here is damaged, so the rows cannot be looked at",
                          kRepair});
    return out;
  }
  for (const std::string& finding : claims.findings) {
    out.damage.push_back(damage_error(path, finding));
  }
  progress(content->size());
  if (Status read = verify_rows(directory + "/blocks.f64", claims, progress, out); !read) {
    return read.errors();
  }
  return out;
}

}  // namespace ipfit
