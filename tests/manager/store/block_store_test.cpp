#include "manager/store/block_store.h"

#include <rapidcheck.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>

#include "common/checksum.h"
#include "common/file_system.h"
#include "manager/store/store_reader.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

constexpr std::int64_t kColumns = 5;
const StoreIdentity kIdentity{40, kColumns, "d4ta", "m0del", "bu11d"};

/// Rows as an evaluator would send them: pure functions of their number, never zero.
std::vector<double> values_of(RowRange rows, std::int64_t columns = kColumns) {
  std::vector<double> values;
  for (std::int64_t i = rows.first * columns; i < (rows.first + rows.count) * columns; ++i) {
    values.push_back(1.0 + static_cast<double>(i) / 7.0);
  }
  return values;
}

/// A block that owns its bytes.
struct Sent {
  explicit Sent(RowRange rows, std::int64_t columns = kColumns) : Sent(rows, values_of(rows, columns)) {}
  Sent(RowRange rows, std::vector<double> given) : values(std::move(given)) {
    block.rows = rows;
    block.worker = "node7:4711";
    block.seconds = 1.5;
    auto rest = std::as_bytes(std::span(values));
    while (!rest.empty()) {
      block.chunks.push_back(rest.first(std::min(rest.size(), kChunkBytes)));
      block.chunk_checksums.push_back(checksum(block.chunks.back()));
      rest = rest.subspan(block.chunks.back().size());
    }
  }
  std::vector<double> values;
  StoredBlock block;
};

constexpr std::array<int, 5> kChanges{0x01, 0x41, 0x80, 0xff, 0x20};

const std::vector<RowRange> kBlocks{{0, 7}, {7, 13}, {20, 1}, {21, 19}};

void fill(BlockStore& store, const std::vector<RowRange>& blocks = kBlocks) {
  for (const RowRange rows : blocks) {
    REQUIRE(store.write(Sent(rows).block));
  }
  REQUIRE(store.commit());
}

/// Open and verified.
BlockStore opened(const std::string& directory, const StoreIdentity& identity = kIdentity) {
  auto store = BlockStore::open(directory, identity);
  if (!store) {
    FAIL(store.error().text());
  }
  if (const auto verified = store->verify(); !verified) {
    FAIL(verified.error().text());
  }
  return std::move(*store);
}

/// The invariant of every store: rows that it says are stored hold what was sent.
void require_right_rows(const BlockStore& store) {
  for (const RowRange rows : store.recovery().stored) {
    std::vector<double> values(static_cast<std::size_t>(rows.count * kColumns));
    REQUIRE(store.read(rows, values));
    REQUIRE(values == values_of(rows));
  }
}

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

void replace(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// A directory with a full, closed store.
class FullStore {
 public:
  FullStore() {
    {
      BlockStore store = opened(directory());
      fill(store);
      REQUIRE(store.quarantine({3, "atoms 0 and 1 coincide"}));
      REQUIRE(store.finish());
    }
    journal_content = content_of(journal());
    matrix_content = content_of(matrix());
  }
  std::string directory() const { return folder_.file("system"); }
  std::string journal() const { return directory() + "/journal"; }
  std::string matrix() const { return directory() + "/blocks.f64"; }
  void reset() const {
    replace(journal(), journal_content);
    replace(matrix(), matrix_content);
  }
  std::string journal_content;
  std::string matrix_content;

 private:
  test::TemporaryDirectory folder_{test::memory_folder()};
};

}  // namespace

TEST_CASE("what was committed is there after a restart, what was not is not") {
  const test::TemporaryDirectory folder;
  {
    BlockStore store = opened(folder.file("system"));
    CHECK(store.recovery().stored.empty());
    CHECK(store.recovery().findings.empty());
    fill(store, {{7, 13}, {0, 7}});
    REQUIRE(store.quarantine({3, "atoms 0 and 1 coincide"}));
    REQUIRE(store.commit());
    REQUIRE(store.write(Sent({20, 1}).block));
  }
  const BlockStore store = opened(folder.file("system"));
  CHECK(store.recovery().stored == std::vector<RowRange>{{0, 7}, {7, 13}});
  CHECK(store.recovery().quarantined == std::vector<QuarantineRecord>{{3, "atoms 0 and 1 coincide"}});
  CHECK(store.recovery().findings.empty());
  require_right_rows(store);
}

