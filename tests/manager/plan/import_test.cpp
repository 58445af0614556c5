#include "manager/plan/import.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/fit/fit_keys.h"
#include "common/model/ace/default_cutoff.h"
#include "tests/support/temporary_directory.h"

namespace ipfit {
namespace {

constexpr const char* kSilicon =
    "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:forces:R:3 energy=-8.5 config_type=bulk\n"
    "Si 0 0 0 0 0 0.1\nSi 0 0 2.3 0 0 -0.1\n";
constexpr const char* kOxide =
    "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:forces:R:3 energy=-9.5\n"
    "Si 0 0 0 0 0 0\nO 0 0 1.6 0 0 0\n";

FitSpec spec_for(std::vector<std::string> train, std::vector<std::string> test = {}) {
  FitSpec spec;
  spec.data.train = std::move(train);
  spec.data.test = std::move(test);
  spec.basis = PairSpec{{}, 5.0, 4};
  return spec;
}

Result<Imported> import_here(const test::TemporaryDirectory& directory, const FitSpec& spec) {
  return import_data(spec, directory.path(), [](std::span<const std::byte>) -> Status { return Done{}; });
}

TEST_CASE("elements and keys that the fit file leaves out are those of the data") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), std::string(kOxide) + kSilicon).ok());
  const auto data = import_here(directory, spec_for({"a.xyz"}));
  REQUIRE(data.ok());
  CHECK(elements_of(data->spec.basis) == std::vector<std::uint8_t>{8, 14});
  CHECK(data->model.basis == BasisSpec(PairSpec{{8, 14}, 5.0, 4}));
  CHECK(data->spec.data.keys.energy == "energy");
  CHECK(data->report.find("bulk") != std::string::npos);
}

TEST_CASE(
    "functions and cutoff of an ACE basis are settled when the elements are known, and written into the fit file") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kOxide).ok());
  FitSpec spec = default_fit_spec();
  spec.data.train = {"a.xyz"};
  const auto data = import_here(directory, spec);
  REQUIRE(data.ok());
  CHECK(elements_of(data->model.basis) == std::vector<std::uint8_t>{8, 14});
  CHECK(column_count(data->model.basis) > 300);
  const AceRule& rule = std::get<AceRule>(data->spec.basis);
  CHECK(rule.cutoff == cutoff_of(data->model.basis));
  CHECK(rule.cutoff > 3.0);
  const auto again = resolve_basis(read_fit_file(write_fit_file(data->spec), "resolved")->basis);
  REQUIRE(again.ok());
  CHECK(*again == data->model.basis);
}

TEST_CASE("an atom is isolated when its box is larger than the cutoff that its bond lengths give") {
  const test::TemporaryDirectory directory;
  const std::string atom =
      "1\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3 pbc=\"T T T\" energy=-0.8\nSi 0 0 0\n";
  FitSpec spec = default_fit_spec();
  spec.data.train = {"a.xyz"};
  spec.reference.one_body = OneBodyRule::kIsolatedAtom;
  const double cutoff = default_cutoff(14, 14);
  const auto in_box = [&](double box) {
    REQUIRE(
        write_file_durably(directory.file("a.xyz"), kSilicon + fmt::format(fmt::runtime(atom), box, box, box)).ok());
    return import_here(directory, spec);
  };
  const auto large = in_box(cutoff + 0.1);
  REQUIRE(large.ok());
  CHECK(large->report.find("isolated atoms: 1") != std::string::npos);
  CHECK_FALSE(in_box(cutoff - 0.1).ok());
}

TEST_CASE("a cutoff for a pair that the basis does not have is refused") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kSilicon).ok());
  FitSpec spec = default_fit_spec();
  spec.data.train = {"a.xyz"};
  std::get<AceRule>(spec.basis).pair_cutoffs[{8, 14}] = 5.0;
  const auto data = import_here(directory, spec);
  REQUIRE_FALSE(data.ok());
  CHECK(data.error().text() ==
        "basis.pair_cutoffs: has the pair O-Si, but O is not among the elements of the basis; remove the pair");
}

