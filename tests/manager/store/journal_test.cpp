#include "manager/store/journal.h"

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "common/checksum.h"
#include "manager/store/claims.h"

using namespace ipfit;

namespace {

const StoreIdentity kIdentity{100, 7, "d4ta", "m0del", "bu11d"};
const std::uint64_t kTag = identity_tag(kIdentity);

using Bytes = std::vector<std::byte>;

Bytes journal_of(const std::vector<JournalRecord>& records) {
  Bytes bytes;
  std::uint64_t sequence = 0;
  for (const JournalRecord& record : records) {
    const Bytes encoded = encode_record(record, kTag, sequence++);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  return bytes;
}

std::vector<JournalRecord> records_of(const Replay& replay) {
  std::vector<JournalRecord> records;
  for (const FoundRecord& found : replay.records) {
    records.push_back(found.record);
  }
  return records;
}

RowsStored rows(std::int64_t first, std::int64_t count, std::uint64_t sum = 1) {
  return {{first, count}, sum, "node7:4711", 1.5};
}

const std::vector<JournalRecord> kSample{kIdentity, rows(0, 10, 11), QuarantineRecord{3, "atoms 0 and 1 coincide"},
                                         rows(10, 20, 12), PhaseFinished{}};

/// Where the records of a journal start, and the end of the last.
std::vector<std::size_t> boundaries(const std::vector<JournalRecord>& records) {
  std::vector<std::size_t> starts{0};
  for (const JournalRecord& record : records) {
    starts.push_back(starts.back() + encode_record(record, kTag, 0).size());
  }
  return starts;
}

/// Gives a changed record its right checksum again.
void seal(Bytes& record) {
  const std::uint64_t sum = checksum(std::span(record).first(record.size() - 8));
  std::memcpy(record.data() + record.size() - 8, &sum, 8);
}

}  // namespace

TEST_CASE("what is written into a journal is read from it") {
  const Replay replay = replay_journal(journal_of(kSample));
  CHECK(records_of(replay) == kSample);
  CHECK(replay.damage.empty());
  CHECK(replay.torn_bytes == 0);
  CHECK_FALSE(replay.foreign_version);
  for (std::size_t i = 0; i < replay.records.size(); ++i) {
    CHECK(replay.records[i].sequence == i);
    CHECK(replay.records[i].tag == kTag);
    CHECK(replay.records[i].offset == boundaries(kSample)[i]);
  }
}

TEST_CASE("a journal cut at any byte keeps every record before the cut") {
  const Bytes whole = journal_of(kSample);
  const auto starts = boundaries(kSample);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const Replay replay = replay_journal(std::span(whole).first(cut));
    const auto complete =
        static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), cut) - starts.begin() - 1);
    INFO("cut at byte " << cut);
    REQUIRE(records_of(replay) ==
            std::vector(kSample.begin(), kSample.begin() + static_cast<std::ptrdiff_t>(complete)));
    REQUIRE(replay.damage.empty());
    REQUIRE(replay.torn_bytes == cut - starts[complete]);
  }
}

TEST_CASE("any changed byte costs the record that it is in and no other") {
  const Bytes whole = journal_of(kSample);
  const auto starts = boundaries(kSample);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned change : {0x01U, 0x20U, 0x41U, 0x80U, 0xffU}) {
      Bytes damaged = whole;
      damaged[at] ^= static_cast<std::byte>(change);
      const auto hit =
          static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), at) - starts.begin() - 1);
      std::vector<JournalRecord> expected = kSample;
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(hit));
      const Replay replay = replay_journal(damaged);
      INFO("byte " << at << " changed by " << change);
      REQUIRE(records_of(replay) == expected);
      const std::uint64_t lost = starts[hit + 1] - starts[hit];
      if (hit + 1 < kSample.size()) {
        REQUIRE(replay.damage == std::vector<Damage>{{starts[hit], lost}});
      } else {
        REQUIRE(replay.torn_bytes == lost);
      }
    }
  }
}

TEST_CASE("bytes that were inserted or taken out in the middle cost one record") {
  const Bytes whole = journal_of(kSample);
  const auto starts = boundaries(kSample);
  Bytes longer = whole;
  longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(starts[1]) + 5, std::byte{0x49});
  CHECK(replay_journal(longer).records.size() == kSample.size() - 1);
  Bytes shorter = whole;
  shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(starts[2]) + 9);
  CHECK(replay_journal(shorter).records.size() == kSample.size() - 1);
}

TEST_CASE("a record of another version is seen as such") {
  Bytes record = encode_record(kIdentity, kTag, 0);
  record[4] = std::byte{2};
  seal(record);
  const Replay replay = replay_journal(record);
  CHECK(replay.records.empty());
  CHECK(replay.foreign_version == std::uint16_t{2});
}

