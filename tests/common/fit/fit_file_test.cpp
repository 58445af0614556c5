#include "common/fit/fit_file.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

#include "common/fit/fit_keys.h"
#include "common/fit/solver_keys.h"

namespace ipfit {
namespace {

const std::string kSmallest = "[data]\ntrain = [\"si.xyz\"]\n";

FitSpec read(const std::string& text) {
  Result<FitSpec> spec = read_fit_file(text, "fit.toml");
  if (!spec) {
    for (const Error& error : spec.errors()) {
      UNSCOPED_INFO(error.text());
    }
  }
  REQUIRE(spec);
  return *spec;
}

std::vector<std::string> mistakes(const std::string& text) {
  const Result<FitSpec> spec = read_fit_file(text, "fit.toml");
  REQUIRE_FALSE(spec);
  std::vector<std::string> texts;
  for (const Error& error : spec.errors()) {
    CHECK(error.kind == ErrorKind::kInput);
    texts.push_back(error.text());
  }
  return texts;
}

/// The mistakes of a file that is right but for `lines`.
std::vector<std::string> mistakes_with(const std::string& lines) {
  return mistakes(kSmallest + lines);
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

const PairSpec& pair(const FitSpec& spec) {
  return std::get<PairSpec>(spec.basis);
}

const AceRule& ace(const FitSpec& spec) {
  return std::get<AceRule>(spec.basis);
}

/// What a fit file says with these lines in [basis].
AceRule ace_with(const std::string& lines) {
  return ace(read(kSmallest + "[basis]\n" + lines));
}

// ---- any FitSpec that could have come from a fit file --------------------------------------------------------------

rc::Gen<std::string> any_text() {
  const auto letter = rc::gen::elementOf(std::vector<std::string>{"a", "Z", "7", "_", "-", ".", "/", "#", "[", "]", "'",
                                                                  ",", "{", "}", "\\", "Å", "原", "🙂", "\\u0041"});
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(letter)),
      [](const std::vector<std::string>& letters) { return fmt::format("{}", fmt::join(letters, "")); });
}

/// Paths and groups may have spaces and quotes too.
rc::Gen<std::string> any_phrase() {
  return rc::gen::map(rc::gen::tuple(any_text(), rc::gen::element<std::string>(" ", "\"", "="), any_text()),
                      [](const auto& parts) { return std::apply([](auto... p) { return (p + ...); }, parts); });
}

/// Any bits that make a finite number in [0, high].
double any_number(double high) {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  double value = 0.0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  value = std::abs(value);
  return value <= high ? value : *rc::gen::element(0.0, 1.0, 0.1, high / 3.0, high);
}

GroupWeights any_weights() {
  constexpr double kLargest = 1e30;
  GroupWeights weights{any_number(kLargest), any_number(kLargest), any_number(kLargest)};
  const GroupWeights fresh;
  for (const auto& [weight, sigma] : {std::pair(&GroupWeights::energy, &GroupWeights::energy_sigma),
                                      std::pair(&GroupWeights::forces, &GroupWeights::forces_sigma),
                                      std::pair(&GroupWeights::virial, &GroupWeights::virial_sigma)}) {
    if (*rc::gen::arbitrary<bool>()) {
      weights.*sigma = std::max(1e-9, any_number(kLargest));
      weights.*weight = fresh.*weight;
    }
  }
  return weights;
}

LabelKeys any_label_keys() {
  std::vector<std::string> names = *rc::gen::unique<std::vector<std::string>>(5, any_text());
  for (std::size_t i = 0; i < 4; ++i) {
    names[i] = *rc::gen::arbitrary<bool>() ? names[i] : "";
  }
  return {names[0],
          names[1],
          names[2],
          names[3],
          names[4],
          *rc::gen::element(StressUnit::kEvPerCubicAngstrom, StressUnit::kGpa, StressUnit::kKbar, StressUnit::kBar),
          *rc::gen::element(StressOrder::kVoigt, StressOrder::kVasp)};
}

ReferenceSpec any_reference(const std::vector<std::uint8_t>& elements) {
  ReferenceSpec reference;
  reference.one_body =
      *rc::gen::element(OneBodyRule::kNone, OneBodyRule::kGiven, OneBodyRule::kIsolatedAtom, OneBodyRule::kFit);
  if (reference.one_body == OneBodyRule::kGiven) {
    for (const std::uint8_t element : elements.empty() ? std::vector<std::uint8_t>{1, 118} : elements) {
      reference.energies[element] = any_number(1e7) * *rc::gen::element(-1.0, 1.0);
    }
  }
  reference.zbl = *rc::gen::arbitrary<bool>();
  if (reference.zbl) {
    reference.zbl_outer = any_number(10.0);
    reference.zbl_inner = any_number(10.0);
    if (reference.zbl_outer > 0.0 && reference.zbl_inner >= reference.zbl_outer) {
      reference.zbl_inner = *rc::gen::element(0.0, 0.5) * reference.zbl_outer;
    }
  }
  return reference;
}

std::vector<std::uint8_t> any_elements() {
  return *rc::gen::unique<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(1, 119));
}

double any_cutoff() {
  return std::max(any_number(20.0), std::nextafter(0.5, 1.0));
}

/// Any bits that make a number in [low, high].
double any_number_from(double low, double high) {
  return std::clamp(any_number(high), low, high);
}

PairSpec any_pair_basis() {
  return {any_elements(), any_cutoff(), *rc::gen::inRange(1, 201)};
}

std::vector<int> any_integers(int count, int low, int high) {
  return *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count), rc::gen::inRange(low, high + 1));
}

