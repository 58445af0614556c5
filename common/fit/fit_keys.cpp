#include "common/fit/fit_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "common/atoms/element.h"
#include "common/fit/solver_keys.h"
#include "common/model/ace/radial_names.h"

namespace ipfit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array<std::pair<std::string_view, StressUnit>, 5> kStressUnits{{
    {"eV/A^3", StressUnit::kEvPerCubicAngstrom},
    {"eV/Å^3", StressUnit::kEvPerCubicAngstrom},
    {"GPa", StressUnit::kGpa},
    {"kbar", StressUnit::kKbar},
    {"bar", StressUnit::kBar},
}};
constexpr std::array<std::pair<std::string_view, StressOrder>, 2> kStressOrders{
    {{"voigt", StressOrder::kVoigt}, {"vasp", StressOrder::kVasp}}};
constexpr std::array<std::pair<std::string_view, Keep>, 2> kKeeps{
    {{"blocks", Keep::kBlocks}, {"reduced", Keep::kReduced}}};
constexpr std::array<std::pair<std::string_view, BadStructure>, 2> kBadStructures{
    {{"stop", BadStructure::kStop}, {"skip", BadStructure::kSkip}}};

// Keys with a kind are asked for only where the basis is of that kind.
PairSpec& pair(FitSpec& spec) {
  return std::get<PairSpec>(spec.basis);
}
AceRule& ace(FitSpec& spec) {
  return std::get<AceRule>(spec.basis);
}
const AceRule& ace(const FitSpec& spec) {
  return std::get<AceRule>(spec.basis);
}

bool has_cutoff(const FitSpec& spec) {
  return ace(spec).cutoff != 0.0;
}
bool has_transform(const FitSpec& spec) {
  return ace(spec).radial != RadialFamily::kSBessel;
}
bool has_cosine(const FitSpec& spec) {
  return ace(spec).radial == RadialFamily::kChebExpCos;
}
bool by_size(const FitSpec& spec) {
  return ace(spec).choice == AceChoice::kSize;
}
bool by_degree(const FitSpec& spec) {
  return ace(spec).choice == AceChoice::kDegree;
}
bool by_lists(const FitSpec& spec) {
  return ace(spec).choice == AceChoice::kLists;
}

bool has_no_validation_files(const FitSpec& spec) {
  return spec.data.validation.empty();
}
bool has_validation_fraction(const FitSpec& spec) {
  return spec.data.validation_fraction > 0.0;
}
bool has_zbl(const FitSpec& spec) {
  return spec.reference.zbl;
}

bool uses_lambda(const FitSpec& spec) {
  return uses(spec.solver.kind, "lambda");
}
bool uses_rtol(const FitSpec& spec) {
  return uses(spec.solver.kind, "rtol");
}
bool uses_size(const FitSpec& spec) {
  return uses(spec.solver.kind, "size");
}
bool uses_committee(const FitSpec& spec) {
  return uses(spec.solver.kind, "committee");
}

// A weight counts where there is no sigma instead.
bool by_energy_weight(const GroupWeights& weights) {
  return weights.energy_sigma == 0.0;
}
bool by_energy_sigma(const GroupWeights& weights) {
  return weights.energy_sigma > 0.0;
}
bool by_forces_weight(const GroupWeights& weights) {
  return weights.forces_sigma == 0.0;
}
bool by_forces_sigma(const GroupWeights& weights) {
  return weights.forces_sigma > 0.0;
}
bool by_virial_weight(const GroupWeights& weights) {
  return weights.virial_sigma == 0.0;
}
bool by_virial_sigma(const GroupWeights& weights) {
  return weights.virial_sigma > 0.0;
}

using Group = std::string;

