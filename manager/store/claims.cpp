#include "manager/store/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ipfit {
namespace {

bool inside(RowRange rows, const StoreIdentity& identity) {
  return rows.first >= 0 && rows.count > 0 && rows.first <= identity.rows && rows.count <= identity.rows - rows.first;
}

std::string range_text(RowRange rows) {
  return fmt::format("rows {} to {}", rows.first, rows.first + rows.count - 1);
}

/// Repeated claims become one. Sorted by range, then checksum, so that the order of the records does not matter.
std::vector<RowsStored> distinct(std::vector<RowsStored> claims) {
  const auto key = [](const RowsStored& claim) { return std::pair(claim.rows, claim.checksum); };
  std::stable_sort(claims.begin(), claims.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto last =
      std::unique(claims.begin(), claims.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
  claims.erase(last, claims.end());
  return claims;
}

/// Keeps the claims that no other one contradicts.
void settle_rows(const std::vector<RowsStored>& claims, Claims& out) {
  std::size_t begin = 0;
  while (begin < claims.size()) {
    std::int64_t reach = claims[begin].rows.first + claims[begin].rows.count;
    std::size_t end = begin + 1;
    for (; end < claims.size() && claims[end].rows.first < reach; ++end) {
      reach = std::max(reach, claims[end].rows.first + claims[end].rows.count);
    }
    if (end - begin == 1) {
      out.rows.emplace(claims[begin].rows.first, claims[begin]);
    } else {
      const RowsStored& one = claims[begin];
      const RowsStored& other = claims[begin + 1];
      const bool same_rows = one.rows == other.rows;
      out.findings.push_back(
          fmt::format("journal: {} from {} and {} from {} {}; rows {} to {} will be evaluated again",
                      range_text(one.rows), one.worker, range_text(other.rows), other.worker,
                      same_rows ? "have different checksums: one of the two machines computes wrongly" : "overlap",
                      one.rows.first, reach - 1));
    }
    begin = end;
  }
}

}  // namespace

std::optional<StoreIdentity> identity_of(const Replay& replay) {
  for (const FoundRecord& found : replay.records) {
    if (const auto* identity = std::get_if<StoreIdentity>(&found.record)) {
      return *identity;
    }
  }
  return std::nullopt;
}

std::vector<std::string> damage_of(const Replay& replay) {
  std::vector<std::string> findings;
  for (const Damage& damage : replay.damage) {
    findings.push_back(
        fmt::format("journal: damaged at byte {}, {} bytes lost; rows that only they claim will be evaluated again",
                    damage.offset, damage.bytes));
  }
  if (replay.torn_bytes > 0) {
    findings.push_back(
        fmt::format("journal: ends in {} bytes of an incomplete record, from byte {} on, as a crash leaves them; its "
                    "rows will be evaluated "
                    "again",
                    replay.torn_bytes, replay.end));
  }
  return findings;
}

Claims claims_of(const Replay& replay, const StoreIdentity& identity) {
  Claims claims;
  claims.findings = damage_of(replay);
  const std::uint64_t tag = identity_tag(identity);
  std::vector<RowsStored> rows;
  std::map<std::uint32_t, QuarantineRecord> quarantined;
  for (const FoundRecord& found : replay.records) {
    claims.next_sequence = std::max(claims.next_sequence, found.sequence + 1);
    if (found.tag != tag) {
      claims.findings.push_back(
          fmt::format("journal: the record at byte {} belongs to another store; ignored", found.offset));
    } else if (const auto* stored = std::get_if<RowsStored>(&found.record)) {
      if (inside(stored->rows, identity)) {
        rows.push_back(*stored);
      } else {
        claims.findings.push_back(fmt::format("journal: the record at byte {} claims {} of {}; ignored", found.offset,
                                              fmt::format("{} rows from {}", stored->rows.count, stored->rows.first),
                                              identity.rows));
      }
    } else if (const auto* quarantine = std::get_if<QuarantineRecord>(&found.record)) {
      quarantined.emplace(quarantine->structure, *quarantine);
    } else if (std::holds_alternative<PhaseFinished>(found.record)) {
      claims.finished = true;
    }
  }
  settle_rows(distinct(std::move(rows)), claims);
  for (const auto& [structure, quarantine] : quarantined) {
    claims.quarantined.push_back(quarantine);
  }
  return claims;
}

bool covers_all(const std::map<std::int64_t, RowsStored>& stored, std::int64_t rows) {
  std::int64_t count = 0;
  for (const auto& [first, claim] : stored) {
    count += claim.rows.count;
  }
  return count == rows;
}

}  // namespace ipfit