TEST_CASE("a store may be closed and opened after every block") {
  const test::TemporaryDirectory folder;
  for (std::size_t done = 0; done < kBlocks.size(); ++done) {
    BlockStore store = opened(folder.file("system"));
    CHECK(store.recovery().stored.size() == done);
    CHECK(store.recovery().findings.empty());
    fill(store, {kBlocks[done]});
  }
  BlockStore store = opened(folder.file("system"));
  require_right_rows(store);
  CHECK(store.finish());
}

TEST_CASE("a block of several chunks is stored as it came") {
  const test::TemporaryDirectory folder;
  const StoreIdentity wide{700, 1000, "d4ta", "m0del", "bu11d"};  // 5.6 MB
  const Sent sent({3, 690}, 1000);
  REQUIRE(sent.block.chunks.size() == 6);
  {
    BlockStore store = opened(folder.file("system"), wide);
    REQUIRE(store.write(sent.block));
    REQUIRE(store.commit());
  }
  const BlockStore store = opened(folder.file("system"), wide);
  REQUIRE(store.recovery().stored == std::vector<RowRange>{{3, 690}});
  std::vector<double> back(sent.values.size());
  REQUIRE(store.read({3, 690}, back));
  CHECK(back == sent.values);
}

TEST_CASE("the same block again changes nothing") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  fill(store);
  const std::string journal = content_of(folder.file("system/journal"));
  fill(store);
  CHECK(content_of(folder.file("system/journal")) == journal);
}

TEST_CASE("a block with other bytes for stored rows is refused and the first one stays") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  fill(store);
  std::vector<double> other = values_of({0, 7});
  other[3] += 1e-12;
  Sent second({0, 7}, other);
  second.block.worker = "node8:12";
  const auto refused = store.write(second.block);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRefused);
  CHECK(refused.error().what ==
        "node7:4711 and node8:12 delivered different bytes: one of the two machines computes wrongly");
  require_right_rows(store);
  CHECK(store.finish());
}

TEST_CASE("a block that was damaged on the way, or does not fit, is refused and nothing is written") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  const std::string before = content_of(folder.file("system/blocks.f64"));
  const auto refused = [&](const Sent& sent) {
    const auto answer = store.write(sent.block);
    return !answer && answer.error().kind == ErrorKind::kRefused;
  };
  Sent damaged({0, 7});
  damaged.values[4] = 0.0;
  CHECK(refused(damaged));
  CHECK(refused(Sent({0, 7}, values_of({0, 8}))));
  CHECK(refused(Sent({0, 7}, values_of({0, 6}))));
  CHECK(refused(Sent({-1, 7}, values_of({0, 7}))));
  CHECK(refused(Sent({34, 7}, values_of({0, 7}))));
  CHECK(refused(Sent({0, 0}, {})));
  Sent miscounted({0, 7});
  miscounted.block.chunk_checksums.push_back(0);
  CHECK(refused(miscounted));
  CHECK(content_of(folder.file("system/blocks.f64")) == before);
  fill(store);  // and it goes on
  CHECK(refused(Sent({5, 7})));
}

TEST_CASE("another identity is refused, naming what differs") {
  const FullStore full;
  const auto refusal = [&](const StoreIdentity& identity) {
    const auto store = BlockStore::open(full.directory(), identity);
    REQUIRE_FALSE(store);
    CHECK(store.error().kind == ErrorKind::kRefused);
    CHECK_FALSE(store.error().remedy.empty());
    return store.error().what;
  };
  CHECK(refusal({40, kColumns, "d4ta", "m0del", "0ther"}) == "belongs to another fit: build bu11d there, 0ther now");
  CHECK(refusal({40, kColumns, "new", "m0del", "bu11d"}) == "belongs to another fit: data set d4ta there, new now");
  CHECK(refusal({40, 6, "d4ta", "new", "bu11d"}) ==
        "belongs to another fit: model (basis) m0del there, new now; number of columns 5 there, 6 now");
  CHECK(refusal({41, kColumns, "d4ta", "m0del", "bu11d"}) == "belongs to another fit: number of rows 40 there, 41 now");
  CHECK(content_of(full.journal()) == full.journal_content);
  CHECK(content_of(full.matrix()) == full.matrix_content);
}