void choose_functions(AceRule& rule) {
  rule.choice = *rc::gen::element(AceChoice::kSize, AceChoice::kDegree, AceChoice::kLists);
  rule.order = *rc::gen::inRange(1, 7);
  if (rule.choice == AceChoice::kSize) {
    rule.size = *rc::gen::inRange(1, 100'001);
  } else if (rule.choice == AceChoice::kDegree) {
    for (int rank = 1; rank <= rule.order; ++rank) {
      rule.degree.push_back(any_number(99.0));
    }
    rule.wl = any_number_from(0.1, 10.0);
  } else {
    rule.n_max = any_integers(rule.order, 0, 99);
    rule.l_max = any_integers(rule.order, 0, 10);
  }
  rule.max_elements = *rc::gen::arbitrary<bool>() ? any_integers(rule.order, 1, 7) : std::vector<int>{};
}

AceRule any_ace_basis() {
  AceRule rule;
  rule.elements = any_elements();
  rule.cutoff = *rc::gen::arbitrary<bool>() ? any_cutoff() : 0.0;
  for (const std::uint8_t element : any_elements()) {
    rule.pair_cutoffs[std::minmax(element, *rc::gen::inRange<std::uint8_t>(1, 119))] = any_cutoff();
  }
  rule.radial = *rc::gen::element(RadialFamily::kSBessel, RadialFamily::kChebExpCos, RadialFamily::kChebPow);
  if (rule.radial != RadialFamily::kSBessel) {
    rule.lambda = any_number_from(rule.radial == RadialFamily::kChebPow ? std::nextafter(1.0, 2.0) : 0.1, 20.0);
  }
  if (rule.radial == RadialFamily::kChebExpCos) {
    rule.cutoff_width = any_number_from(0.01, 10.0);
  }
  if (*rc::gen::arbitrary<bool>()) {
    rule.inner_cutoff = any_number_from(0.01, 10.0);
    rule.inner_width = any_number_from(0.01, rule.inner_cutoff);
  }
  rule.orthonormal = *rc::gen::arbitrary<bool>();
  choose_functions(rule);
  return rule;
}

template <class Names>
auto any_of(const Names& names) {
  return names[*rc::gen::inRange<std::size_t>(0, names.size())].second;
}

PriorSpec any_prior() {
  PriorSpec prior = default_prior(any_of(kPriorKinds));
  if (prior.kind != PriorKind::kNone) {
    prior.wl = any_number_from(0.01, 100.0);
    prior.wn = any_number_from(0.01, 100.0);
  }
  if (prior.kind == PriorKind::kAlgebraic) {
    prior.power = any_number_from(0.01, 100.0);
  }
  return prior;
}

SolverSpec any_solver() {
  SolverSpec solver{.kind = any_of(kSolverKinds)};
  const bool ruled = *rc::gen::arbitrary<bool>();
  if (ruled && solver.kind == SolverKind::kRidge) {
    solver.strength = any_of(kStrengthWords);
  } else if (ruled && (solver.kind == SolverKind::kTsvd || uses(solver.kind, "size"))) {
    solver.strength = *rc::gen::element(StrengthRule::kGcv, StrengthRule::kValidation);
  } else {
    solver.lambda = uses(solver.kind, "lambda") ? any_number(1e300) : 0.0;
    solver.rtol = uses(solver.kind, "rtol") ? any_number(0.5) : solver.rtol;
    solver.size = uses(solver.kind, "size") ? *rc::gen::inRange(1, 1'000'001) : 0;
  }
  if (uses(solver.kind, "committee")) {
    solver.committee = *rc::gen::inRange(0, 1001);
    solver.seed = *rc::gen::inRange(0, 1'000'000'001);
  }
  solver.prior = any_prior();
  solver.functions = *rc::gen::inRange(0, 1'000'001);
  return solver;
}

FitSpec any_spec() {
  FitSpec spec;
  spec.data.train = *rc::gen::nonEmpty(rc::gen::unique<std::vector<std::string>>(any_phrase()));
  spec.data.test = *rc::gen::unique<std::vector<std::string>>(any_phrase());
  spec.data.keys = any_label_keys();
  spec.data.validation = *rc::gen::unique<std::vector<std::string>>(any_phrase());
  if (spec.data.validation.empty() && *rc::gen::arbitrary<bool>()) {
    spec.data.validation_fraction = any_number(0.9);
    spec.data.validation_seed = spec.data.validation_fraction > 0.0 ? *rc::gen::inRange(0, 1'000'000'001) : 1;
  }
  spec.basis = *rc::gen::arbitrary<bool>() ? BasisChoice(any_pair_basis()) : BasisChoice(any_ace_basis());
  spec.reference = any_reference(elements_of(spec.basis));
  spec.weights.fallback = any_weights();
  if (spec.weights.fallback.forces_sigma == 0.0) {  // not all weights zero
    spec.weights.fallback.forces = std::max(spec.weights.fallback.forces, 1e-300);
  }
  for (const std::string& group : *rc::gen::container<std::vector<std::string>>(any_phrase())) {
    spec.weights.groups[group] = any_weights();
  }
  spec.solver = any_solver();
  spec.assembly.on_bad_structure = *rc::gen::element(BadStructure::kStop, BadStructure::kSkip);
  spec.assembly.keep = *rc::gen::element(Keep::kBlocks, Keep::kReduced);
  return spec;
}

}  // namespace

TEST_CASE("the smallest fit file names training data, and everything else has its default") {
  const FitSpec spec = read(kSmallest);
  FitSpec expected = default_fit_spec();
  expected.data.train = {"si.xyz"};
  CHECK(spec == expected);
  CHECK(ace(spec).choice == AceChoice::kSize);
  CHECK(ace(spec).size == 300);
  CHECK(ace(spec).order == 4);
  CHECK(ace(spec).cutoff == 0.0);
  CHECK(ace(spec).elements.empty());
  CHECK(spec.weights.fallback == GroupWeights{30.0, 1.0, 0.02});
  CHECK(spec.reference.one_body == OneBodyRule::kFit);
  CHECK(spec.solver == SolverSpec{.kind = SolverKind::kBlr, .prior = {.kind = PriorKind::kAlgebraic, .power = 2.0}});
  CHECK(spec.assembly.on_bad_structure == BadStructure::kStop);
  CHECK(spec.data.keys.group == "config_type");
}

TEST_CASE("a pair basis has defaults of its own") {
  CHECK(pair(read(kSmallest + "[basis]\nkind = \"pair\"\n")) == PairSpec{{}, 6.0, 16});
}

TEST_CASE("every key of a fit file arrives where it belongs") {
  const FitSpec spec = read(R"(
[data]
train = ["a.xyz", "b c.xyz"]
test = ['C:\d.xyz']
validation = ["v.xyz"]
energy_key = "dft_energy"
forces_key = "dft_forces"
virial_key = "dft_virial"
stress_key = "dft_stress"
stress_unit = "eV/Å^3"
stress_order = "vasp"
group_key = "group"
[reference]
one_body = { Si = -0.80, O = 3 }
zbl = true
zbl_inner = 1
zbl_outer = 2.5
[basis]
kind = "pair"
elements = ["Si", "O"]
cutoff = 5
size = 30
[weights.default]
energy = 10
[weights.liquid]
forces = 0.1
[weights."the rest"]
energy = 0.0
[solver]
kind = "ridge"
lambda = 1e-3
[assembly]
keep = "reduced"
on_bad_structure = "skip"
)");
  FitSpec expected;
  expected.data = {{"a.xyz", "b c.xyz"},
                   {"C:\\d.xyz"},
                   {"dft_energy", "dft_forces", "dft_virial", "dft_stress", "group", StressUnit::kEvPerCubicAngstrom,
                    StressOrder::kVasp},
                   {"v.xyz"},
                   0.0,
                   1};
  expected.reference = {OneBodyRule::kGiven, {{14, -0.8}, {8, 3.0}}, true, 1.0, 2.5};
  expected.basis = PairSpec{{14, 8}, 5.0, 30};
  expected.weights = {{10.0, 1.0, 0.02}, {{"liquid", {10.0, 0.1, 0.02}}, {"the rest", {0.0, 1.0, 0.02}}}};
  expected.solver = {SolverKind::kRidge, 1e-3};
  expected.assembly = {Keep::kReduced, BadStructure::kSkip};
  CHECK(spec == expected);
}

TEST_CASE("every key of an ACE basis arrives where it belongs") {
  AceRule expected;
  expected.elements = {49, 15};
  expected.cutoff = 6.5;
  expected.pair_cutoffs = {{{15, 49}, 5.0}, {{49, 49}, 7.0}};
  expected.radial = RadialFamily::kChebExpCos;
  expected.lambda = 4.0;
  expected.cutoff_width = 0.5;
  expected.inner_cutoff = 1.5;
  expected.inner_width = 0.4;
  expected.orthonormal = false;
  expected.size = 800;
  expected.order = 3;
  expected.max_elements = {2, 2, 3};
  CHECK(ace_with(R"(
kind = "ace"
elements = ["In", "P"]
cutoff = 6.5
pair_cutoffs = { In-P = 5.0, In-In = 7 }
radial = "ChebExpCos"
lambda = 4
cutoff_width = 0.5
inner_cutoff = 1.5
inner_width = 0.4
orthonormal = false
size = 800
order = 3
max_elements = [2, 2, 3]
)") == expected);
}

TEST_CASE("functions are chosen by size, by degree, or by lists, and the lists say what the order is") {
  const AceRule one = ace_with("degree = 10\n");
  CHECK(one.choice == AceChoice::kDegree);
  CHECK(one.degree == std::vector<double>{10.0, 10.0, 10.0, 10.0});
  CHECK(one.order == 4);
  CHECK(ace_with("degree = 10\norder = 2\n").degree == std::vector<double>{10.0, 10.0});
  const AceRule each = ace_with("degree = [12, 10.5, 8]\nwl = 2\n");
  CHECK(each.degree == std::vector<double>{12.0, 10.5, 8.0});
  CHECK(each.wl == 2.0);
  CHECK(each.order == 3);
  const AceRule lists = ace_with("n_max = [15, 3, 2]\nl_max = [0, 2, 2]\nmax_elements = [2, 2, 2]\n");
  CHECK(lists.choice == AceChoice::kLists);
  CHECK(lists.n_max == std::vector<int>{15, 3, 2});
  CHECK(lists.l_max == std::vector<int>{0, 2, 2});
  CHECK(lists.order == 3);
}

TEST_CASE("two ways to choose the functions in one file are a mistake that names both lines") {
  CHECK(mistakes_with("[basis]\nsize = 100\ndegree = 10\n") ==
        std::vector<std::string>{"fit.toml:5:10: basis.degree is given, but basis.size in line 4 chooses the functions "
                                 "already; keep one of size, degree, or n_max with l_max"});
  CHECK(mistakes_with("[basis]\nl_max = [0, 1]\nn_max = [4, 2]\nsize = 100\n").size() == 2);
  CHECK(mistakes_with("[basis]\nn_max = [4, 2]\n") ==
        std::vector<std::string>{
            "fit.toml:4:9: basis.l_max is missing, but basis.n_max needs it; give both, a number for each rank"});
}

TEST_CASE("a key of the other kind of basis is a mistake in words") {
  CHECK(mistakes_with("[basis]\ndegree = 10\nkind = \"pair\"\n") ==
        std::vector<std::string>{"fit.toml:4:1: basis.degree belongs to kind = \"ace\", but this basis has kind = "
                                 "\"pair\"; remove it, or write kind = \"ace\""});
}

TEST_CASE("a key that says nothing beside the others is a mistake") {
  const auto line = GENERATE(values<std::string>({
      "lambda = 4",
      "radial = \"ChebPow\"\ncutoff_width = 0.3",
      "wl = 2",
      "size = 100\nwl = 2",
      "degree = [8, 8]\norder = 3",
      "n_max = [4, 2]\nl_max = [0, 2]\norder = 3",
  }));
  INFO(line);
  CHECK(mistakes_with("[basis]\n" + line + "\n").size() == 1);
}

TEST_CASE("values of an ACE basis that contradict each other are a mistake") {
  const auto line = GENERATE(values<std::string>({
      "inner_cutoff = 1.5",
      "inner_width = 0.3",
      "inner_cutoff = 1.5\ninner_width = 0.009",
      "inner_cutoff = 0.3\ninner_width = 0.4",
      "n_max = [4, 2]\nl_max = [0, 2, 2]",
      "max_elements = [1, 2]",
      "degree = [8, 8]\nmax_elements = [1, 2, 2]",
      "radial = \"ChebPow\"\nlambda = 1",
  }));
  INFO(line);
  const std::vector<std::string> found = mistakes_with("[basis]\n" + line + "\n");
  CHECK(found.size() == 1);
  CHECK(found.front().starts_with("fit.toml:"));
}

TEST_CASE("a group inherits what it leaves out from the default, wherever that stands") {
  const FitSpec spec = read(kSmallest + "[weights.amorphous]\nforces = 2\n[weights.default]\nenergy = 7\nvirial = 3\n");
  CHECK(spec.weights.groups.at("amorphous") == GroupWeights{7.0, 2.0, 3.0});
}

TEST_CASE("of weight and sigma of a kind the one that is given counts, also where the default has the other") {
  const WeightsSpec weights = read(kSmallest +
                                   "[weights.default]\nenergy_sigma = 0.01\nforces = 2\n"
                                   "[weights.a]\nenergy = 7\nforces_sigma = 0.5\n[weights.b]\n")
                                  .weights;
  CHECK(weights.fallback == GroupWeights{.energy = 30.0, .forces = 2.0, .virial = 0.02, .energy_sigma = 0.01});
  CHECK(weights.groups.at("a") == GroupWeights{.energy = 7.0, .forces = 1.0, .virial = 0.02, .forces_sigma = 0.5});
  CHECK(weights.groups.at("b") == weights.fallback);
  CHECK(
      mistakes_with("[weights.a]\nenergy = 7\nenergy_sigma = 0.1\n") ==
      std::vector<std::string>{"fit.toml:5:16: weights.a.energy and weights.a.energy_sigma are both given; remove one "
                               "of them: the weight is 1/sigma"});
  CHECK(mistakes_with("[weights.a]\nvirial_sigma = 0\n").size() == 1);
}

TEST_CASE("validation data are files or a share of the training data, not both") {
  CHECK(read("[data]\ntrain = [\"a.xyz\"]\nvalidation_fraction = 0.1\nvalidation_seed = 3\n").data.validation_seed ==
        3);
  CHECK(mistakes("[data]\ntrain = [\"a.xyz\"]\nvalidation = [\"b.xyz\"]\nvalidation_fraction = 0.1\n").size() == 1);
  CHECK(mistakes("[data]\ntrain = [\"a.xyz\"]\nvalidation_seed = 3\n").size() == 1);
  CHECK(mistakes("[data]\ntrain = [\"a.xyz\"]\nvalidation_fraction = 1.0\n").size() == 1);
}

TEST_CASE("weights and solver are also read alone, and nothing else may stand beside them") {
  const auto weights = read_weights("[weights.default]\nenergy = 3\n[weights.liquid]\nforces = 0\n", "w.toml");
  REQUIRE(weights);
  CHECK(weights->groups.at("liquid") == GroupWeights{3.0, 0.0, 0.02});
  const auto solver = read_solver("[solver]\nkind = \"ridge\"\nlambda = 0.5\n", "options");
  REQUIRE(solver);
  CHECK(solver->lambda == 0.5);
  const auto whole = read_weights(kSmallest, "w.toml");
  REQUIRE_FALSE(whole);
  CHECK(whole.error().text().find("--from") != std::string::npos);
  CHECK_FALSE(read_solver("[solver]\nkind = \"ridge\"\n", "options"));
  CHECK_FALSE(read_weights("[weights.default]\nenergy = 0\nforces = 0\nvirial = 0\n", "w.toml"));
}

TEST_CASE("one-body energies are a table, or one of three rules") {
  CHECK(read(kSmallest + "[reference]\none_body = \"none\"\n").reference.one_body == OneBodyRule::kNone);
  CHECK(read(kSmallest + "[reference]\none_body = \"fit\"\n").reference.one_body == OneBodyRule::kFit);
  CHECK(read(kSmallest + "[reference]\none_body = \"isolated_atom\"\n").reference.one_body ==
        OneBodyRule::kIsolatedAtom);
  const ReferenceSpec given = read(kSmallest + "[reference.one_body]\nSi = -0.8\n").reference;
  CHECK(given == ReferenceSpec{OneBodyRule::kGiven, {{14, -0.8}}});
}

TEST_CASE("a repulsion is asked for by a word, and its ends are left to the elements or given") {
  CHECK_FALSE(read(kSmallest).reference.zbl);
  const ReferenceSpec plain = read(kSmallest + "[reference]\nzbl = true\n").reference;
  CHECK(plain.zbl);
  CHECK(plain.zbl_inner == 0.0);
  CHECK(plain.zbl_outer == 0.0);
  const ReferenceSpec given = read(kSmallest + "[reference]\nzbl = true\nzbl_inner = 1\nzbl_outer = 2.5\n").reference;
  CHECK(given.zbl_inner == 1.0);
  CHECK(given.zbl_outer == 2.5);
  CHECK(write_fit_file(read(kSmallest)).find("zbl_inner =") == std::string::npos);
}

TEST_CASE("ends of a repulsion that is not there, or in the wrong order, are mistakes") {
  CHECK(
      mistakes_with("[reference]\nzbl_outer = 2.0\n") ==
      std::vector<std::string>{"fit.toml:4:13: reference.zbl_outer is given, but there is no repulsion; remove it, or "
                               "write zbl = true"});
  CHECK(
      mistakes_with("[reference]\nzbl = true\nzbl_inner = 2.0\nzbl_outer = 2.0\n") ==
      std::vector<std::string>{"fit.toml:5:13: reference.zbl_inner = 2.0, expected less than zbl_outer = 2.0; half of "
                               "zbl_outer is usual"});
  CHECK(mistakes_with("[reference]\nzbl = \"true\"\n") ==
        std::vector<std::string>{"fit.toml:4:7: reference.zbl = \"true\", expected true or false; write it without "
                                 "quotes"});
}

TEST_CASE("the resolved fit file reads back to the same fit, and writing it again gives the same bytes") {
  REQUIRE(rc::check([] {
    const FitSpec spec = any_spec();
    const std::string text = write_fit_file(spec);
    const Result<FitSpec> again = read_fit_file(text, "resolved.toml");
    if (!again) {
      RC_FAIL(again.error().text() + "\n" + text);
    }
    RC_ASSERT(*again == spec);
    RC_ASSERT(write_fit_file(*again) == text);
  }));
}

TEST_CASE("the resolved fit file has every key with a comment above it") {
  const auto basis = GENERATE(values<std::string>({"kind = \"pair\"", "cutoff = 5\nradial = \"ChebExpCos\"",
                                                   "size = 20", "degree = 5", "n_max = [2]\nl_max = [0]"}));
  const auto solver = GENERATE(values<std::string>(
      {"", "kind = \"ridge\"\nlambda = 1", "kind = \"tsvd\"", "kind = \"omp\"\nsize = 3", "kind = \"blr\""}));
  const FitSpec spec = read(kSmallest + "[reference]\nzbl = true\n[weights.liquid]\nforces_sigma = 0.1\n[basis]\n" +
                            basis + "\n[solver]\n" + solver + "\n");
  const std::string text = write_fit_file(spec);
  for (const FitKey& key : fit_keys()) {
    const GroupWeights& weights =
        key.section == kGroupSection ? spec.weights.groups.at("liquid") : spec.weights.fallback;
    if (!matters(key, spec) || (key.counts != nullptr && !key.counts(weights))) {
      continue;
    }
    INFO(key.section << "." << key.name);
    const std::size_t section =
        text.find(key.section == kGroupSection ? "[weights.liquid]" : fmt::format("\n[{}]\n", key.section));
    REQUIRE(section != std::string::npos);
    const std::size_t comment = text.find(fmt::format("# {}", key.meaning), section);
    REQUIRE(comment != std::string::npos);
    const std::size_t next = text.find('\n', comment) + 1;
    const std::string line = text.substr(next, text.find('\n', next) - next);
    CHECK(line.starts_with(fmt::format("{} = ", key.name)));
  }
}

TEST_CASE("every key of a solver arrives where it belongs") {
  const auto solver_with = [](const std::string& lines) { return read(kSmallest + "[solver]\n" + lines).solver; };
  CHECK(solver_with("kind = \"ridge\"\nlambda = \"evidence\"\n") ==
        SolverSpec{.kind = SolverKind::kRidge, .strength = StrengthRule::kEvidence});
  CHECK(solver_with("kind = \"tsvd\"\nrtol = 1e-7\n") == SolverSpec{.kind = SolverKind::kTsvd, .rtol = 1e-7});
  CHECK(solver_with("kind = \"tsvd\"\nrtol = \"gcv\"\n") ==
        SolverSpec{.kind = SolverKind::kTsvd, .strength = StrengthRule::kGcv});
  CHECK(solver_with("kind = \"lasso\"\nsize = 40\n") == SolverSpec{.kind = SolverKind::kLasso, .size = 40});
  CHECK(solver_with("kind = \"omp\"\nsize = \"validation\"\n") ==
        SolverSpec{.kind = SolverKind::kOmp, .strength = StrengthRule::kValidation});
  CHECK(solver_with("kind = \"lsqr\"\nlambda = 0.1\nrtol = 1e-6\n") ==
        SolverSpec{.kind = SolverKind::kLsqr, .lambda = 0.1, .rtol = 1e-6});
  CHECK(solver_with("kind = \"blr\"\ncommittee = 8\nseed = 42\n") ==
        SolverSpec{.kind = SolverKind::kBlr, .committee = 8, .seed = 42, .prior = {.kind = PriorKind::kAlgebraic}});
  CHECK(solver_with("prior = { kind = \"algebraic\", power = 2, wn = 1.5 }\n").prior ==
        PriorSpec{PriorKind::kAlgebraic, 2.0, 2.0 / 3.0, 1.5});
  CHECK(solver_with("prior = { kind = \"gaussian\" }\n").prior.wl == Approx(std::sqrt(0.5)));
}

TEST_CASE("only blr has a prior where none is named, since only it finds the strength of one by itself") {
  for (const auto& [word, kind] : kSolverKinds) {
    CAPTURE(word);
    const std::string needed = kind == SolverKind::kRidge                               ? "lambda = 0.1\n"
                               : kind == SolverKind::kOmp || kind == SolverKind::kLasso ? "size = 9\n"
                                                                                        : "";
    const std::string lines = fmt::format("[solver]\nkind = \"{}\"\n{}", word, needed);
    CHECK(read(kSmallest + lines).solver.prior.kind ==
          (kind == SolverKind::kBlr ? PriorKind::kAlgebraic : PriorKind::kNone));
    CHECK(read(kSmallest + lines + "prior = { kind = \"none\" }\n").solver.prior == PriorSpec{});
  }
}

TEST_CASE("keys that a solver does not use, and those that it lacks, are told what to do") {
  CHECK(mistakes_with("[solver]\nkind = \"qr\"\nlambda = 1.0\n") ==
        std::vector<std::string>{"fit.toml:5:10: solver.lambda is given, but solver.kind = \"qr\" does not use it; "
                                 "remove it, or write kind = \"ridge\""});
  CHECK(mistakes_with("[solver]\nkind = \"omp\"\n") ==
        std::vector<std::string>{"fit.toml:4:8: solver.size is missing, but solver.kind = \"omp\" needs it; add size = "
                                 "100, for example, or size = \"gcv\""});
  CHECK(mistakes_with("[solver]\nkind = \"rrqr\"\nrtol = \"gcv\"\n") ==
        std::vector<std::string>{"fit.toml:5:8: solver.kind = \"rrqr\" cannot choose by a rule, expected a number; or "
                                 "write kind = \"tsvd\""});
}

TEST_CASE("the resolved fit file has only keys that matter") {
  const auto has = [](const std::string& lines, const std::string& key) {
    return write_fit_file(read(kSmallest + "[basis]\n" + lines + "\n")).find("\n" + key + " = ") != std::string::npos;
  };
  CHECK(has("", "order"));
  CHECK_FALSE(has("", "cutoff"));  // from the bond lengths
  CHECK(has("cutoff = 5", "cutoff"));
  for (const std::string key : {"degree", "wl", "n_max", "l_max", "cutoff_width"}) {
    INFO(key);
    CHECK_FALSE(has("", key));
  }
  CHECK(has("degree = 8", "degree"));
  CHECK(has("degree = 8", "wl"));
  CHECK_FALSE(has("degree = 8", "size"));
  CHECK_FALSE(has("degree = 8", "order"));
  CHECK(has("n_max = [8]\nl_max = [0]", "l_max"));
  CHECK(has("radial = \"ChebPow\"", "lambda"));
  CHECK_FALSE(has("", "lambda"));
  CHECK_FALSE(has("radial = \"ChebPow\"", "cutoff_width"));
  CHECK(has("radial = \"ChebExpCos\"", "cutoff_width"));
  CHECK_FALSE(has("kind = \"pair\"", "radial"));
}

TEST_CASE("all mistakes of a file are reported at once, each with line and column, in the order of the file") {
  CHECK(mistakes(R"([data]
trian = ["si.xyz"]
stress_unit = "Pa"
[basis]
cutoff = -5.0
size = 16.5
[weights.liquid]
enrgy = 3
forces = -1
[solvr]
)") == std::vector<std::string>{
           "fit.toml:1:1: data.train is missing, expected at least one file; name the training data as in train = "
           "[\"si_train.xyz\"] under [data]",
           "fit.toml:2:1: unknown key data.trian; did you mean train?",
           "fit.toml:3:15: data.stress_unit = \"Pa\", expected \"eV/A^3\", \"eV/Å^3\", \"GPa\", \"kbar\" or \"bar\"",
           "fit.toml:5:10: basis.cutoff = -5.0, expected a number > 0.5 and <= 20 in Å; 4 to 8 is usual",
           "fit.toml:6:8: basis.size = 16.5, expected an integer from 1 to 100000; 100 to 1000 is usual",
           "fit.toml:8:1: unknown key weights.liquid.enrgy; did you mean energy?",
           "fit.toml:9:10: weights.liquid.forces = -1, expected a number >= 0 and <= 1e+30 in Å/eV; 1 is usual",
           "fit.toml:10:2: unknown section or key solvr; did you mean [solver]?",
       });
}

TEST_CASE("text that is no TOML is one mistake with its place") {
  CHECK(mistakes("[data]\ntrain = [\"a\"]\n[solver]\nkind = qr\n") ==
        std::vector<std::string>{"fit.toml:4:8: not valid TOML: Error while parsing value: could not determine value "
                                 "type; texts stand in quotes, as in kind = \"qr\", lists in brackets, as in train = "
                                 "[\"si.xyz\"]"});
  CHECK(mistakes_with("train = [\"b\"]\n").front().starts_with("fit.toml:3:"));  // the same key twice
}

TEST_CASE("a key in the wrong place is told its section") {
  CHECK(mistakes("cutoff = 5.0\n" + kSmallest) ==
        std::vector<std::string>{"fit.toml:1:1: unknown section or key cutoff; cutoff belongs under [basis]"});
  CHECK(mistakes_with("cutoff = 5.0\n") ==
        std::vector<std::string>{"fit.toml:3:1: unknown key data.cutoff; it belongs under [basis]"});
  CHECK(mistakes_with("energy = \"dft_energy\"\n") ==
        std::vector<std::string>{"fit.toml:3:1: unknown key data.energy; did you mean energy_key?"});
  CHECK(mistakes_with("[basis]\nkind = \"pair\"\ntemperature = 300\n") ==
        std::vector<std::string>{
            "fit.toml:5:1: unknown key basis.temperature; the keys of [basis] are kind, elements, cutoff, size"});
  CHECK(mistakes_with("[weights]\nenergy = 30\n") ==
        std::vector<std::string>{"fit.toml:4:1: weights.energy = 30, expected a section [weights.default] or "
                                 "[weights.NAME] of a group; put weights for all groups under [weights.default]"});
}

TEST_CASE("a basis that this version does not have is refused in words, without noise about its keys") {
  CHECK(mistakes_with("[basis]\nkind = \"snap\"\ntwojmax = 6\n") ==
        std::vector<std::string>{"fit.toml:4:8: basis.kind = \"snap\", expected \"ace\" or \"pair\""});
}

TEST_CASE("a value of the wrong type, out of range or without sense is one mistake") {
  const auto line = GENERATE(values<std::string>({
      "test = \"a.xyz\"",
      "test = [1]",
      "test = [\"\"]",
      "test = [\"a.xyz\", \"a.xyz\"]",
      "test = [\"a\\nb\"]",
      "energy_key = 3",
      "energy_key = \"my energy\"",
      "energy_key = \"config_type\"",
      "group_key = \"\"",
      "stress_order = \"xyz\"",
      "stress_unit = 1",
      "[reference]\none_body = {}",
      "[reference]\none_body = { Sx = 1.0 }",
      "[reference]\none_body = { Si = \"1\" }",
      "[reference]\none_body = { Si = nan }",
      "[reference]\none_body = { Si = 1e8 }",
      "[reference]\none_body = \"zero\"",
      "[reference]\none_body = 0",
      "[reference]\none_body = { Si = 1.0 }\n[basis]\nelements = [\"Si\", \"O\"]",
      "[reference]\none_body = { Si = 1.0, O = 1.0 }\n[basis]\nelements = [\"Si\"]",
      "[basis]\nkind = 1",
      "[basis]\nelements = \"Si\"",
      "[basis]\nelements = [\"si\"]",
      "[basis]\nelements = [14]",
      "[basis]\nelements = [\"Si\", \"Si\"]",
      "[basis]\ncutoff = 0.5",
      "[basis]\ncutoff = 20.1",
      "[basis]\ncutoff = nan",
      "[basis]\ncutoff = inf",
      "[basis]\ncutoff = \"5\"",
      "[basis]\ncutoff = true",
      "[basis]\ncutoff = 1979-05-27",
      "[basis]\nsize = 0",
      "[basis]\nsize = 100001",
      "[basis]\nkind = \"pair\"\nsize = 201",
      "[basis]\norder = 7",
      "[basis]\npair_cutoffs = [5.0]",
      "[basis]\npair_cutoffs = { In = 5.0 }",
      "[basis]\npair_cutoffs = { In-Q = 5.0 }",
      "[basis]\npair_cutoffs = { In-P = 0.5 }",
      "[basis]\npair_cutoffs = { In-P = \"5\" }",
      "[basis]\npair_cutoffs = { In-P = 5.0, P-In = 5.0 }",
      "[basis]\nradial = \"ChebLinear\"",
      "[basis]\nradial = \"ChebExpCos\"\nlambda = 0",
      "[basis]\nradial = \"ChebExpCos\"\ncutoff_width = 0",
      "[basis]\ninner_cutoff = -1",
      "[basis]\northonormal = 1",
      "[basis]\ndegree = \"10\"",
      "[basis]\ndegree = nan",
      "[basis]\ndegree = 99.1",
      "[basis]\ndegree = []",
      "[basis]\ndegree = [8, -1]",
      "[basis]\ndegree = [1, 2, 3, 4, 5, 6, 7]",
      "[basis]\ndegree = 8\nwl = 0",
      "[basis]\nn_max = 4\nl_max = [0]",
      "[basis]\nn_max = [4.0]\nl_max = [0]",
      "[basis]\nn_max = [100]\nl_max = [0]",
      "[basis]\nn_max = [4, 4]\nl_max = [0, 11]",
      "[basis]\nmax_elements = [0, 1, 1, 1]",
      "[basis]\nsize = 16.0",
      "[basis]\nsize = 4294967297",
      "[weights.default]\nenergy = -1e-9",
      "[weights.default]\nforces = inf",
      "[weights.default]\nvirial = [1]",
      "[weights.default]\nenergy = 0\nforces = 0\nvirial = 0",
      "[weights.\"\"]",
      "[weights.\"a\\tb\"]",
      "[[weights.liquid]]",
      "[solver]\nkind = \"svd\"",
      "[solver]\nlambda = 1.0",
      "[solver]\nkind = \"qr\"\nlambda = 1.0",
      "[solver]\nkind = \"ridge\"",
      "[solver]\nkind = \"ridge\"\nlambda = -1.0",
      "[solver]\nkind = \"ridge\"\nlambda = \"lcurve\"",
      "[solver]\nkind = \"ridge\"\nlambda = inf",
      "[solver]\nkind = \"blr\"\nlambda = 1.0",
      "[solver]\nkind = \"tsvd\"\nrtol = 0.6",
      "[solver]\nkind = \"tsvd\"\nrtol = \"evidence\"",
      "[solver]\nkind = \"rrqr\"\nrtol = \"gcv\"",
      "[solver]\nkind = \"lsqr\"\nlambda = \"gcv\"",
      "[solver]\nkind = \"omp\"",
      "[solver]\nkind = \"lasso\"\nsize = 0",
      "[solver]\nkind = \"lasso\"\nsize = 10.0",
      "[solver]\nkind = \"omp\"\nsize = \"all\"",
      "[solver]\nsize = 10",
      "[solver]\nkind = \"ridge\"\nlambda = 1\ncommittee = 8",
      "[solver]\nkind = \"blr\"\ncommittee = -1",
      "[solver]\nkind = \"blr\"\nseed = 1.5",
      "[solver]\nprior = \"algebraic\"",
      "[solver]\nprior = { power = 4 }",
      "[solver]\nprior = { kind = \"smooth\" }",
      "[solver]\nprior = { kind = \"algebraic\", width = 4 }",
      "[solver]\nprior = { kind = \"gaussian\", power = 4 }",
      "[solver]\nprior = { kind = \"none\", wl = 1 }",
      "[solver]\nprior = { kind = \"algebraic\", wl = 0 }",
      "[solver]\nprior = { kind = \"algebraic\", power = \"4\" }",
      "[assembly]\non_bad_structure = false",
      "[[solver]]",
      "[output]",
  }));
  INFO(line);
  const std::vector<std::string> found = mistakes_with(line + "\n");
  CHECK(found.size() == 1);
  CHECK(found.front().starts_with("fit.toml:"));
}

TEST_CASE("the limits themselves are allowed") {
  const auto line = GENERATE(values<std::string>({
      "[basis]\ncutoff = 20",
      "[basis]\ncutoff = 0.51",
      "[basis]\nsize = 1",
      "[basis]\nsize = 100000\norder = 6",
      "[basis]\nkind = \"pair\"\nsize = 200",
      "[basis]\ndegree = [0, 99]\nwl = 10",
      "[basis]\nn_max = [0, 99]\nl_max = [10, 10]",
      "[basis]\nmax_elements = []",
      "[basis]\npair_cutoffs = {}",
      "[basis]\ninner_cutoff = 1\ninner_width = 1",
      "[basis]\nelements = []",
      "[weights.default]\nenergy = 0",
      "[weights.default]\nenergy = 0\nforces = 0\nvirial = 0\n[weights.liquid]\nenergy = 1",
      "[solver]\nkind = \"ridge\"\nlambda = 0",
      "[solver]\nkind = \"lsqr\"",
      "[solver]\nkind = \"tsvd\"\nrtol = 0",
      "[solver]\nkind = \"rrqr\"\nrtol = 0.5",
      "[solver]\nkind = \"omp\"\nsize = 1000000",
      "[solver]\nprior = { kind = \"none\" }",
      "energy_key = \"\"",
  }));
  INFO(line);
  read(kSmallest + line + "\n");
}

TEST_CASE("training data that is missing, empty or misspelt is a mistake") {
  for (const std::string text : {"", "[data]\n", "[data]\ntrain = []\n", "data = 3\n", "[[data]]\n",
                                 "[data]\ntrain = \"si.xyz\"\n", "[data]\ntrain = [\"\"]\n"}) {
    INFO(text);
    CHECK(mistakes(text).size() == 1);
  }
}

TEST_CASE("a number in quotes is told to lose them") {
  CHECK(mistakes_with("[basis]\ncutoff = \"5\"\n") ==
        std::vector<std::string>{"fit.toml:4:10: basis.cutoff = \"5\", expected a number > 0.5 and <= 20 in Å; write "
                                 "the number without quotes"});
}

TEST_CASE("a very long value is cut in its message, between characters") {
  std::string word;
  for (int i = 0; i < 1000; ++i) {
    word += "Å";
  }
  const std::vector<std::string> found = mistakes_with("[solver]\nkind = \"" + word + "\"\n");
  CHECK(found.front().find("ÅÅ…\"") != std::string::npos);
  CHECK(found.front().size() < 250);
}

TEST_CASE("files that are too large or too deep are refused before they are parsed") {
  CHECK(mistakes(std::string(kLargestFitFile + 1, '#')).front().starts_with("fit.toml: 1048577 bytes"));
  CHECK(load_fit_file("/dev/zero").error().what == "longer than 1048576 bytes");
  std::string deep = "a";
  for (std::ptrdiff_t i = 0; i < kMostDots; ++i) {
    deep += ".a";
  }
  CHECK(mistakes(deep + " = 1\n").size() == 2);  // as deep as it may be: an unknown section, and no training data
  CHECK(mistakes(deep + ".a = 1\n").front().starts_with("fit.toml: 10001 dots"));
  CHECK(mistakes(deep + " = \n").size() == 1);  // a syntax error with all of the depth open
}

TEST_CASE("the fit files in the documentation are right") {
  std::vector<std::filesystem::path> examples;
  for (const auto& entry : std::filesystem::directory_iterator("docs/examples")) {
    if (entry.path().extension() == ".toml") {
      examples.push_back(entry.path());
    }
  }
  REQUIRE_FALSE(examples.empty());
  for (const std::filesystem::path& example : examples) {
    INFO(example);
    read(content_of(example));
  }
  const std::string page = content_of("docs/reference/fit-file.md");
  const std::string begin = "```toml\n";
  int blocks = 0;
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1), ++blocks) {
    const std::size_t start = at + begin.size();
    read(page.substr(start, page.find("```", start) - start));
  }
  CHECK(blocks == 2);
}

