// Any bytes are a journal: replaying them ends, every record found is the bytes that it was read from, and every byte
// is accounted for.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "manager/store/claims.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const ipfit::Replay replay = ipfit::replay_journal(bytes);
  std::uint64_t accounted = replay.torn_bytes;
  for (const ipfit::Damage& damage : replay.damage) {
    accounted += damage.bytes;
  }
  for (const ipfit::FoundRecord& found : replay.records) {
    const auto encoded = ipfit::encode_record(found.record, found.tag, found.sequence);
    require(found.offset + encoded.size() <= size);
    require(std::ranges::equal(encoded, bytes.subspan(found.offset, encoded.size())));
    accounted += encoded.size();
  }
  require(accounted == size);

  const auto identity = ipfit::identity_of(replay);
  const ipfit::Claims claims = ipfit::claims_of(replay, identity.value_or(ipfit::StoreIdentity{}));
  std::int64_t end = 0;
  for (const auto& [first, stored] : claims.rows) {
    require(first == stored.rows.first && first >= end && stored.rows.count > 0);
    end = first + stored.rows.count;
  }
  require(claims.rows.empty() || end <= identity.value_or(ipfit::StoreIdentity{}).rows);
  return 0;
}