TEST_CASE("a journal of another format version is refused and left alone") {
  const FullStore full;
  std::string journal = full.journal_content;
  journal[4] = 2;
  const std::uint32_t length = static_cast<unsigned char>(journal[8]);
  const std::uint64_t sum = checksum(std::string_view(journal).substr(0, length - 8));
  std::memcpy(journal.data() + length - 8, &sum, 8);
  replace(full.journal(), journal);
  const auto store = BlockStore::open(full.directory(), kIdentity);
  REQUIRE_FALSE(store);
  CHECK(store.error().kind == ErrorKind::kRefused);
  CHECK(content_of(full.journal()) == journal);
}

TEST_CASE("a second store on the same directory is refused, naming the process") {
  const test::TemporaryDirectory folder;
  const BlockStore store = opened(folder.file("system"));
  const auto second = BlockStore::open(folder.file("system"), kIdentity);
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == ErrorKind::kStorage);
  CHECK_THAT(second.error().what, Catch::StartsWith("in use by process " + std::to_string(::getpid())));
}

TEST_CASE("a journal cut at any byte keeps all records before the cut, and can be completed") {
  const FullStore full;
  std::size_t most = 0;
  for (std::size_t cut = 0; cut <= full.journal_content.size(); ++cut) {
    full.reset();
    replace(full.journal(), full.journal_content.substr(0, cut));
    INFO("cut at byte " << cut);
    {
      BlockStore store = opened(full.directory());
      REQUIRE(store.recovery().stored.size() >= most);
      most = store.recovery().stored.size();
      require_right_rows(store);
      fill(store);
      REQUIRE(store.finish());
    }
    const BlockStore again = opened(full.directory());
    REQUIRE(again.recovery().stored == kBlocks);
    REQUIRE(again.recovery().findings.empty());
    REQUIRE(again.recovery().finished);
  }
  CHECK(most == kBlocks.size());
}

TEST_CASE("any changed byte of the journal costs at most one block, never gives a wrong row, and is repaired") {
  const FullStore full;
  for (std::size_t at = 0; at < full.journal_content.size(); ++at) {
    full.reset();
    std::string journal = full.journal_content;
    const int change = kChanges[at % kChanges.size()];
    journal[at] = static_cast<char>(journal[at] ^ change);
    replace(full.journal(), journal);
    INFO("byte " << at << " changed by " << change);
    {
      BlockStore store = opened(full.directory());
      REQUIRE(store.recovery().stored.size() + 1 >= kBlocks.size());
      REQUIRE(store.recovery().findings.size() == 1);
      require_right_rows(store);
      fill(store);
    }
    const BlockStore again = opened(full.directory());
    REQUIRE(again.recovery().stored == kBlocks);
    REQUIRE(again.recovery().findings.empty());
    require_right_rows(again);
  }
}

TEST_CASE("any changed byte of the matrix costs the block that it is in, and is found by verifying") {
  const FullStore full;
  for (std::size_t at = 0; at < full.matrix_content.size(); ++at) {
    full.reset();
    std::string matrix = full.matrix_content;
    const int change = kChanges[at % kChanges.size()];
    matrix[at] = static_cast<char>(matrix[at] ^ change);
    replace(full.matrix(), matrix);
    INFO("byte " << at << " changed by " << change);
    {
      BlockStore store = opened(full.directory());
      REQUIRE(store.recovery().stored.size() == kBlocks.size() - 1);
      REQUIRE(store.recovery().findings.size() == 1);
      REQUIRE_FALSE(store.recovery().finished);
      require_right_rows(store);
      fill(store);
    }
    REQUIRE(content_of(full.matrix()) == full.matrix_content);
  }
}