// Makers of fields, so that the table below reads as one.
Field paths(std::vector<std::string>& value) {
  return PathsField{&value};
}
Field label(std::string& value) {
  return LabelKeyField{&value, true};
}
Field number(double& value, double low, double high, bool low_excluded) {
  return NumberField{&value, low, high, low_excluded};
}
Field integer(int& value, int low, int high) {
  return IntegerField{&value, low, high};
}
Field integers(std::vector<int>& value, int low, int high, bool may_be_empty = false) {
  return RankIntegersField{&value, low, high, may_be_empty};
}
// Squares of weighted rows are finite.
constexpr double kMostWeight = 1e30;
Field weight(double& value) {
  return number(value, 0.0, kMostWeight, false);
}
// Its inverse is a weight.
Field sigma(double& value) {
  return number(value, 1e-9, kMostWeight, false);
}
// Only ridge has an evidence to choose by.
constexpr std::span kAllRules(kStrengthWords);
constexpr std::span kOtherRules = kAllRules.subspan(1);
template <class N>
Field strength(FitSpec& spec, N& value, N low, N high,
               std::span<const std::pair<std::string_view, StrengthRule>> words) {
  return StrengthField<N>{&value, &spec.solver.strength, low, high, words};
}
template <class E, std::size_t N>
Field choice(E& value, const std::array<std::pair<std::string_view, E>, N>& choices) {
  return ChoiceField<E>{&value, choices};
}

constexpr std::string_view kFound = "found by the list of common names";
constexpr std::string_view kFromDefault = "as in [weights.default]";
constexpr std::string_view kFromData = "the elements of the training data";
constexpr std::string_view kAnyKind;
constexpr std::string_view kByWeight = "none; the weight counts";
constexpr std::string_view kByKind = "algebraic with blr, else none";
constexpr std::string_view kChosenBySize = "none; size decides";

constexpr int kMostElements = AceSpec::kLargestRank + 1;

