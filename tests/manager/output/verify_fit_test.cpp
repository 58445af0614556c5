#include "manager/output/verify_fit.h"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "common/file_system.h"
#include "manager/solve/solve_fit.h"
#include "tests/support/made_fit.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

namespace {

/// A fit directory that was solved.
class Solved {
 public:
  Solved() {
    test::make_fit(directory, test::silicon(false));
    REQUIRE(solve_fit(directory, "default"));
  }
  VerifiedFit verify() const {
    auto found = verify_fit(directory, [](std::uint64_t) {});
    REQUIRE(found);
    return std::move(*found);
  }

 private:
  test::TemporaryDirectory place_{test::memory_folder()};

 public:
  FitDirectory directory{place_.path()};
};

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

std::set<std::size_t> record_starts(const std::string& journal) {
  std::set<std::size_t> starts;
  for (const FoundRecord& record : replay_journal(std::as_bytes(std::span(journal))).records) {
    starts.insert(record.offset);
  }
  return starts;
}

void replace(const std::string& path, const std::string& content) {
  REQUIRE(write_file_durably(path, content));
}

}  // namespace

TEST_CASE("a fit directory that is whole is said to be, with what is in it") {
  const Solved fit;
  std::uint64_t bytes = 0;
  const auto found = verify_fit(fit.directory, [&](std::uint64_t more) { bytes += more; });
  REQUIRE(found);
  CHECK(found->damage.empty());
  CHECK(found->bytes == bytes);
  CHECK(bytes >= bytes_to_verify(fit.directory));
  CHECK(summary_of(*found) == "whole: 78 rows in 1 block, 3 journal records, 6 structures, 1 solution");
}

TEST_CASE("what is not there is no damage") {
  const Solved fit;
  std::filesystem::remove_all(fit.directory.system());
  std::filesystem::remove(fit.directory.dataset());
  CHECK(summary_of(fit.verify()) == "whole: 0 rows in 0 blocks, 0 journal records, 0 structures, 1 solution");
  std::filesystem::remove(fit.directory.coefficients("default"));  // a solve that was interrupted
  CHECK(summary_of(fit.verify()) == "whole: 0 rows in 0 blocks, 0 journal records, 0 structures, 0 solutions");
}

TEST_CASE("what is no fit directory is refused") {
  const test::TemporaryDirectory place;
  const auto found = verify_fit(FitDirectory{place.path()}, [](std::uint64_t) {});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::kUsage);
}

TEST_CASE("damage of any byte of any file that ipfit reads back is found, and so is what is cut off") {
  const Solved fit;
  constexpr std::array<int, 3> kChanges{0x01, 0x80, 0xff};
  for (const std::string& path :
       {fit.directory.system() + "/journal", fit.directory.system() + "/blocks.f64", fit.directory.dataset(),
        fit.directory.potential("default"), fit.directory.coefficients("default")}) {
    const std::string whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ kChanges[at % kChanges.size()]);
      replace(path, changed);
      INFO(path << " byte " << at);
      const VerifiedFit found = fit.verify();
      if (found.damage.empty()) {  // the name of the checksum of coefficients.json, with everything else as it was
        const std::size_t name = whole.rfind("\"checksum\"") + 1;
        REQUIRE((path.ends_with("coefficients.json") && at >= name && at < name + 8));
        continue;
      }
      REQUIRE(found.damage[0].kind == ErrorKind::kStorage);
      REQUIRE(found.damage[0].text().find(std::filesystem::path(path).filename()) != std::string::npos);
      replace(path, whole.substr(0, at));
      // Where a record of the journal ends nothing is seen to be missing; a text may do without its last line feed.
      const bool unseen = path.ends_with("journal") ? at > 0 && record_starts(whole).contains(at)
                                                    : path.ends_with(".json") && at + 1 == whole.size();
      REQUIRE(fit.verify().damage.empty() == unseen);
    }
    replace(path, whole);
  }
}

TEST_CASE("damage is named with its file, its place and what becomes of it") {
  const Solved fit;
  const std::string matrix = fit.directory.system() + "/blocks.f64";
  std::string content = content_of(matrix);
  content[1000] = static_cast<char>(content[1000] ^ 1);
  replace(matrix, content);
  const VerifiedFit rows = fit.verify();
  REQUIRE(rows.damage.size() == 1);
  CHECK(rows.damage[0].text() ==
        matrix +
            ": rows 0 to 77 (bytes 0 to 1871) do not have the checksum that the journal has for "
            "them; run the fit again: it evaluates them again");
  CHECK(summary_of(rows) == "damaged in 1 place: 0 rows in 0 blocks, 3 journal records, 6 structures, 1 solution");
}

TEST_CASE("potential and coefficients that do not belong together, or to the matrix, are damage") {
  const Solved fit;
  const auto potential = read_model(content_of(fit.directory.potential("default")), "potential");
  REQUIRE(potential);
  SECTION("other coefficients") {
    Model other = *potential;
    other.coefficients[1] += 1e-12;
    replace(fit.directory.potential("default"), write_model(other));
    const VerifiedFit found = fit.verify();
    REQUIRE(found.damage.size() == 1);
    CHECK(found.damage[0].what == "has other coefficients than the coefficients.json beside it");
  }
  SECTION("another basis") {
    Model other = *potential;
    std::get<PairSpec>(other.basis).cutoff = 4.0;
    replace(fit.directory.potential("default"), write_model(other));
    const VerifiedFit found = fit.verify();
    REQUIRE(found.damage.size() == 1);
    CHECK(found.damage[0].what == "has another basis than the matrix");
  }
}