TEST_CASE("a journal of which any two bytes are changed gives no wrong row, and is repaired or refused") {
  const FullStore full;
  const bool good = rc::check("two changes", [&] {
    full.reset();
    std::string journal = full.journal_content;
    for (int i = 0; i < 2; ++i) {
      journal[*rc::gen::inRange<std::size_t>(0, journal.size())] = *rc::gen::arbitrary<char>();
    }
    replace(full.journal(), journal);
    BlockStore store = opened(full.directory());
    require_right_rows(store);
    fill(store);
    RC_ASSERT(store.finish());
  });
  REQUIRE(good);
}

TEST_CASE("a store is open before its rows are read, and finished only after") {
  const FullStore full;
  std::string matrix = full.matrix_content;
  matrix[9 * kColumns * 8] = static_cast<char>(matrix[9 * kColumns * 8] ^ 1);
  replace(full.matrix(), matrix);
  auto store = BlockStore::open(full.directory(), kIdentity);
  REQUIRE(store);
  CHECK(store->recovery().stored == kBlocks);
  CHECK(store->recovery().finished);
  CHECK(store->complete());
  CHECK(store->finish().error().kind == ErrorKind::kFailed);
  CHECK(store->verified());
  CHECK_FALSE(store->recovery().finished);
  CHECK(store->recovery().stored == std::vector<RowRange>{{0, 7}, {20, 1}, {21, 19}});
  REQUIRE(store->recovery().findings.size() == 1);
  CHECK_THAT(
      store->recovery().findings[0],
      Catch::Contains("blocks.f64: rows 7 to 19 (bytes 280 to 799) do not have the checksum that the journal has "
                      "for them: rows 7 to 19 (from node7:4711) will be evaluated again"));
  CHECK(store->verify().value().empty());
  fill(*store, {{7, 13}});
  CHECK(store->finish());
  require_right_rows(*store);
  CHECK(StoreReader::open(full.directory())->verify());
  CHECK(StoreReader::open(full.directory())->quarantined().size() == 1);
}

TEST_CASE("what was written since the opening survives that something older was damaged") {
  const test::TemporaryDirectory folder(test::memory_folder());
  const std::string directory = folder.file("system");
  fill(*std::make_unique<BlockStore>(opened(directory)), {{0, 7}});
  std::string matrix = content_of(directory + "/blocks.f64");
  matrix[5] = static_cast<char>(matrix[5] ^ 0x10);
  replace(directory + "/blocks.f64", matrix);
  {
    auto store = BlockStore::open(directory, kIdentity);
    REQUIRE(store);
    REQUIRE(store->write(Sent({20, 1}).block));  // not yet committed
    REQUIRE(store->quarantine({3, "atoms 0 and 1 coincide"}));
    CHECK(store->verify().value().size() == 1);
  }
  const BlockStore again = opened(directory);
  CHECK(again.recovery().stored == std::vector<RowRange>{{20, 1}});
  CHECK(again.recovery().quarantined.size() == 1);
  CHECK(again.recovery().findings.empty());
  require_right_rows(again);
}