// section, name, unit, meaning, usual, default in words, shapes_rows, field, kind, matters
const FitKey kKeys[] = {
    {"data", "train", "", "extended-XYZ files to fit to, relative to this file", "", "required", false,
     [](FitSpec& s, const Group&) { return paths(s.data.train); }},
    {"data", "test", "", "extended-XYZ files that only the error table sees", "", "", false,
     [](FitSpec& s, const Group&) { return paths(s.data.test); }},
    {"data", "validation", "", "extended-XYZ files that solvers may choose by, without being fitted to", "", "", false,
     [](FitSpec& s, const Group&) { return paths(s.data.validation); }},
    {"data", "validation_fraction", "", "instead of validation: share of each group of train that is kept for it",
     "0.1", "0; none", true,
     [](FitSpec& s, const Group&) { return number(s.data.validation_fraction, 0.0, 0.9, false); }, kAnyKind,
     has_no_validation_files},
    {"data", "validation_seed", "", "chooses which structures these are", "", "", true,
     [](FitSpec& s, const Group&) { return integer(s.data.validation_seed, 0, 1'000'000'000); }, kAnyKind,
     has_validation_fraction},
    {"data", "energy_key", "", "key of the total energy, eV", "", kFound, true,
     [](FitSpec& s, const Group&) { return label(s.data.keys.energy); }},
    {"data", "forces_key", "", "column of the forces, eV/Å", "", kFound, true,
     [](FitSpec& s, const Group&) { return label(s.data.keys.forces); }},
    {"data", "virial_key", "", "key of the virial (minus volume times stress), eV", "", kFound, true,
     [](FitSpec& s, const Group&) { return label(s.data.keys.virial); }},
    {"data", "stress_key", "", "key of the stress, in stress_unit", "", kFound, true,
     [](FitSpec& s, const Group&) { return label(s.data.keys.stress); }},
    {"data", "stress_unit", "", "unit of the stress", "", "", true,
     [](FitSpec& s, const Group&) { return choice(s.data.keys.stress_unit, kStressUnits); }},
    {"data", "stress_order", "", "order of six stress numbers: voigt xx yy zz yz xz xy, vasp xx yy zz xy yz xz", "", "",
     true, [](FitSpec& s, const Group&) { return choice(s.data.keys.stress_order, kStressOrders); }},
    {"data", "group_key", "", "key that names the group of a structure", "", "", true,
     [](FitSpec& s, const Group&) -> Field {
       return LabelKeyField{&s.data.keys.group, false};
     }},

    {"reference", "one_body", "eV", "energies of single atoms: given, or how they are found", "", "", false,
     [](FitSpec& s, const Group&) -> Field { return OneBodyField{&s.reference}; }},
    {"reference", "zbl", "", "whether the ZBL repulsion of close atoms is subtracted before the fit", "", "", true,
     [](FitSpec& s, const Group&) -> Field { return FlagField{&s.reference.zbl}; }},
    {"reference", "zbl_inner", "Å", "distance at which the repulsion begins to be switched off; 0: half of zbl_outer",
     "0.5 to 1.5", "half of zbl_outer", true,
     [](FitSpec& s, const Group&) { return number(s.reference.zbl_inner, 0.0, 10.0, false); }, kAnyKind, has_zbl},
    {"reference", "zbl_outer", "Å", "distance from which on there is no repulsion; 0: the shortest bond length",
     "1 to 3", "the shortest bond length of the elements", true,
     [](FitSpec& s, const Group&) { return number(s.reference.zbl_outer, 0.0, 10.0, false); }, kAnyKind, has_zbl},

    {"basis", "kind", "", "sort of basis functions", "", "", true,
     [](FitSpec& s, const Group&) -> Field { return BasisKindField{&s.basis}; }},
    {"basis", "elements", "", "elements of the potential, in the order of the columns", "", kFromData, true,
     [](FitSpec& s, const Group&) -> Field { return ElementsField{&ace(s).elements}; }, kAceBasis},
    {"basis", "cutoff", "Å", "distance from which on atoms do not interact", "4 to 8",
     "from the bond lengths of the elements", true,
     [](FitSpec& s, const Group&) { return number(ace(s).cutoff, 0.5, 20.0, true); }, kAceBasis, has_cutoff},
    {"basis", "pair_cutoffs", "Å", "cutoffs of pairs of elements that have one of their own", "", "", true,
     [](FitSpec& s, const Group&) -> Field {
       return PairNumbersField{&ace(s).pair_cutoffs, 0.5, 20.0};
     },
     kAceBasis},
    {"basis", "radial", "", "family of the radial functions", "", "", true,
     [](FitSpec& s, const Group&) { return choice(ace(s).radial, kRadialNames); }, kAceBasis},
    {"basis", "lambda", "", "ChebExpCos and ChebPow: the larger, the finer short distances are resolved", "2 to 6", "",
     true, [](FitSpec& s, const Group&) { return number(ace(s).lambda, 0.1, 20.0, false); }, kAceBasis, has_transform},
    {"basis", "cutoff_width", "Å", "ChebExpCos: width of the last switch to zero, below the cutoff", "0.1 to 0.5", "",
     true, [](FitSpec& s, const Group&) { return number(ace(s).cutoff_width, 0.01, 10.0, false); }, kAceBasis,
     has_cosine},
    {"basis", "inner_cutoff", "Å", "distance below which the functions fade out; 0: they do not", "", "", true,
     [](FitSpec& s, const Group&) { return number(ace(s).inner_cutoff, 0.0, 10.0, false); }, kAceBasis},
    {"basis", "inner_width", "Å", "length over which they fade out, below inner_cutoff", "0.3 to 1", "", true,
     [](FitSpec& s, const Group&) { return number(ace(s).inner_width, 0.0, 10.0, false); }, kAceBasis},
    {"basis", "orthonormal", "", "make the radial functions of each pair orthonormal", "", "", true,
     [](FitSpec& s, const Group&) -> Field { return FlagField{&ace(s).orthonormal}; }, kAceBasis},
    {"basis", "size", "", "functions around each element, the simplest ones first", "100 to 1000", "", true,
     [](FitSpec& s, const Group&) { return integer(ace(s).size, 1, 100'000); }, kAceBasis, by_size},
    {"basis", "order", "", "most factors in a function, the largest rank", "3 to 5", "", true,
     [](FitSpec& s, const Group&) { return integer(ace(s).order, 1, AceSpec::kLargestRank); }, kAceBasis, by_size},
    {"basis", "degree", "", "instead of size: all functions whose sum of n + wl l is at most this", "8 to 16",
     kChosenBySize, true,
     [](FitSpec& s, const Group&) -> Field {
       return RankNumbersField{&ace(s).degree, 0.0, 99.0};
     },
     kAceBasis, by_degree},
    {"basis", "wl", "", "with degree: what a unit of l costs, in units of n", "1 to 2", "", true,
     [](FitSpec& s, const Group&) { return number(ace(s).wl, 0.1, 10.0, false); }, kAceBasis, by_degree},
    {"basis", "n_max", "", "instead of size, with l_max: largest n of the factors", "", kChosenBySize, true,
     [](FitSpec& s, const Group&) { return integers(ace(s).n_max, 0, AceSpec::kLargestN); }, kAceBasis, by_lists},
    {"basis", "l_max", "", "instead of size, with n_max: largest l of the factors", "", kChosenBySize, true,
     [](FitSpec& s, const Group&) { return integers(ace(s).l_max, 0, AceSpec::kLargestDegree); }, kAceBasis, by_lists},
    {"basis", "max_elements", "", "most different elements in a function, its centre included; []: any number", "", "",
     true, [](FitSpec& s, const Group&) { return integers(ace(s).max_elements, 1, kMostElements, true); }, kAceBasis},

    {"basis", "elements", "", "elements of the potential, in the order of the columns", "", kFromData, true,
     [](FitSpec& s, const Group&) -> Field { return ElementsField{&pair(s).elements}; }, kPairBasis},
    {"basis", "cutoff", "Å", "distance from which on atoms do not interact", "4 to 8", "", true,
     [](FitSpec& s, const Group&) { return number(pair(s).cutoff, 0.5, 20.0, true); }, kPairBasis},
    {"basis", "size", "", "functions per pair of elements", "8 to 30", "", true,
     [](FitSpec& s, const Group&) { return integer(pair(s).size, 1, 200); }, kPairBasis},

    {"weights.default", "energy", "1/eV", "weight of energies, multiplied by 1/sqrt(atoms)", "1 to 100", "", false,
     [](FitSpec& s, const Group&) { return weight(s.weights.fallback.energy); }, kAnyKind, nullptr, by_energy_weight},
    {"weights.default", "energy_sigma", "eV/√atom", "instead of energy: the error expected of the energies",
     "0.001 to 0.1", kByWeight, false, [](FitSpec& s, const Group&) { return sigma(s.weights.fallback.energy_sigma); },
     kAnyKind, nullptr, by_energy_sigma},
    {"weights.default", "forces", "Å/eV", "weight of force components", "1", "", false,
     [](FitSpec& s, const Group&) { return weight(s.weights.fallback.forces); }, kAnyKind, nullptr, by_forces_weight},
    {"weights.default", "forces_sigma", "eV/Å", "instead of forces: the error expected of the force components",
     "0.01 to 1", kByWeight, false, [](FitSpec& s, const Group&) { return sigma(s.weights.fallback.forces_sigma); },
     kAnyKind, nullptr, by_forces_sigma},
    {"weights.default", "virial", "1/eV", "weight of virial components, multiplied by 1/sqrt(atoms)", "0 to 1", "",
     false, [](FitSpec& s, const Group&) { return weight(s.weights.fallback.virial); }, kAnyKind, nullptr,
     by_virial_weight},
    {"weights.default", "virial_sigma", "eV/√atom", "instead of virial: the error expected of the virial components",
     "0.01 to 1", kByWeight, false, [](FitSpec& s, const Group&) { return sigma(s.weights.fallback.virial_sigma); },
     kAnyKind, nullptr, by_virial_sigma},
    {kGroupSection, "energy", "1/eV", "weight of the energies of this group", "1 to 100", kFromDefault, false,
     [](FitSpec& s, const Group& group) { return weight(s.weights.groups[group].energy); }, kAnyKind, nullptr,
     by_energy_weight},
    {kGroupSection, "energy_sigma", "eV/√atom", "instead of energy: the error expected of its energies", "0.001 to 0.1",
     kFromDefault, false, [](FitSpec& s, const Group& group) { return sigma(s.weights.groups[group].energy_sigma); },
     kAnyKind, nullptr, by_energy_sigma},
    {kGroupSection, "forces", "Å/eV", "weight of its force components", "1", kFromDefault, false,
     [](FitSpec& s, const Group& group) { return weight(s.weights.groups[group].forces); }, kAnyKind, nullptr,
     by_forces_weight},
    {kGroupSection, "forces_sigma", "eV/Å", "instead of forces: the error expected of its force components",
     "0.01 to 1", kFromDefault, false,
     [](FitSpec& s, const Group& group) { return sigma(s.weights.groups[group].forces_sigma); }, kAnyKind, nullptr,
     by_forces_sigma},
    {kGroupSection, "virial", "1/eV", "weight of its virial components", "0 to 1", kFromDefault, false,
     [](FitSpec& s, const Group& group) { return weight(s.weights.groups[group].virial); }, kAnyKind, nullptr,
     by_virial_weight},
    {kGroupSection, "virial_sigma", "eV/√atom", "instead of virial: the error expected of its virial components",
     "0.01 to 1", kFromDefault, false,
     [](FitSpec& s, const Group& group) { return sigma(s.weights.groups[group].virial_sigma); }, kAnyKind, nullptr,
     by_virial_sigma},

    {"solver", "kind", "", "how the least-squares problem is solved", "", "", false,
     [](FitSpec& s, const Group&) { return choice(s.solver.kind, kSolverKinds); }},
    {"solver", "lambda", "",
     "ridge and lsqr: strength of the penalty, lambda^2 times the sum of (gamma c)^2, or how ridge finds it",
     "1e-6 to 1", "none; required with ridge", false,
     [](FitSpec& s, const Group&) { return strength(s, s.solver.lambda, 0.0, kInfinity, kAllRules); }, kAnyKind,
     uses_lambda},
    {"solver", "rtol", "",
     "rrqr and tsvd: what counts as zero beside the largest, or how tsvd finds it; lsqr: accuracy", "1e-12 to 1e-4", "",
     false, [](FitSpec& s, const Group&) { return strength(s, s.solver.rtol, 0.0, 0.5, kOtherRules); }, kAnyKind,
     uses_rtol},
    {"solver", "size", "", "omp and lasso: how many functions are used, or how that is found", "50 to 500",
     "none; required with omp and lasso", false,
     [](FitSpec& s, const Group&) { return strength(s, s.solver.size, 1, 1'000'000, kOtherRules); }, kAnyKind,
     uses_size},
    {"solver", "committee", "", "blr and ard: how many further sets of coefficients are drawn from the posterior",
     "0 to 20", "", false, [](FitSpec& s, const Group&) { return integer(s.solver.committee, 0, 1000); }, kAnyKind,
     uses_committee},
    {"solver", "seed", "", "chooses these sets", "", "", false,
     [](FitSpec& s, const Group&) { return integer(s.solver.seed, 0, 1'000'000'000); }, kAnyKind, uses_committee},
    {"solver", "functions", "",
     "use only the first so many functions around each element, in the order of size (kind = \"pair\": of each pair)",
     "50 to 500", "0; all", false, [](FitSpec& s, const Group&) { return integer(s.solver.functions, 0, 1'000'000); }},
    {"solver", "prior", "", "what is thought of rough functions before the data are seen", "", kByKind, false,
     [](FitSpec& s, const Group&) -> Field { return PriorField{&s.solver.prior}; }},

    {"assembly", "keep", "",
     "blocks: all rows; reduced: of each task and each group and kind of rows the triangular factor, less to send and "
     "to store",
     "", "", true, [](FitSpec& s, const Group&) { return choice(s.assembly.keep, kKeeps); }},
    {"assembly", "on_bad_structure", "",
     "when a structure cannot be evaluated: stop ends the fit, skip goes on without it", "", "", false,
     [](FitSpec& s, const Group&) { return choice(s.assembly.on_bad_structure, kBadStructures); }},
};

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string list(std::span<const std::string> entries) {
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

std::string quoted_list(std::span<const std::string> texts) {
  std::vector<std::string> quoted(texts.size());
  std::transform(texts.begin(), texts.end(), quoted.begin(), toml_quoted);
  return list(quoted);
}

std::string one_body_value(const ReferenceSpec& reference) {
  switch (reference.one_body) {
    case OneBodyRule::kNone:
      return "\"none\"";
    case OneBodyRule::kIsolatedAtom:
      return "\"isolated_atom\"";
    case OneBodyRule::kFit:
      return "\"fit\"";
    case OneBodyRule::kGiven:
      break;
  }
  std::string out = "{";
  for (const auto& [element, energy] : reference.energies) {
    out += fmt::format("{} {} = {}", out.size() > 1 ? "," : "", element_symbol(element), toml_number(energy));
  }
  return out + " }";
}

// "a", "b" or "c"
template <class E>
std::string words_in_words(std::span<const std::pair<std::string_view, E>> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    out += (i == 0 ? "" : last ? " or " : ", ") + toml_quoted(words[i].first);
  }
  return out;
}

std::string range_in_words(double low, double high) {
  return std::isinf(high) ? fmt::format("number >= {}", low) : fmt::format("number from {} to {}", low, high);
}
std::string range_in_words(int low, int high) {
  return fmt::format("integer from {} to {}", low, high);
}

std::string prior_value(const PriorSpec& prior) {
  std::string out = fmt::format("{{ kind = {}", toml_quoted(word_of(kPriorKinds, prior.kind)));
  if (prior.kind == PriorKind::kAlgebraic) {
    out += fmt::format(", power = {}", toml_number(prior.power));
  }
  if (prior.kind != PriorKind::kNone) {
    out += fmt::format(", wl = {}, wn = {}", toml_number(prior.wl), toml_number(prior.wn));
  }
  return out + " }";
}

struct TypeInWords {
  std::string operator()(const PathsField&) const { return "list of paths"; }
  std::string operator()(const LabelKeyField&) const { return "text"; }
  std::string operator()(const NumberField& field) const {
    const std::string low = fmt::format("number {} {}", field.low_excluded ? ">" : ">=", field.low);
    return std::isinf(field.high) ? low : fmt::format("{} and <= {}", low, field.high);
  }
  std::string operator()(const IntegerField& field) const {
    return fmt::format("integer from {} to {}", field.low, field.high);
  }
  std::string operator()(const FlagField&) const { return "true or false"; }
  std::string operator()(const RankNumbersField& field) const {
    return fmt::format("number from {} to {}, or list of one for each rank", field.low, field.high);
  }
  std::string operator()(const RankIntegersField& field) const {
    return fmt::format("list of integers from {} to {}, one for each rank", field.low, field.high);
  }
  std::string operator()(const PairNumbersField& field) const {
    return fmt::format("table of numbers > {} and <= {} by pair", field.low, field.high);
  }
  std::string operator()(const ElementsField&) const { return "list of element symbols"; }
  std::string operator()(const OneBodyField&) const {
    return "table of energies by element, \"isolated_atom\", \"fit\" or \"none\"";
  }
  std::string operator()(const BasisKindField&) const {
    return toml_quoted(kAceBasis) + " or " + toml_quoted(kPairBasis);
  }
  template <class N>
  std::string operator()(const StrengthField<N>& field) const {
    return fmt::format("{}, {}", range_in_words(field.low, field.high), words_in_words(field.words));
  }
  std::string operator()(const PriorField&) const { return "table { kind, power, wl, wn }"; }
  template <class E>
  std::string operator()(const ChoiceField<E>& field) const {
    return words_in_words(field.choices);
  }
};

struct TomlValue {
  std::string operator()(const PathsField& field) const { return quoted_list(*field.value); }
  std::string operator()(const LabelKeyField& field) const { return toml_quoted(*field.value); }
  std::string operator()(const NumberField& field) const { return toml_number(*field.value); }
  std::string operator()(const IntegerField& field) const { return std::to_string(*field.value); }
  std::string operator()(const FlagField& field) const { return *field.value ? "true" : "false"; }
  std::string operator()(const RankNumbersField& field) const {
    std::vector<std::string> numbers(field.value->size());
    std::transform(field.value->begin(), field.value->end(), numbers.begin(), toml_number);
    return list(numbers);
  }
  std::string operator()(const RankIntegersField& field) const {
    return fmt::format("[{}]", fmt::join(*field.value, ", "));
  }
  std::string operator()(const PairNumbersField& field) const {
    std::string out = "{";
    for (const auto& [elements, value] : *field.value) {
      out += fmt::format("{} {} = {}", out.size() > 1 ? "," : "", toml_key(pair_text(elements.first, elements.second)),
                         toml_number(value));
    }
    return out + (out.size() > 1 ? " }" : "}");
  }
  std::string operator()(const ElementsField& field) const {
    std::vector<std::string> symbols;
    for (const std::uint8_t element : *field.value) {
      symbols.emplace_back(element_symbol(element));
    }
    return quoted_list(symbols);
  }
  std::string operator()(const OneBodyField& field) const { return one_body_value(*field.value); }
  std::string operator()(const BasisKindField& field) const { return toml_quoted(kind_of(*field.value)); }
  template <class N>
  std::string operator()(const StrengthField<N>& field) const {
    if (*field.rule != StrengthRule::kGiven) {
      return toml_quoted(word_of(kStrengthWords, *field.rule));
    }
    if constexpr (std::is_same_v<N, int>) {
      return std::to_string(*field.value);
    } else {
      return toml_number(*field.value);
    }
  }
  std::string operator()(const PriorField& field) const { return prior_value(*field.value); }
  template <class E>
  std::string operator()(const ChoiceField<E>& field) const {
    for (const auto& [word, value] : field.choices) {
      if (value == *field.value) {
        return toml_quoted(word);
      }
    }
    return {};
  }
};

}  // namespace

std::span<const FitKey> fit_keys() {
  return kKeys;
}

FitSpec default_fit_spec(std::string_view kind) {
  FitSpec spec;
  spec.solver = default_solver();
  if (kind == kPairBasis) {
    spec.basis = PairSpec{{}, 6.0, 16};
  } else {
    spec.basis = AceRule{};
  }
  return spec;
}

std::string_view kind_of(const BasisChoice& choice) {
  return std::holds_alternative<PairSpec>(choice) ? kPairBasis : kAceBasis;
}

bool matters(const FitKey& key, const FitSpec& spec) {
  return (key.kind.empty() || key.kind == kind_of(spec.basis)) && (key.matters == nullptr || key.matters(spec));
}

std::string type_in_words(const Field& field) {
  return std::visit(TypeInWords{}, field);
}

std::string toml_value(const Field& field) {
  return std::visit(TomlValue{}, field);
}

std::string default_in_words(const FitKey& key) {
  FitSpec spec = default_fit_spec(key.kind);
  return key.default_words.empty() ? toml_value(key.field(spec, "")) : std::string(key.default_words);
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c == '"' || c == '\\' ? "\\" : "";
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_key(std::string_view key) {
  return is_bare(key) ? std::string(key) : toml_quoted(key);
}

std::string toml_number(double value) {
  std::array<char, 32> buffer{};
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string out(buffer.data(), end.ptr);
  return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;  // "30" would read back as an integer
}

}  // namespace ipfit
