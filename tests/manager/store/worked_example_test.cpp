// docs/reference/store-format.md shows a store byte by byte: it is made here, and must be these bytes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <sstream>

#include "common/checksum.h"
#include "manager/store/block_store.h"
#include "manager/store/store_reader.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/text_file.h"

using namespace ipfit;

namespace {

const StoreIdentity kIdentity{3, 2, "aa", "bb", "cc"};

/// The bytes of the code blocks of the example, in order: the first eight pairs of digits of each line.
std::vector<std::string> bytes_of_page() {
  const std::string page = test::text_of("docs/reference/store-format.md");  // tests run in the source folder
  std::istringstream lines(page.substr(page.find("## Worked example")));
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```") {
      inside = !inside;
      blocks.resize(blocks.size() + (inside ? 1 : 0));
    } else if (inside && !line.empty()) {
      std::istringstream digits(line.substr(0, 23));
      for (unsigned byte = 0; digits >> std::hex >> byte;) {
        blocks.back().push_back(static_cast<char>(byte));
      }
    }
  }
  return blocks;
}

void write(BlockStore& store, RowRange rows, const std::vector<double>& values, const std::string& worker,
           double seconds) {
  const auto bytes = std::as_bytes(std::span(values));
  REQUIRE(store.write({rows, {bytes}, {checksum(bytes)}, worker, seconds}));
  REQUIRE(store.commit());
}

}  // namespace

TEST_CASE("a store is the bytes of the worked example in docs/reference/store-format.md, and these bytes are a store") {
  const std::vector<std::string> page = bytes_of_page();
  REQUIRE(page.size() == 2);
  const test::TemporaryDirectory folder;
  {
    auto store = BlockStore::open(folder.file("made"), kIdentity);
    REQUIRE(store);
    write(*store, {1, 2}, {1.0, 0.5, -2.0, 0.25}, "pc:7", 0.5);
    REQUIRE(store->quarantine({0, "odd"}));
    write(*store, {0, 1}, {4.0, -1.0}, "pc:8", 0.25);
    REQUIRE(store->finish());
  }
  CHECK(test::text_of(folder.file("made/blocks.f64")) == page[0]);
  CHECK(test::text_of(folder.file("made/journal")) == page[1]);

  std::filesystem::create_directory(folder.file("page"));
  REQUIRE(write_file_durably(folder.file("page/blocks.f64"), page[0]));
  REQUIRE(write_file_durably(folder.file("page/journal"), page[1]));
  const auto reader = StoreReader::open(folder.file("page"));
  REQUIRE(reader);
  CHECK(reader->identity() == kIdentity);
  CHECK(reader->finished());
  CHECK(reader->findings().empty());
  CHECK(reader->verify());
}