TEST_CASE("whoever waits for the verification is told once, on whatever thread") {
  const FullStore full;
  auto store = BlockStore::open(full.directory(), kIdentity);
  REQUIRE(store);
  std::promise<void> told;
  store->when_verified([&] { told.set_value(); });
  CHECK(told.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  CHECK(store->verified());
  bool at_once = false;
  store->when_verified([&] { at_once = true; });
  CHECK(at_once);
}

TEST_CASE("a record whose rows never reached the disk gives no rows") {
  const FullStore full;
  replace(full.matrix(), std::string(full.matrix_content.size(), '\0'));
  CHECK(opened(full.directory()).recovery().stored.empty());
}

TEST_CASE("a matrix that is missing, too short or full of holes is made whole again") {
  const FullStore full;
  SECTION("missing") {
    std::filesystem::remove(full.matrix());
  }
  SECTION("too short") {
    replace(full.matrix(), full.matrix_content.substr(0, 13 * kColumns * 8));
  }
  SECTION("holes") {
    std::filesystem::resize_file(full.matrix(), 0);
    std::filesystem::resize_file(full.matrix(), full.matrix_content.size());
  }
  {
    BlockStore store = opened(full.directory());
    CHECK(store.recovery().findings.size() >= 1);
    CHECK(store.recovery().stored.size() <= 1);
    require_right_rows(store);
    fill(store);
  }
  CHECK(content_of(full.matrix()) == full.matrix_content);
}

TEST_CASE("a creation that was cut short starts again") {
  const test::TemporaryDirectory folder;
  std::filesystem::create_directories(folder.file("system"));
  replace(folder.file("system/blocks.f64"), "left by a crash");
  replace(folder.file("system/blocks.f64.new"), "left by a crash");
  replace(folder.file("system/journal.new"), "left by a crash");
  BlockStore store = opened(folder.file("system"));
  CHECK(store.recovery().findings.empty());
  fill(store);
  CHECK(store.finish());
}

TEST_CASE("two records that contradict each other are a finding, and their rows are evaluated again once") {
  const FullStore full;
  const auto extra = encode_record(RowsStored{{7, 13}, 99, "node8:12", 1.0}, identity_tag(kIdentity), 77);
  replace(full.journal(),
          full.journal_content + std::string(reinterpret_cast<const char*>(extra.data()), extra.size()));
  {
    BlockStore store = opened(full.directory());
    CHECK(store.recovery().stored == std::vector<RowRange>{{0, 7}, {20, 1}, {21, 19}});
    REQUIRE(store.recovery().findings.size() == 1);
    CHECK_THAT(store.recovery().findings[0], Catch::Contains("rows 7 to 19 from node8:12 and rows 7 to 19 from "
                                                             "node7:4711 have different checksums"));
    fill(store);
  }
  CHECK(opened(full.directory()).recovery().stored == kBlocks);
}

TEST_CASE("a phase is not finished before its last row") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  fill(store, {{0, 7}, {20, 1}, {21, 19}});
  CHECK_FALSE(store.finish());
  fill(store, {{7, 13}});
  CHECK(store.finish());
}

TEST_CASE("a matrix without rows or columns is a store like any other") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"), {0, 5, "a", "b", "c"});
  CHECK(store.finish());
}

TEST_CASE("a matrix larger than any file is refused in words") {
  const test::TemporaryDirectory folder;
  const auto store =
      BlockStore::open(folder.file("system"), {std::int64_t{1} << 40U, std::int64_t{1} << 30U, "", "", ""});
  REQUIRE_FALSE(store);
  CHECK(store.error().kind == ErrorKind::kStorage);
  CHECK_FALSE(std::filesystem::exists(folder.file("system/journal")));
}

// ---- rows that other processes write in place ----------------------------------------------------------------------

namespace {

/// A process that writes rows into a shared store by the rules of worker/row_file.h, step by step.
class Writer {
 public:
  explicit Writer(const SharedFile& shared)
      : shared_(shared), file_(File::open(shared.path, File::Mode::kReadWrite).value()) {}
  bool lock(RowRange rows, File::Lock kind) const {
    return file_.lock(offset(rows), static_cast<std::uint64_t>(rows.count) * shared_.row_bytes, kind).value();
  }
  void put(RowRange rows, const std::vector<double>& values) const {
    REQUIRE(file_.write_at(offset(rows), std::as_bytes(std::span(values))));
  }
  /// All of it; false where somebody else has the rows.
  bool write(RowRange rows) const {
    if (!lock(rows, File::Lock::kExclusive)) {
      return false;
    }
    put(rows, values_of(rows));
    return lock(rows, File::Lock::kShared);
  }

 private:
  std::uint64_t offset(RowRange rows) const { return static_cast<std::uint64_t>(rows.first) * shared_.row_bytes; }
  SharedFile shared_;
  File file_;
};

RowsStored record_of(RowRange rows) {
  return {rows, checksum_of_chunks(Sent(rows).block.chunk_checksums), "host:99", 0.5};
}

}  // namespace

TEST_CASE("rows that another process wrote in place are stored like any others once they are adopted and committed") {
  const test::TemporaryDirectory folder;
  {
    BlockStore store = opened(folder.file("system"));
    const SharedFile shared = store.share().value();
    CHECK(store.shared());
    CHECK(std::filesystem::path(shared.path).is_absolute());
    const Writer writer(shared);
    REQUIRE(writer.write({7, 13}));
    REQUIRE(store.adopt(record_of({7, 13})));
    fill(store, {{0, 7}});
    REQUIRE(writer.write({20, 1}));  // never adopted: it is not there
  }
  BlockStore store = opened(folder.file("system"));
  CHECK(store.recovery().stored == std::vector<RowRange>{{0, 7}, {7, 13}});
  CHECK(store.recovery().findings.empty());
  require_right_rows(store);
  fill(store);
  CHECK(store.finish());
}

