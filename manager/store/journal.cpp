#include "manager/store/journal.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "common/checksum.h"

namespace ipfit {
namespace {

static_assert(std::endian::native == std::endian::little, "journal and matrix are little-endian, written as they are");

constexpr std::string_view kMagic = "IPFJ";
constexpr std::size_t kHeadBytes = 32;
constexpr std::size_t kChecksumBytes = 8;

enum class Type : std::uint16_t { kIdentity = 1, kRowsStored = 2, kQuarantine = 3, kFinished = 4 };

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

class Writer {
 public:
  template <class T>
  void number(T value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
  }
  void raw(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  /// Length, bytes, zeros up to a multiple of 8.
  void text(std::string_view value) {
    value = value.substr(0, kMaxRecordText);
    number(static_cast<std::uint32_t>(value.size()));
    raw(value);
    bytes_.resize(padded(bytes_.size()));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what Writer wrote; once something does not fit, everything is zero and ok() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value{};
    if (!has(sizeof value)) {
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text() {
    const auto length = number<std::uint32_t>();
    if (length > kMaxRecordText || !has(length)) {
      ok_ = false;
      return {};
    }
    std::string value(reinterpret_cast<const char*>(bytes_.data() + at_), length);
    at_ += length;
    while (ok_ && at_ % 8 != 0) {
      ok_ = has(1) && bytes_[at_++] == std::byte{0};
    }
    return value;
  }
  /// Everything was there and nothing is left.
  bool ok() const { return ok_ && at_ == bytes_.size(); }

 private:
  bool has(std::size_t count) {
    ok_ = ok_ && bytes_.size() - at_ >= count;
    return ok_;
  }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

Type type_of(const JournalRecord& record) {
  return static_cast<Type>(record.index() + 1);
}

struct BodyWriter {
  Writer& out;
  void operator()(const StoreIdentity& identity) const {
    out.number(identity.rows);
    out.number(identity.columns);
    out.text(identity.dataset);
    out.text(identity.model);
    out.text(identity.build);
  }
  void operator()(const RowsStored& stored) const {
    out.number(stored.rows.first);
    out.number(stored.rows.count);
    out.number(stored.checksum);
    out.number(stored.seconds);
    out.text(stored.worker);
  }
  void operator()(const QuarantineRecord& quarantine) const {
    out.number(quarantine.structure);
    out.number(std::uint32_t{0});
    out.text(quarantine.reason);
  }
  void operator()(const PhaseFinished&) const {}
};

std::vector<std::byte> encode_body(const JournalRecord& record) {
  Writer out;
  std::visit(BodyWriter{out}, record);
  return out.take();
}

std::optional<JournalRecord> decode_body(Type type, std::span<const std::byte> bytes) {
  Reader in(bytes);
  JournalRecord record;
  switch (type) {
    case Type::kIdentity: {
      StoreIdentity identity;
      identity.rows = in.number<std::int64_t>();
      identity.columns = in.number<std::int64_t>();
      identity.dataset = in.text();
      identity.model = in.text();
      identity.build = in.text();
      record = identity;
      break;
    }
    case Type::kRowsStored: {
      RowsStored stored;
      stored.rows.first = in.number<std::int64_t>();
      stored.rows.count = in.number<std::int64_t>();
      stored.checksum = in.number<std::uint64_t>();
      stored.seconds = in.number<double>();
      stored.worker = in.text();
      record = stored;
      break;
    }
    case Type::kQuarantine: {
      QuarantineRecord quarantine;
      quarantine.structure = in.number<std::uint32_t>();
      if (in.number<std::uint32_t>() != 0) {
        return std::nullopt;
      }
      quarantine.reason = in.text();
      record = quarantine;
      break;
    }
    case Type::kFinished:
      record = PhaseFinished{};
      break;
    default:
      return std::nullopt;
  }
  return in.ok() ? std::optional(record) : std::nullopt;
}

struct Head {
  std::uint16_t version = 0;
  Type type{};
  std::uint32_t length = 0;
  std::uint32_t zero = 0;
  std::uint64_t sequence = 0;
  std::uint64_t tag = 0;
};

/// The head of a record whose length fits and whose checksum is right.
std::optional<Head> whole_record(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeadBytes + kChecksumBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return std::nullopt;
  }
  Reader in(bytes.subspan(kMagic.size()));
  Head head;
  head.version = in.number<std::uint16_t>();
  head.type = static_cast<Type>(in.number<std::uint16_t>());
  head.length = in.number<std::uint32_t>();
  head.zero = in.number<std::uint32_t>();
  head.sequence = in.number<std::uint64_t>();
  head.tag = in.number<std::uint64_t>();
  if (head.length < kHeadBytes + kChecksumBytes || head.length > kMaxRecordBytes || head.length > bytes.size()) {
    return std::nullopt;
  }
  const std::size_t checked = head.length - kChecksumBytes;
  if (Reader(bytes.subspan(checked)).number<std::uint64_t>() != checksum(bytes.first(checked))) {
    return std::nullopt;
  }
  return head;
}

/// The next place at or after `from` that may be the start of a record.
std::size_t next_magic(std::span<const std::byte> bytes, std::size_t from) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t found = text.find(kMagic, from);
  return found == std::string_view::npos ? bytes.size() : found;
}

}  // namespace

std::uint64_t identity_tag(const StoreIdentity& identity) {
  return checksum(encode_body(identity));
}

std::vector<std::byte> encode_record(const JournalRecord& record, std::uint64_t tag, std::uint64_t sequence) {
  const auto body = encode_body(record);
  Writer out;
  out.raw(kMagic);
  out.number(kJournalVersion);
  out.number(type_of(record));
  out.number(static_cast<std::uint32_t>(kHeadBytes + body.size() + kChecksumBytes));
  out.number(std::uint32_t{0});
  out.number(sequence);
  out.number(tag);
  out.raw({reinterpret_cast<const char*>(body.data()), body.size()});
  out.number(checksum(out.bytes()));
  return out.take();
}

Replay replay_journal(std::span<const std::byte> bytes) {
  Replay replay;
  std::size_t end = 0;  // of the last whole record
  std::size_t at = next_magic(bytes, 0);
  while (at < bytes.size()) {
    const auto head = whole_record(bytes.subspan(at));
    if (!head) {
      at = next_magic(bytes, at + 1);
      continue;
    }
    const auto body = bytes.subspan(at + kHeadBytes, head->length - kHeadBytes - kChecksumBytes);
    const auto record = head->version == kJournalVersion ? decode_body(head->type, body) : std::nullopt;
    if (head->version != kJournalVersion) {
      replay.foreign_version = head->version;
    }
    if (record && head->zero == 0) {
      if (at > end) {
        replay.damage.push_back({end, at - end});
      }
      replay.records.push_back({at, head->sequence, head->tag, *record});
      end = at + head->length;
    }
    at = next_magic(bytes, at + head->length);
  }
  replay.end = end;
  replay.torn_bytes = bytes.size() - end;
  return replay;
}

}  // namespace ipfit
