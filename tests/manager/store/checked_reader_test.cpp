#include "manager/store/checked_reader.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "common/checksum.h"
#include "manager/store/block_store.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

constexpr std::int64_t kColumns = 500;
constexpr std::int64_t kRows = 1000;
/// Blocks of one row, of part of a chunk, and of more than two chunks (262 rows are one).
const std::vector<RowRange> kBlocks{{0, 1}, {1, 60}, {61, 639}, {700, 300}};

std::vector<double> values_of(RowRange rows) {
  std::vector<double> values;
  for (std::int64_t i = rows.first * kColumns; i < (rows.first + rows.count) * kColumns; ++i) {
    values.push_back(static_cast<double>(i) / 7.0);
  }
  return values;
}

/// A store with all rows, one number of which can be damaged.
class Stored {
 public:
  Stored() {
    auto store = BlockStore::open(directory(), {kRows, kColumns, "d4ta", "m0del", "bu11d"});
    for (const RowRange rows : kBlocks) {
      const std::vector<double> values = values_of(rows);
      StoredBlock block;
      block.rows = rows;
      for (auto rest = std::as_bytes(std::span(values)); !rest.empty();
           rest = rest.subspan(block.chunks.back().size())) {
        block.chunks.push_back(rest.first(std::min(rest.size(), kChunkBytes)));
        block.chunk_checksums.push_back(checksum(block.chunks.back()));
      }
      REQUIRE(store->write(block));
    }
    REQUIRE(store->commit());
  }
  StoreReader open() const {
    auto reader = StoreReader::open(directory());
    REQUIRE(reader);
    return *std::move(reader);
  }
  void damage(std::int64_t row) const {
    std::fstream file(directory() + "/blocks.f64", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(row * kColumns * 8 + 3);
    file.put('!');
  }

 private:
  std::string directory() const { return folder_.file("system"); }
  test::TemporaryDirectory folder_{test::memory_folder()};
};

/// Reads rows [first, end) in pieces; those that came stand in `values`.
Status read_in_order(CheckedReader& reader, std::int64_t first, std::int64_t end, std::int64_t piece,
                     std::vector<double>& values) {
  for (; first < end; first += piece) {
    const RowRange rows{first, std::min(piece, end - first)};
    const std::size_t before = values.size();
    values.resize(before + static_cast<std::size_t>(rows.count * kColumns));
    if (Status read = reader.read(rows, std::span(values).subspan(before)); !read) {
      return read;
    }
  }
  return Done{};
}

Status read_in_order(CheckedReader& reader, std::int64_t first, std::int64_t end, std::int64_t piece) {
  std::vector<double> values;
  return read_in_order(reader, first, end, piece, values);
}

const std::string kWholeBlock = "rows 61 to 699 (bytes 244000 to 2799999) do not have the checksum";

}  // namespace

TEST_CASE("rows that are read in order are read once and are right") {
  const Stored stored;
  const StoreReader store = stored.open();
  CheckedReader reader(store);
  std::vector<double> values;
  CHECK(read_in_order(reader, 0, kRows, GENERATE(1, 32, 262, 1000), values));
  CHECK(reader.finish());
  CHECK(values == values_of({0, kRows}));
}

TEST_CASE("a number that was damaged on the disk is found, however the rows are read") {
  const Stored stored;
  stored.damage(GENERATE(61, 300, 699));
  const StoreReader store = stored.open();
  CheckedReader reader(store);
  using Reading = std::function<Status(CheckedReader&)>;
  const Reading in_order = [](CheckedReader& r) { return read_in_order(r, 0, kRows, 32); };
  const Reading two_lanes = [](CheckedReader& r) {
    Status second = read_in_order(r, 400, kRows, 32);
    Status first = read_in_order(r, 0, 400, 32);
    return first ? second : first;
  };
  const Reading with_gaps = [](CheckedReader& r) {
    Status first = read_in_order(r, 0, 100, 10);
    Status second = read_in_order(r, 110, kRows, 10);
    return first ? second : first;
  };
  const Reading one_row = [](CheckedReader& r) { return read_in_order(r, 650, 651, 1); };
  const Reading begun = [](CheckedReader& r) { return read_in_order(r, 0, 62, 62); };
  const Reading reading = GENERATE_COPY(in_order, two_lanes, with_gaps, one_row, begun);

  Status status = reading(reader);
  if (status) {  // a block that was only begun is checked at the end
    status = reader.finish();
  }
  REQUIRE_FALSE(status);
  CHECK(status.error().what.starts_with(kWholeBlock));
}

TEST_CASE("damage in rows that nobody reads is nobody's business") {
  const Stored stored;
  stored.damage(800);
  const StoreReader store = stored.open();
  CheckedReader reader(store);
  CHECK(read_in_order(reader, 0, 700, 50));
  CHECK(reader.finish());
}

TEST_CASE("several threads may read the same blocks") {
  const Stored stored;
  const StoreReader store = stored.open();
  CheckedReader reader(store);
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t k = 0; k < good.size(); ++k) {
    threads.emplace_back([&, k] {
      const auto first = static_cast<std::int64_t>(k) * 250;
      std::vector<double> values;
      const bool read = read_in_order(reader, first, first + 250, 16, values).ok();
      good[k] = read && values == values_of({first, 250}) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(good == std::vector<int>(4, 1));
  CHECK(reader.finish());
}