TEST_CASE("stored rows are locked against other processes, however they came and whenever, and no other rows are") {
  const test::TemporaryDirectory folder;
  {
    BlockStore store = opened(folder.file("system"));
    fill(store, {{0, 7}});
  }
  BlockStore store = opened(folder.file("system"));
  const SharedFile shared = store.share().value();
  fill(store, {{7, 13}});
  {
    const Writer writer(shared);
    REQUIRE(writer.write({20, 1}));
    REQUIRE(store.adopt(record_of({20, 1})));
  }  // its lock ends here, ours does not
  const Writer late(shared);
  for (const RowRange rows : {RowRange{0, 7}, RowRange{7, 13}, RowRange{20, 1}, RowRange{6, 1}, RowRange{19, 2}}) {
    CHECK_FALSE(late.write(rows));
  }
  CHECK(late.write({21, 19}));
  REQUIRE(store.commit());
  require_right_rows(store);
}

TEST_CASE("adopting again changes nothing, and what contradicts stored rows or the matrix is refused") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  const Writer writer(store.share().value());
  REQUIRE(writer.write({7, 13}));
  REQUIRE(store.adopt(record_of({7, 13})));
  REQUIRE(store.commit());
  const std::string journal = content_of(folder.file("system/journal"));
  CHECK(store.adopt(record_of({7, 13})));
  REQUIRE(store.commit());
  CHECK(content_of(folder.file("system/journal")) == journal);

  RowsStored other = record_of({7, 13});
  ++other.checksum;
  for (const RowsStored& wrong :
       {other, record_of({5, 7}), RowsStored{{34, 7}, 1, "", 0.0}, RowsStored{{0, 0}, 1, "", 0.0}}) {
    const Status refused = store.adopt(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::kRefused);
  }
}

TEST_CASE("a block whose rows another process is writing has to wait until that is over") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  const SharedFile shared = store.share().value();
  const Sent sent({7, 13});
  {
    const Writer killed(shared);
    REQUIRE(killed.lock({7, 13}, File::Lock::kExclusive));
    killed.put({7, 13}, std::vector<double>(5, 99.0));  // in the middle of it
    CHECK(store.write(sent.block).value() == BlockStore::Taken::kBusy);
    CHECK(store.write(sent.block).value() == BlockStore::Taken::kBusy);
  }
  CHECK(store.write(sent.block).value() == BlockStore::Taken::kYes);
  REQUIRE(store.commit());
  std::vector<double> back(sent.values.size());
  REQUIRE(store.read({7, 13}, back));
  CHECK(back == sent.values);
}

TEST_CASE("a block that another process wrote and did not claim is not written again, but it must be the same") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  const SharedFile shared = store.share().value();
  const Writer writer(shared);
  REQUIRE(writer.write({7, 13}));
  CHECK(store.write(Sent({7, 13}).block).value() == BlockStore::Taken::kYes);

  REQUIRE(writer.lock({20, 1}, File::Lock::kExclusive));
  writer.put({20, 1}, std::vector<double>(kColumns, 3.25));
  REQUIRE(writer.lock({20, 1}, File::Lock::kShared));
  const auto refused = store.write(Sent({20, 1}).block);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRefused);
  REQUIRE(store.commit());
  CHECK_FALSE(store.finish());
}

TEST_CASE("rows that their writer let go of and yet another one is writing are not adopted") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  const SharedFile shared = store.share().value();
  REQUIRE(Writer(shared).write({7, 13}));
  const Writer other(shared);
  REQUIRE(other.lock({0, 20}, File::Lock::kExclusive));
  const Status refused = store.adopt(record_of({7, 13}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRefused);
}