TEST_CASE("training structures come before test structures, each from its file") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kSilicon).ok());
  REQUIRE(write_file_durably(directory.file("b.xyz"), std::string(kSilicon) + kSilicon).ok());
  const auto data = import_here(directory, spec_for({"b.xyz"}, {"a.xyz"}));
  REQUIRE(data.ok());
  CHECK(data->train_count == 2);
  REQUIRE(data->structures.size() == 3);
  CHECK(data->structures[2].set == DataSet::kTest);
  CHECK(data->structures[1].source.frame == 2);
}

TEST_CASE("an element that the basis does not have is named with the structure and the line to add") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), std::string(kSilicon) + kOxide).ok());
  FitSpec spec = spec_for({"a.xyz"});
  std::get<PairSpec>(spec.basis).elements = {14};
  const auto data = import_here(directory, spec);
  REQUIRE_FALSE(data.ok());
  CHECK(data.error().text().find("a.xyz:5") != std::string::npos);
  CHECK(data.error().remedy.find("\"O\"") != std::string::npos);
}

TEST_CASE("the same data have the same hash wherever they lie, whoever names them") {
  const test::TemporaryDirectory one;
  const test::TemporaryDirectory other;
  REQUIRE(write_file_durably(one.file("a.xyz"), kSilicon).ok());
  REQUIRE(write_file_durably(other.file("a.xyz"), kSilicon).ok());
  CHECK(import_here(one, spec_for({"a.xyz"}))->hash == import_here(other, spec_for({other.file("a.xyz")}))->hash);
}

TEST_CASE("weights for a group that is not in the data are refused with the groups there are") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kSilicon).ok());
  FitSpec spec = spec_for({"a.xyz"});
  spec.weights.groups["bluk"] = GroupWeights{};
  const auto data = import_here(directory, spec);
  REQUIRE_FALSE(data.ok());
  CHECK(data.error().text().find("bluk") != std::string::npos);
  CHECK(data.error().text().find("bulk") != std::string::npos);
}

TEST_CASE("a solver that chooses by a validation set is refused where there is none") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kSilicon).ok());
  FitSpec spec = spec_for({"a.xyz"});
  spec.solver = {.kind = SolverKind::kRidge, .strength = StrengthRule::kValidation};
  spec.data.validation_fraction = 0.1;  // of one structure: none
  const auto data = import_here(directory, spec);
  REQUIRE_FALSE(data.ok());
  CHECK(data.error().text().find("validation_fraction") != std::string::npos);
  spec.data.validation_fraction = 0.0;
  spec.data.validation = {"a.xyz"};
  CHECK(import_here(directory, spec).ok());
}

TEST_CASE("data without any label are refused before any work") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), "1\nProperties=species:S:1:pos:R:3\nSi 0 0 0\n").ok());
  CHECK_FALSE(import_here(directory, spec_for({"a.xyz"})).ok());
}

TEST_CASE("an element without an isolated atom is found before any work") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kSilicon).ok());
  FitSpec spec = spec_for({"a.xyz"});
  spec.reference.one_body = OneBodyRule::kIsolatedAtom;
  const auto data = import_here(directory, spec);
  REQUIRE_FALSE(data.ok());
  CHECK(data.error().what.find("Si") != std::string::npos);
}

TEST_CASE("the data set that is written is the one that is described") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), std::string(kSilicon) + kSilicon).ok());
  const FitDirectory fit{directory.path()};
  const auto data = import_to(fit, spec_for({"a.xyz"}), directory.path());
  REQUIRE(data.ok());
  REQUIRE(keep_dataset(fit).ok());
  const auto dataset = open_dataset(fit.dataset());
  REQUIRE(dataset.ok());
  CHECK(dataset->hash == data->hash);
  CHECK(dataset->structures.size() == data->structures.size());
}

TEST_CASE("a full disk while the data are written is an error of the sink, handed on") {
  const test::TemporaryDirectory directory;
  REQUIRE(write_file_durably(directory.file("a.xyz"), kSilicon).ok());
  const auto data = import_data(spec_for({"a.xyz"}), directory.path(), [](std::span<const std::byte>) -> Status {
    return Error{ErrorKind::kStorage, "disk", "is full", ""};
  });
  REQUIRE_FALSE(data.ok());
  CHECK(data.error().kind == ErrorKind::kStorage);
}

}  // namespace
}  // namespace ipfit