TEST_CASE("line ends of Windows and a byte-order mark are read") {
  CHECK(read("\xef\xbb\xbf[data]\r\ntrain = [\"si.xyz\"]\r\n") == read(kSmallest));
}

TEST_CASE("the identity of an assembly depends on basis and label keys, and on nothing else") {
  const std::string identity = assembly_identity(read(kSmallest));
  for (const std::string same :
       {"test = [\"b.xyz\"]", "[weights.default]\nenergy = 1", "[weights.liquid]\nenergy = 1",
        "[solver]\nkind = \"ridge\"\nlambda = 1.0", "[reference]\none_body = \"none\"",
        "[assembly]\non_bad_structure = \"skip\"", "[basis]\nsize = 300", "group_key = \"config_type\""}) {
    INFO(same);
    CHECK(assembly_identity(read(kSmallest + same + "\n")) == identity);
  }
  for (const std::string other :
       {"energy_key = \"e\"", "forces_key = \"f\"", "virial_key = \"v\"", "stress_key = \"s\"", "stress_unit = \"GPa\"",
        "stress_order = \"vasp\"", "group_key = \"g\"", "[basis]\ncutoff = 6", "[basis]\ncutoff = 6.0000000000000009",
        "[basis]\nsize = 17", "[basis]\nkind = \"pair\"", "[basis]\northonormal = false", "[basis]\ndegree = 8",
        "[basis]\nelements = [\"Si\"]", "[basis]\nelements = [\"O\", \"Si\"]", "[reference]\nzbl = true",
        "[reference]\nzbl = true\nzbl_outer = 2.0"}) {
    INFO(other);
    CHECK(assembly_identity(read(kSmallest + other + "\n")) != identity);
  }
  CHECK(assembly_identity(read(kSmallest + "[basis]\nelements = [\"Si\", \"O\"]\n")) !=
        assembly_identity(read(kSmallest + "[basis]\nelements = [\"O\", \"Si\"]\n")));
}

}  // namespace ipfit