TEST_CASE("a store is not shared while a process of an earlier run still writes rows that are stored") {
  const test::TemporaryDirectory folder;
  BlockStore store = opened(folder.file("system"));
  fill(store);
  const File left_over = File::open(folder.file("system/blocks.f64"), File::Mode::kReadWrite).value();
  REQUIRE(left_over.lock(8, 8, File::Lock::kExclusive).value());
  const auto refused = store.share();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kStorage);
}

// ---- full disks ----------------------------------------------------------------------------------------------------

namespace {

/// A file system of a few megabytes.
class SmallDisk {
 public:
  SmallDisk() { mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=4m") == 0; }
  ~SmallDisk() {
    if (mounted_) {
      ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
  }
  bool mounted() const { return mounted_; }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  test::TemporaryDirectory folder_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("a disk that is too small for the matrix is an error before any work, with need and have") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    WARN("skipped: mounting a small file system takes root");
    return;
  }
  const auto store = BlockStore::open(disk.file("system"), {10'000, 100, "a", "b", "c"});  // 8 MB
  REQUIRE_FALSE(store);
  CHECK(store.error().kind == ErrorKind::kStorage);
  CHECK_THAT(store.error().what, Catch::Contains("No space left on device: needs 0.008 GB, 0.004 GB are free"));
  CHECK_FALSE(std::filesystem::exists(disk.file("system/blocks.f64")));
  CHECK_FALSE(std::filesystem::exists(disk.file("system/blocks.f64.new")));
  CHECK_FALSE(std::filesystem::exists(disk.file("system/journal")));
}

TEST_CASE("a disk that fills up while the journal grows costs nothing that was committed") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    WARN("skipped: mounting a small file system takes root");
    return;
  }
  const std::string directory = disk.file("system");
  {
    BlockStore store = opened(directory);
    fill(store, {{0, 7}, {7, 13}});
    const auto filler = File::open(disk.file("filler"), File::Mode::kCreate);
    REQUIRE(filler->preallocate(free_bytes(disk.file("")).value()));
    Status status = Done{};
    for (int i = 0; i < 10 && status; ++i) {  // the last page of the journal has room for some more records
      REQUIRE(store.quarantine({3, std::string(kMaxRecordText, 'x')}));
      status = store.commit();
    }
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().text(), Catch::Contains("No space left on device") && Catch::Contains("free some space"));
    // The first error is the answer to everything from now on.
    CHECK(store.commit().error() == status.error());
    CHECK(store.write(Sent({20, 1}).block).error() == status.error());
    CHECK(store.quarantine({4, ""}).error() == status.error());
    CHECK(store.finish().error() == status.error());
  }
  std::filesystem::remove(disk.file("filler"));
  BlockStore store = opened(directory);
  CHECK(store.recovery().stored == std::vector<RowRange>{{0, 7}, {7, 13}});
  require_right_rows(store);
  fill(store);
  CHECK(store.finish());
}

TEST_CASE("a write that fails is a clear error for ever and loses nothing that was committed") {
  const test::TemporaryDirectory folder;
  const std::string directory = folder.file("system");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto store = BlockStore::open(directory, kIdentity);
    bool good = store && store->write(Sent({0, 7}).block) && store->commit();
    const rlimit limits{800, 800};  // rows 20 and on begin at byte 800
    ::setrlimit(RLIMIT_FSIZE, &limits);
    const auto failed = store->write(Sent({21, 19}).block);
    good = good && !failed && failed.error().kind == ErrorKind::kStorage && !failed.error().remedy.empty();
    const auto after = store->write(Sent({7, 13}).block);
    good = good && !after && after.error() == failed.error() && !store->commit();
    ::_exit(good ? 7 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  const BlockStore store = opened(directory);
  CHECK(store.recovery().stored == std::vector<RowRange>{{0, 7}});
  require_right_rows(store);
}

// ---- crashes -------------------------------------------------------------------------------------------------------

TEST_CASE("a killed process loses nothing that commit() had returned for") {
  const test::TemporaryDirectory folder;
  const std::string directory = folder.file("system");
  for (std::size_t committed = 0; committed <= kBlocks.size(); ++committed) {
    const std::string here = directory + std::to_string(committed);
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = BlockStore::open(here, kIdentity);
      for (std::size_t i = 0; store && i < kBlocks.size(); ++i) {
        if (!store->write(Sent(kBlocks[i]).block) || (i < committed && !store->commit())) {
          ::_exit(1);
        }
      }
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const BlockStore store = opened(here);
    CHECK(store.recovery().stored ==
          std::vector<RowRange>(kBlocks.begin(), kBlocks.begin() + static_cast<std::ptrdiff_t>(committed)));
    require_right_rows(store);
  }
}

TEST_CASE("a power failure that keeps any part of what was not synced never gives a wrong row") {
  // Between two commits the disk may keep any pieces of the rows and any beginning of the records. Rows are synced
  // before their records are written, so where a part of the new records is there all the rows are; a disk that lies
  // about that is the last case.
  const FullStore full;
  const test::TemporaryDirectory folder(test::memory_folder());
  std::string before;
  {
    BlockStore store = opened(folder.file("system"));
    fill(store, {{0, 7}, {7, 13}});
    before = content_of(folder.file("system/journal"));
  }
  const bool good = rc::check("power failure", [&] {
    const bool disk_lies = *rc::gen::arbitrary<bool>();
    const auto kept = *rc::gen::inRange<std::size_t>(0, full.journal_content.size() - before.size() + 1);
    std::string matrix = full.matrix_content;
    if (kept == 0 || disk_lies) {
      const auto lost = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(100, 200));
      for (const std::size_t value : lost) {
        std::memset(matrix.data() + 8 * value, 0, 8);
      }
    }
    replace(folder.file("system/journal"), full.journal_content.substr(0, before.size() + kept));
    replace(folder.file("system/blocks.f64"), matrix);
    BlockStore store = opened(folder.file("system"));
    RC_ASSERT(store.recovery().stored.size() >= 2U);
    require_right_rows(store);
    fill(store);
  });
  REQUIRE(good);
}

// ---- reading -------------------------------------------------------------------------------------------------------

TEST_CASE("a reader sees identity, rows and what is missing, also while the store is being written") {
  const test::TemporaryDirectory folder;
  const std::string directory = folder.file("system");
  CHECK(StoreReader::open(directory).error().kind == ErrorKind::kInput);
  BlockStore store = opened(directory);
  fill(store, {{0, 7}, {20, 1}});
  CHECK(read_store_identity(directory).value() == kIdentity);
  {
    const auto reader = StoreReader::open(directory);
    REQUIRE(reader);
    CHECK(reader->stored() == std::vector<RowRange>{{0, 7}, {20, 1}});
    const auto complete = reader->check_complete();
    REQUIRE_FALSE(complete);
    CHECK(complete.error().text() ==
          "32 of 40 rows are not evaluated yet, the first is row 7; run the fit again: it goes on from what is stored");
  }
  fill(store);
  REQUIRE(store.quarantine({3, "a"}));
  REQUIRE(store.finish());
  const auto reader = StoreReader::open(directory);
  REQUIRE(reader);
  CHECK(reader->check_complete());
  CHECK(reader->verify());
  CHECK(reader->finished());
  CHECK(reader->quarantined() == std::vector<QuarantineRecord>{{3, "a"}});
  std::vector<double> values(40 * kColumns);
  REQUIRE(reader->read({0, 40}, values));
  CHECK(values == values_of({0, 40}));
  CHECK_FALSE(reader->read({1, 40}, values));
  CHECK_FALSE(reader->read({0, 40}, std::span(values).first(10)));
}

TEST_CASE("a reader finds damaged rows when asked to verify") {
  const FullStore full;
  std::string matrix = full.matrix_content;
  matrix[9 * kColumns * 8] = static_cast<char>(matrix[9 * kColumns * 8] ^ 1);
  replace(full.matrix(), matrix);
  const auto reader = StoreReader::open(full.directory());
  REQUIRE(reader);
  const auto verified = reader->verify();
  REQUIRE(verified.errors().size() == 1);
  CHECK(verified.error().what ==
        "rows 7 to 19 (bytes 280 to 799) do not have the checksum that the journal has for them");
  std::filesystem::resize_file(full.matrix(), 100);
  CHECK(reader->verify().errors().size() == kBlocks.size());
}
