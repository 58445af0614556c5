#include "manager/store/recover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "common/file_system.h"
#include "manager/store/matrix_file.h"

namespace ipfit {
namespace {

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

bool exists(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0;
}

/// Makes the names of the files durable, and that of the directory itself: they may be there in memory only, too.
Status sync_names(const std::string& directory) {
  if (auto synced = sync_directory(directory); !synced) {
    return synced;
  }
  return sync_directory(std::filesystem::absolute(directory).lexically_normal().parent_path().string());
}

}  // namespace

Result<Replay> replay_from_disk(const std::string& path) {
  {
    const auto file = File::open(path, File::Mode::kReadWrite);
    if (!file) {
      return file.errors();
    }
    if (auto synced = file->sync(); !synced) {
      return synced.errors();
    }
    file->forget_cache();
  }
  const auto content = read_file(path);
  if (!content) {
    return content.errors();
  }
  return replay_journal(std::as_bytes(std::span(*content)));
}

std::string clean_journal(const StoreIdentity& identity, Claims& claims) {
  std::string text;
  claims.next_sequence = 0;
  const auto add = [&](const JournalRecord& record) {
    const auto encoded = encode_record(record, identity_tag(identity), claims.next_sequence++);
    text.append(reinterpret_cast<const char*>(encoded.data()), encoded.size());
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
  return text;
}

Result<Claims> recover(const std::string& directory, const StoreIdentity& identity) {
  const std::string journal_path = directory + "/journal";
  const std::string matrix_path = directory + "/blocks.f64";
  Claims claims;
  bool rewrite = true;
  if (exists(journal_path)) {
    const auto replay = replay_from_disk(journal_path);
    if (!replay) {
      return replay.errors();
    }
    if (const auto refused = refusal(journal_path, *replay, identity)) {
      return *refused;
    }
    claims = claims_of(*replay, identity);
    if (!exists(matrix_path)) {
      claims.findings.push_back(matrix_path + ": missing; everything will be evaluated again");
      claims.rows.clear();
    }
    rewrite = !identity_of(*replay) || !claims.findings.empty();
  }
  // Without a journal nothing claims the rows, so a matrix that is there is the rest of a creation that was cut short.
  if (!exists(journal_path) || !exists(matrix_path)) {
    if (auto made = MatrixFile::create(matrix_path, identity.rows, identity.columns); !made) {
      return made.errors();
    }
  }
  claims.finished = claims.finished && covers_all(claims.rows, identity.rows);
  // A store that is open has a clean journal: no torn tail to append behind, no claim that was found wrong.
  if (rewrite) {
    if (auto written = write_file_durably(journal_path, clean_journal(identity, claims)); !written) {
      return written.errors();
    }
  }
  if (auto synced = sync_names(directory); !synced) {
    return synced.errors();
  }
  return claims;
}

}  // namespace ipfit
