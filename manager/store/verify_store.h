#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "manager/store/journal.h"

namespace ipfit {

/// What was found in a store that was read from end to end.
struct VerifiedStore {
  std::optional<StoreIdentity> identity;  ///< none: its record is damaged, and the rows cannot be looked at
  std::uint64_t records = 0;              ///< of the journal, whole
  std::uint64_t blocks = 0;               ///< whose rows have their checksum
  std::int64_t rows = 0;                  ///< in them
  std::uint64_t bytes = 0;                ///< read, journal included
  std::vector<Error> damage;              ///< kStorage: file, place, bytes, and what becomes of it
};

/// Called now and then with the number of bytes read since the last call.
using BytesRead = std::function<void(std::uint64_t)>;

/// Reads journal and claimed rows of a store, past the system's cache, and compares all checksums. Changes nothing and
/// takes no lock; of a store that is being written it sees what was committed. Errors: kInput where there is no store;
/// kRefused for another format version; kStorage where a file cannot be read at all.
Result<VerifiedStore> verify_store(const std::string& directory, const BytesRead& progress);

}  // namespace ipfit
