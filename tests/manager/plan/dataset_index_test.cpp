#include "manager/plan/dataset_index.h"

#include <catch2/catch.hpp>

#include "common/file_system.h"
#include "tests/support/small_fit.h"
#include "tests/support/temporary_directory.h"

namespace ipfit {
namespace {

TEST_CASE("a data set is indexed with sizes, sets and places, and gives back its structures") {
  const test::TemporaryDirectory directory;
  const auto written = test::dimers(5, 2);
  test::write_dataset(directory.file("d.bin"), written);
  const auto dataset = open_dataset(directory.file("d.bin"));
  REQUIRE(dataset.ok());
  CHECK(dataset->structures.size() == 5);
  CHECK(dataset->train_count == 3);
  CHECK(dataset->structures[0].mask == RowMask{true, true, true});
  CHECK(dataset->structures[0].volume == Approx(1728.0));
  CHECK(describe(dataset->structures[4].source) == "dimers.xyz frame 5 (line 17)");
  const auto some = decode_structures(dataset->records(1, 3));
  REQUIRE(some.ok());
  REQUIRE(some->size() == 3);
  CHECK((*some)[0].source.frame == 2);
  CHECK(dataset->records(5, 0).empty());
  const auto all = read_dataset(directory.file("d.bin"));
  REQUIRE(all.ok());
  CHECK(all->size() == 5);
}

TEST_CASE("rows of a data set are laid out structure after structure") {
  const test::TemporaryDirectory directory;
  test::write_dataset(directory.file("d.bin"), test::dimers(2));
  const auto dataset = open_dataset(directory.file("d.bin"));
  REQUIRE(dataset.ok());
  CHECK(row_layout(dataset->structures) == RowLayout{0, 13, 26});
}

TEST_CASE("a damaged, missing or disordered data set is an error that names the file") {
  const test::TemporaryDirectory directory;
  CHECK(open_dataset(directory.file("none")).error().kind == ErrorKind::kStorage);

  test::write_dataset(directory.file("d.bin"), test::dimers(2));
  const std::string whole = *read_file(directory.file("d.bin"));
  REQUIRE(write_file_durably(directory.file("d.bin"), whole.substr(0, whole.size() - 9)).ok());
  const auto cut = open_dataset(directory.file("d.bin"));
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().where.find("d.bin byte") != std::string::npos);

  auto structures = test::dimers(2);
  structures[0].set = DataSet::kTest;
  test::write_dataset(directory.file("d.bin"), structures);
  CHECK_FALSE(open_dataset(directory.file("d.bin")).ok());
}

TEST_CASE("a data set that is damaged at any byte, or ends there, is an error or has another name") {
  const test::TemporaryDirectory directory(test::memory_folder());
  const std::string path = directory.file("d.bin");
  test::write_dataset(path, test::dimers(2, 1));
  const std::string whole = *read_file(path);
  const std::string hash = open_dataset(path)->hash;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      REQUIRE(write_file_durably(path, damaged).ok());
      INFO("byte " << at << " changed by " << change);
      const auto dataset = open_dataset(path);
      REQUIRE((!dataset || dataset->hash != hash));
      REQUIRE_FALSE(read_dataset(path, hash));
    }
    REQUIRE(write_file_durably(path, whole.substr(0, at)).ok());
    const auto cut = open_dataset(path);
    REQUIRE((!cut || cut->hash != hash));
    REQUIRE_FALSE(read_dataset(path, hash));
  }
  test::write_dataset(path, test::dimers(2, 1));
  CHECK(read_dataset(path, hash)->size() == 2);
}

TEST_CASE("an empty data set has no structures") {
  const test::TemporaryDirectory directory;
  test::write_dataset(directory.file("d.bin"), {});
  const auto dataset = open_dataset(directory.file("d.bin"));
  REQUIRE(dataset.ok());
  CHECK(dataset->structures.empty());
}

}  // namespace
}  // namespace ipfit