TEST_CASE("a record with the right checksum and a content that makes no sense is damage") {
  for (const std::size_t at : {6U, 12U, 38U, 40U, 47U}) {  // type, zero, structure's zero, text length, padding
    Bytes record = encode_record(QuarantineRecord{1, "abc"}, kTag, 0);
    REQUIRE(record.size() == 56);
    record[at] = std::byte{0x77};
    seal(record);
    INFO("byte " << at);
    CHECK(replay_journal(record).records.empty());
  }
}

TEST_CASE("long texts are cut and the record remains readable") {
  const Replay replay = replay_journal(encode_record(QuarantineRecord{1, std::string(100'000, 'x')}, kTag, 0));
  REQUIRE(replay.records.size() == 1);
  CHECK(std::get<QuarantineRecord>(replay.records[0].record).reason == std::string(kMaxRecordText, 'x'));
}

TEST_CASE("garbage before, between and after records is reported byte for byte") {
  const bool good = rc::check("garbage", [] {
    Bytes bytes;
    std::uint64_t record_bytes = 0;
    const int count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < count; ++i) {
      const auto garbage = *rc::gen::container<std::vector<std::uint8_t>>(
          rc::gen::element<std::uint8_t>('I', 'P', 'F', 'J', 0, 1, 40, 255));
      for (const std::uint8_t byte : garbage) {
        bytes.push_back(std::byte{byte});
      }
      const Bytes record = encode_record(rows(i, 1), kTag, static_cast<std::uint64_t>(i));
      bytes.insert(bytes.end(), record.begin(), record.end());
      record_bytes += record.size();
    }
    const Replay replay = replay_journal(bytes);
    std::uint64_t lost = replay.torn_bytes;
    for (const Damage& damage : replay.damage) {
      lost += damage.bytes;
    }
    RC_ASSERT(replay.records.size() == static_cast<std::size_t>(count));
    RC_ASSERT(lost + record_bytes == bytes.size());
  });
  REQUIRE(good);
}

TEST_CASE("the order of the records does not matter to what they claim") {
  std::vector<JournalRecord> records{
      kIdentity,       rows(0, 10, 11), rows(0, 10, 11),          rows(10, 20, 12),
      rows(40, 5, 1),  rows(40, 5, 2),  QuarantineRecord{3, "a"}, QuarantineRecord{1, "b"},
      rows(60, 10, 3), rows(65, 1, 3),  rows(66, 20, 3)};
  const Claims expected = claims_of(replay_journal(journal_of(records)), kIdentity);
  REQUIRE(expected.rows.size() == 2);
  REQUIRE(expected.findings.size() == 2);
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(records.begin(), records.end(), random);
    const Claims claims = claims_of(replay_journal(journal_of(records)), kIdentity);
    REQUIRE(claims.rows == expected.rows);
    REQUIRE(claims.quarantined == expected.quarantined);
    REQUIRE(claims.findings == expected.findings);
  }
}

TEST_CASE("rows that two records claim with different checksums, or that overlap, are claimed by neither") {
  const auto kept = [](const std::vector<JournalRecord>& records) {
    return claims_of(replay_journal(journal_of(records)), kIdentity).rows.size();
  };
  CHECK(kept({rows(0, 10, 1), rows(0, 10, 1)}) == 1);
  CHECK(kept({rows(0, 10, 1), rows(0, 10, 2)}) == 0);
  CHECK(kept({rows(0, 10, 1), rows(9, 10, 1)}) == 0);
  CHECK(kept({rows(0, 10, 1), rows(2, 3, 1), rows(8, 4, 1), rows(12, 1, 1)}) == 1);
  CHECK(kept({rows(0, 10, 1), rows(10, 10, 1)}) == 2);
}

TEST_CASE("rows outside the matrix are never claimed") {
  for (const RowRange outside : {RowRange{-1, 5}, RowRange{0, 0}, RowRange{0, -3}, RowRange{0, 101}, RowRange{100, 1},
                                 RowRange{INT64_MAX, INT64_MAX}, RowRange{1, INT64_MAX}}) {
    const Claims claims = claims_of(replay_journal(journal_of({RowsStored{outside, 1, "x", 0.0}})), kIdentity);
    CHECK(claims.rows.empty());
    CHECK(claims.findings.size() == 1);
  }
}

TEST_CASE("records of another store are ignored and reported") {
  const Bytes stranger = encode_record(rows(0, 10), kTag + 1, 4);
  const Claims claims = claims_of(replay_journal(stranger), kIdentity);
  CHECK(claims.rows.empty());
  CHECK(claims.findings == std::vector<std::string>{"journal: the record at byte 0 belongs to another store; ignored"});
  CHECK(claims.next_sequence == 5);
}
