#include "manager/run/store_thread.h"

#include <poll.h>

#include <catch2/catch.hpp>
#include <optional>

#include "common/checksum.h"
#include "common/file_system.h"
#include "manager/store/store_reader.h"
#include "tests/support/temporary_directory.h"

namespace ipfit {
namespace {

constexpr StoreKey kKey{1, Phase::kAssembly};
const StoreIdentity kIdentity{6, 2, "data", "model", "build"};

ArrivedBlock block(std::uint32_t task, RowRange rows, double value) {
  const std::vector<double> numbers(static_cast<std::size_t>(rows.count * 2), value);
  const auto bytes = std::as_bytes(std::span(numbers));
  Payload payload(std::vector<std::byte>(bytes.begin(), bytes.end()));
  return {TaskId{1, Phase::kAssembly, task}, rows, {payload}, {checksum(payload.bytes())}, 7, "host:1", 0.1};
}

/// The next events, waited for.
std::vector<StoreEvent> events(StoreThread& thread, std::size_t count) {
  std::vector<StoreEvent> all;
  while (all.size() < count) {
    pollfd fd{thread.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&fd, 1, 20000) == 1);
    for (StoreEvent& event : thread.take_events()) {
      all.push_back(std::move(event));
    }
  }
  return all;
}

BlockStore open_store(const test::TemporaryDirectory& directory) {
  auto store = BlockStore::open(directory.path(), kIdentity);
  REQUIRE(store.ok());
  return std::move(*store);
}

TEST_CASE("a block is reported durable, and then it is in the store") {
  const test::TemporaryDirectory directory;
  StoreThread thread;
  thread.open(kKey, open_store(directory));
  thread.write(block(0, {0, 2}, 1.5));
  const auto got = events(thread, 1);
  REQUIRE(std::holds_alternative<stored::Durable>(got[0]));
  CHECK(std::get<stored::Durable>(got[0]).task.task == 0);
  const auto reader = StoreReader::open(directory.path());
  REQUIRE(reader.ok());
  CHECK(reader->stored() == std::vector<RowRange>{{0, 2}});
}

TEST_CASE("a damaged block is reported with its sender, and the store goes on") {
  const test::TemporaryDirectory directory;
  StoreThread thread;
  thread.open(kKey, open_store(directory));
  ArrivedBlock bad = block(0, {0, 2}, 1.5);
  ++bad.chunk_checksums[0];
  thread.write(std::move(bad));
  thread.write(block(1, {2, 2}, 2.5));
  const auto got = events(thread, 2);
  CHECK(std::get<stored::Damaged>(got[0]).worker == 7);
  CHECK(std::get<stored::Durable>(got[1]).task.task == 1);
}

TEST_CASE("closing comes after everything that was handed over before") {
  const test::TemporaryDirectory directory;
  StoreThread thread;
  thread.open(kKey, open_store(directory));
  thread.write(block(0, {0, 2}, 1.0));
  thread.write(block(1, {2, 4}, 2.0));
  thread.close(kKey);
  const auto got = events(thread, 3);
  CHECK(std::holds_alternative<stored::Closed>(got[2]));
  CHECK(StoreReader::open(directory.path())->check_complete().ok());
}

TEST_CASE("blocks for a store that is closed are dropped in silence") {
  const test::TemporaryDirectory directory;
  const test::TemporaryDirectory other;
  StoreThread thread;
  thread.open(kKey, open_store(directory));
  thread.close(kKey);
  thread.write(block(0, {0, 2}, 1.0));
  thread.open({2, Phase::kErrors}, open_store(other));
  thread.close({2, Phase::kErrors});
  CHECK(events(thread, 2).size() == 2);
  CHECK(StoreReader::open(directory.path())->stored().empty());
}

TEST_CASE("a store in which older rows are damaged is closed without them, so that it can be opened again at once") {
  const test::TemporaryDirectory directory;
  {
    StoreThread first;
    first.open(kKey, open_store(directory));
    first.write(block(0, {0, 2}, 1.0));
    events(first, 1);
  }
  const std::string path = directory.file("blocks.f64");
  std::string matrix = read_file(path).value();
  matrix[9] = static_cast<char>(matrix[9] ^ 4);
  REQUIRE(write_file_durably(path, matrix));
  StoreThread thread;
  BlockStore store = open_store(directory);
  REQUIRE(store.recovery().stored.size() == 1);
  REQUIRE(store.share());
  thread.open(kKey, std::move(store));
  thread.write(block(1, {2, 4}, 2.0));
  thread.close(kKey);
  const auto got = events(thread, 2);
  CHECK(std::get<stored::Durable>(got[0]).task.task == 1);
  const auto& closed = std::get<stored::Closed>(got[1]);
  REQUIRE(closed.damaged.size() == 1);
  CHECK(closed.damaged[0].find("rows 0 to 1 (from host:1) will be evaluated again") != std::string::npos);
  thread.open(kKey, open_store(directory));
  thread.write(block(0, {0, 2}, 1.0));
  thread.close(kKey);
  const auto again = events(thread, 2);
  CHECK(std::get<stored::Closed>(again[1]).damaged.empty());
  CHECK(StoreReader::open(directory.path())->finished());
  CHECK(StoreReader::open(directory.path())->verify().ok());
}

TEST_CASE("what was handed over is durable when the thread has ended") {
  const test::TemporaryDirectory directory;
  {
    StoreThread thread;
    thread.open(kKey, open_store(directory));
    thread.write(block(0, {0, 6}, 1.0));
    thread.quarantine(kKey, {3, "it overlaps"});
  }
  const auto reader = StoreReader::open(directory.path());
  REQUIRE(reader.ok());
  CHECK(reader->check_complete().ok());
  REQUIRE(reader->quarantined().size() == 1);
  CHECK(reader->quarantined()[0].reason == "it overlaps");
}

TEST_CASE("a block that its worker wrote in place is reported durable") {
  const test::TemporaryDirectory directory;
  StoreThread thread;
  BlockStore store = open_store(directory);
  const SharedFile shared = store.share().value();
  thread.open(kKey, std::move(store));
  const ArrivedBlock same = block(0, {0, 2}, 1.5);
  const File file = File::open(shared.path, File::Mode::kReadWrite).value();
  REQUIRE(file.write_at(0, same.chunks[0].bytes()));
  thread.adopt({same.task, {same.rows, checksum_of_chunks(same.chunk_checksums), "host:1", 0.1}, 7});
  const auto got = events(thread, 1);
  CHECK(std::get<stored::Durable>(got[0]).task.task == 0);
  const auto reader = StoreReader::open(directory.path());
  CHECK(reader->stored() == std::vector<RowRange>{{0, 2}});
  CHECK(reader->verify().ok());
}

TEST_CASE("a block whose rows another process is writing is kept, said to be, and stored when it can be") {
  const test::TemporaryDirectory directory;
  StoreThread thread;
  BlockStore store = open_store(directory);
  const SharedFile shared = store.share().value();
  thread.open(kKey, std::move(store));
  {
    const File file = File::open(shared.path, File::Mode::kReadWrite).value();
    REQUIRE(file.lock(0, 16, File::Lock::kExclusive).value());
    thread.write(block(0, {0, 2}, 1.5));
    for (const StoreEvent& event : events(thread, 3)) {
      CHECK(std::get<stored::Busy>(event).task.task == 0);
    }
  }
  std::optional<TaskId> durable;
  while (!durable) {
    for (const StoreEvent& event : events(thread, 1)) {
      if (const auto* now = std::get_if<stored::Durable>(&event)) {
        durable = now->task;
      } else {
        REQUIRE(std::holds_alternative<stored::Busy>(event));
      }
    }
  }
  CHECK(StoreReader::open(directory.path())->verify().ok());
}

TEST_CASE("a shared store keeps its locks after it was closed, so that nobody who is late can change its rows") {
  const test::TemporaryDirectory directory;
  const File late = [&] {
    StoreThread thread;
    BlockStore store = open_store(directory);
    const SharedFile shared = store.share().value();
    thread.open(kKey, std::move(store));
    thread.write(block(0, {0, 6}, 1.5));
    thread.close(kKey);
    CHECK(events(thread, 2).size() == 2);
    File file = File::open(shared.path, File::Mode::kReadWrite).value();
    CHECK_FALSE(file.lock(0, 16, File::Lock::kExclusive).value());
    return file;
  }();
  CHECK(late.lock(0, 16, File::Lock::kExclusive).value());
}

}  // namespace
}  // namespace ipfit
