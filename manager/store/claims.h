#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/store/journal.h"

namespace ipfit {

/// What the records of a journal claim together, whatever their order.
struct Claims {
  std::map<std::int64_t, RowsStored> rows;    ///< by first row; inside the matrix, disjoint, each range claimed one way
  std::vector<QuarantineRecord> quarantined;  ///< by structure
  bool finished = false;
  std::uint64_t next_sequence = 0;
  std::vector<std::string> findings;  ///< what was left out and why, and what is damaged
};

/// Damage and torn end of a journal in words, with place and bytes.
std::vector<std::string> damage_of(const Replay& replay);

/// The identity that the journal carries; empty where that record is lost.
std::optional<StoreIdentity> identity_of(const Replay& replay);

/// The claims of the records that belong to `identity`. Ranges that two records claim with different checksums, or that
/// overlap, are claimed by neither.
Claims claims_of(const Replay& replay, const StoreIdentity& identity);

/// Whether disjoint claims are all `rows` rows of a matrix.
bool covers_all(const std::map<std::int64_t, RowsStored>& stored, std::int64_t rows);

}  // namespace ipfit
