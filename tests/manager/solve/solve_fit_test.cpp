// The solve on stores made here: rows are random numbers, labels what given coefficients and a given reference make.
#include "manager/solve/solve_fit.h"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file_system.h"
#include "common/fit/write_fit_file.h"
#include "common/json.h"
#include "common/model/model.h"
#include "manager/output/solution_files.h"
#include "tests/support/made_fit.h"
#include "tests/support/temporary_directory.h"

using namespace ipfit;

TEST_CASE("coefficients and one-body energies come out, with and without a reference potential in the labels") {
  for (const bool zbl : {false, true}) {
    for (const OneBodyRule rule : {OneBodyRule::kFit, OneBodyRule::kGiven}) {
      const test::TemporaryDirectory place(test::memory_folder());
      const FitDirectory directory{place.path()};
      FitSpec spec = test::silicon(zbl);
      spec.reference.one_body = rule;
      if (rule == OneBodyRule::kGiven) {
        spec.reference.energies = {{14, test::kOneBody}};
      }
      test::make_fit(directory, spec);
      const auto summary = solve_fit(directory, "default");
      if (!summary) {
        FAIL(summary.error().text());
      }
      CAPTURE(zbl, static_cast<int>(rule));
      CHECK(summary->columns == test::kFunctions);
      const auto potential = read_model(*read_file(directory.potential("default")), "potential");
      REQUIRE(potential);
      CHECK(potential->zbl.has_value() == zbl);
      if (rule == OneBodyRule::kGiven) {
        REQUIRE(potential->coefficients.size() == test::kCoefficients.size());
        for (std::size_t i = 0; i < test::kCoefficients.size(); ++i) {
          // 78 well-conditioned rows without noise; labels of 100 are rounded to 1e-14.
          CHECK(potential->coefficients[i] == Approx(test::kCoefficients[i]).epsilon(1e-12));
        }
      } else {
        // Fitted before the coefficients, they take up the mean of the functions too; but not the reference, which
        // would shift them by tens of eV.
        CHECK(potential->one_body.at(14) == Approx(test::kOneBody).margin(2.0));
      }
      CHECK(solve_fit(directory, "default")->was_there);
    }
  }
}

TEST_CASE("a fit file that asks for another repulsion than was assembled is refused") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(true));
  FitSpec other = test::silicon(true);
  other.reference.zbl_outer = 2.0;
  for (const FitSpec& spec : {other, test::silicon(false)}) {
    REQUIRE(write_file_durably(directory.fit_file(), write_fit_file(spec)).ok());
    const auto summary = solve_fit(directory, "default");
    REQUIRE_FALSE(summary);
    CHECK(summary.error().kind == ErrorKind::kRefused);
    CHECK(summary.error().text().find("ZBL") != std::string::npos);
  }
}

// ---- damage --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::array<int, 3> kChanges{0x01, 0x80, 0xff};

/// The content with one byte changed, and what is left of it when it ends there.
std::vector<std::string> damaged_at(const std::string& content, std::size_t at) {
  std::string changed = content;
  changed[at] = static_cast<char>(changed[at] ^ kChanges[at % kChanges.size()]);
  return {changed, content.substr(0, at)};
}

/// Without its last line feed a text is as good as with it; and a reader that passes over keys which it does not know
/// sees no checksum where its name is damaged, with everything else as it was.
bool harmless(const std::string& damaged, const std::string& whole) {
  const std::size_t seal = whole.rfind("\"checksum\"") + 1;
  const bool name_only = damaged.size() == whole.size() && damaged.substr(0, seal) == whole.substr(0, seal) &&
                         damaged.substr(seal + 8) == whole.substr(seal + 8) && parse_json(damaged, "").ok() &&
                         whole.find("\"inputs\"") != std::string::npos;
  return damaged + "\n" == whole || name_only;
}

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

void replace(const std::string& path, const std::string& content) {
  REQUIRE(write_file_durably(path, content));
}

}  // namespace

TEST_CASE("a data set that is damaged at any byte, or ends there, is not solved with") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(false));
  const std::string whole = content_of(directory.dataset());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const std::string& damaged : damaged_at(whole, at)) {
      replace(directory.dataset(), damaged);
      INFO("byte " << at << " of " << damaged.size());
      const auto summary = solve_fit(directory, "default");
      REQUIRE_FALSE(summary);
      REQUIRE(summary.error().kind == ErrorKind::kStorage);
      REQUIRE_FALSE(summary.error().remedy.empty());
    }
  }
  replace(directory.dataset(), whole);
  CHECK(solve_fit(directory, "default"));
}

TEST_CASE(
    "a matrix or journal that is damaged at any byte, or ends there, is not solved with, unless nothing is lost") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(false));
  for (const std::string& path : {directory.system() + "/blocks.f64", directory.system() + "/journal"}) {
    const std::string whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const std::string& damaged : damaged_at(whole, at)) {
        replace(path, damaged);
        INFO(path << " byte " << at << " of " << damaged.size());
        const auto summary = solve_fit(directory, "default");
        // The last record says only that the phase is finished.
        REQUIRE(summary.ok() == (path.ends_with("journal") && at >= whole.size() - 40));
      }
    }
    replace(path, whole);
  }
}

TEST_CASE("a solution file that is damaged at any byte, or ends there, is refused, and solving gives the same bits") {
  const test::TemporaryDirectory place(test::memory_folder());
  const FitDirectory directory{place.path()};
  test::make_fit(directory, test::silicon(true));
  REQUIRE(solve_fit(directory, "default"));
  for (const std::string& path : {directory.potential("default"), directory.coefficients("default")}) {
    const std::string whole = content_of(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const std::string& damaged : damaged_at(whole, at)) {
        replace(path, damaged);
        INFO(path << " byte " << at << " of " << damaged.size());
        const bool refused =
            path == directory.potential("default") ? !read_model(damaged, path) : !read_coefficients(damaged, path);
        REQUIRE(refused != harmless(damaged, whole));
        REQUIRE(solve_fit(directory, "default")->was_there != refused);
        REQUIRE((!refused || content_of(path) == whole));
      }
    }
    replace(path, whole);
  }
}
