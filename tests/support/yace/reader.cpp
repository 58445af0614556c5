#include "tests/support/yace/reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <optional>
#include <set>

namespace ipfit::test::yace {
namespace {

// Beyond anything that a potential has; a damaged file cannot make the reader ask for memory without end.
constexpr std::size_t kMostElements = 118;
constexpr int kMostRadial = 1000;
constexpr int kMostDegree = 50;
constexpr int kMostRadcoefficients = 1'000'000;
constexpr int kMostRank = 20;
constexpr int kMostTuples = 1'000'000;
constexpr int kMostDensities = 100;
constexpr std::size_t kMostErrors = 20;

/// What was wrong, in the order of the file.
class Mistakes {
 public:
  explicit Mistakes(std::string name) : name_(std::move(name)) {}
  void add(const YAML::Node& at, std::string what) {
    if (errors_.size() < kMostErrors) {
      errors_.push_back({ErrorKind::kInput, fmt::format("{}:{}", name_, at.Mark().line + 1), std::move(what), ""});
    }
  }
  bool none() const { return errors_.empty(); }
  const std::vector<Error>& all() const { return errors_; }

 private:
  std::string name_;
  std::vector<Error> errors_;
};

/// A scalar as a T, where it is one.
template <class T>
std::optional<T> scalar(const YAML::Node& node) {
  T value{};
  if (!node.IsScalar() || !YAML::convert<T>::decode(node, value)) {
    return std::nullopt;
  }
  return value;
}

/// A map of the file. Getters complain about what is missing or wrong and then give a harmless value.
class Fields {
 public:
  Fields(const YAML::Node& node, std::string what, Mistakes& mistakes)
      : node_(node), what_(std::move(what)), mistakes_(mistakes) {
    if (!node.IsMap()) {
      complain("is no map");
    }
  }

  void complain(const std::string& problem) const { mistakes_.add(node_, what_ + " " + problem); }
  bool has(const char* key) const { return node_.IsMap() && node_[key].IsDefined(); }

  YAML::Node get(const char* key) const {
    if (has(key)) {
      return node_[key];
    }
    if (node_.IsMap()) {
      complain(fmt::format("has no key {}", key));
    }
    return YAML::Node();
  }

  std::string text(const char* key) const {
    const YAML::Node node = get(key);
    if (const auto value = scalar<std::string>(node)) {
      return *value;
    }
    if (has(key)) {
      complain(fmt::format("has a {} that is no text", key));
    }
    return "";
  }

  double real(const char* key) const { return finite(get(key), key); }
  double real_or(const char* key, double absent) const { return has(key) ? real(key) : absent; }

  int integer(const char* key, int least, int most) const {
    const YAML::Node node = get(key);
    return has(key) ? within(node, key, least, most) : least;
  }

  /// Exactly `count` numbers; any number of them where there is no count.
  std::vector<double> reals(const char* key, std::optional<std::size_t> count) const {
    std::vector<double> values;
    for (const YAML::Node& node : list(key, count)) {
      values.push_back(finite(node, key));
    }
    return values;
  }
  std::vector<int> integers(const char* key, std::size_t count, int least, int most) const {
    std::vector<int> values;
    for (const YAML::Node& node : list(key, count)) {
      values.push_back(within(node, key, least, most));
    }
    return values;
  }

 private:
  std::vector<YAML::Node> list(const char* key, std::optional<std::size_t> count) const {
    const YAML::Node node = get(key);
    if (!has(key)) {
      return {};
    }
    if (!node.IsSequence()) {
      complain(fmt::format("has a {} that is no list", key));
      return {};
    }
    if (count && node.size() != *count) {
      complain(fmt::format("has {} entries in {}, expected {}", node.size(), key, *count));
      return {};
    }
    return {node.begin(), node.end()};
  }
  double finite(const YAML::Node& node, const char* key) const {
    const auto value = scalar<double>(node);
    if (value && std::isfinite(*value)) {
      return *value;
    }
    if (has(key)) {
      complain(fmt::format("has something in {} that is no finite number", key));
    }
    return 0.0;
  }
  int within(const YAML::Node& node, const char* key, int least, int most) const {
    const auto value = scalar<int>(node);
    if (value && *value >= least && *value <= most) {
      return *value;
    }
    complain(value ? fmt::format("has {} in {}, expected {} to {}", *value, key, least, most)
                   : fmt::format("has something in {} that is no integer", key));
    return least;
  }

  YAML::Node node_;
  std::string what_;
  Mistakes& mistakes_;
};

template <class Kind>
Kind one_of(const Fields& fields, const char* key, const std::string& name,
            const std::vector<std::pair<std::string, Kind>>& known) {
  std::string names;
  for (const auto& [spelling, kind] : known) {
    if (spelling == name) {
      return kind;
    }
    names += (names.empty() ? "" : ", ") + spelling;
  }
  if (!name.empty()) {
    fields.complain(fmt::format("has {} \"{}\", expected one of {}", key, name.substr(0, 40), names));
  }
  return known.front().second;
}

Embedding read_embedding(const Fields& fields) {
  Embedding embedding;
  embedding.ndensity = fields.integer("ndensity", 1, kMostDensities);
  embedding.kind =
      one_of<EmbeddingKind>(fields, "npoti", fields.text("npoti"),
                            {{"FinnisSinclair", EmbeddingKind::kFinnisSinclair},
                             {"FinnisSinclairShiftedScaled", EmbeddingKind::kFinnisSinclairShiftedScaled}});
  const auto parameters = fields.reals("FS_parameters", 2 * static_cast<std::size_t>(embedding.ndensity));
  for (std::size_t i = 0; i + 1 < parameters.size(); i += 2) {
    embedding.w.push_back(parameters[i]);
    embedding.m.push_back(parameters[i + 1]);
  }
  embedding.rho_core_cutoff = fields.real("rho_core_cutoff");
  embedding.drho_core_cutoff = fields.real("drho_core_cutoff");
  return embedding;
}

Family read_family(const Fields& fields) {
  const std::string name = fields.text("radbasename");
  if (name.starts_with("ACE.jl")) {
    fields.complain("has radial functions of the family ACE.jl, which this reader does not know");
    return Family::kZero;
  }
  if (name.starts_with("TEST_") && name != "TEST_SBessel") {
    return Family::kZero;
  }
  return one_of<Family>(fields, "radbasename", name,
                        {{"ChebExpCos", Family::kChebExpCos},
                         {"ChebPow", Family::kChebPow},
                         {"ChebLinear", Family::kChebLinear},
                         {"SBessel", Family::kSBessel},
                         {"TEST_SBessel", Family::kSBessel}});
}

/// radcoefficients, [nradmax][lmax + 1][nradbasemax]; further entries are passed over, as the format has it.
std::vector<double> read_radcoefficients(const Fields& fields, const Bond& bond) {
  const YAML::Node cube = fields.get("radcoefficients");
  std::vector<double> values;
  if (bond.nradmax * (bond.lmax + 1) * bond.nradbasemax > kMostRadcoefficients) {
    fields.complain(fmt::format("asks for more than {} radcoefficients", kMostRadcoefficients));
    return values;
  }
  for (int n = 0; n < bond.nradmax; ++n) {
    for (int l = 0; l <= bond.lmax; ++l) {
      for (int k = 0; k < bond.nradbasemax; ++k) {
        const YAML::Node plane = cube.IsSequence() ? cube[n] : YAML::Node();
        const YAML::Node row = plane.IsDefined() && plane.IsSequence() ? plane[l] : YAML::Node();
        const YAML::Node entry = row.IsDefined() && row.IsSequence() ? row[k] : YAML::Node();
        const auto value = entry.IsDefined() ? scalar<double>(entry) : std::nullopt;
        if (!value || !std::isfinite(*value)) {
          fields.complain(fmt::format("has no number in radcoefficients at [{}][{}][{}], expected [{}][{}][{}] of them",
                                      n, l, k, bond.nradmax, bond.lmax + 1, bond.nradbasemax));
          return {};
        }
        values.push_back(*value);
      }
    }
  }
  return values;
}

InnerCutoff read_inner_cutoff(const Fields& fields) {
  if (!fields.has("inner_cutoff_type")) {
    return InnerCutoff::kDensity;
  }
  return one_of<InnerCutoff>(
      fields, "inner_cutoff_type", fields.text("inner_cutoff_type"),
      {{"density", InnerCutoff::kDensity}, {"distance", InnerCutoff::kDistance}, {"zbl", InnerCutoff::kZbl}});
}

Bond read_bond(const Fields& fields) {
  Bond bond;
  bond.family = read_family(fields);
  const auto parameters = fields.reals("radparameters", std::nullopt);
  if (parameters.empty() && fields.has("radparameters")) {
    fields.complain("has no entry in radparameters, expected at least one");
  }
  bond.lambda = parameters.empty() ? 1.0 : parameters.front();
  bond.nradbasemax = fields.integer("nradbasemax", 1, kMostRadial);
  bond.nradmax = fields.integer("nradmax", 0, kMostRadial);
  bond.lmax = fields.integer("lmax", 0, kMostDegree);
  bond.radcoefficients = read_radcoefficients(fields, bond);
  bond.rcut = fields.real("rcut");
  bond.dcut = fields.real("dcut");
  bond.prehc = fields.real("prehc");
  bond.lambdahc = fields.real("lambdahc");
  bond.rcut_in = fields.real_or("rcut_in", 0.0);
  bond.dcut_in = fields.real_or("dcut_in", 0.0);
  if (!(bond.rcut > 0.0 && bond.rcut <= 100.0)) {
    fields.complain(fmt::format("has rcut {}, expected more than 0 and at most 100 Å", bond.rcut));
  }
  if (bond.dcut < 0.0 || bond.dcut_in < 0.0) {
    fields.complain("has a negative dcut or dcut_in");
  }
  return bond;
}

/// The species of the factors, and what n, l and m may be for them.
void check_indices(const Fields& fields, const Function& function, std::size_t centre, const Potential& potential) {
  for (std::size_t t = 0; t < function.mus.size() && t < function.ns.size() && t < function.ls.size(); ++t) {
    const Bond& bond = potential.bond(centre, static_cast<std::size_t>(function.mus[t]));
    const int most_n = function.rank == 1 ? bond.nradbasemax : bond.nradmax;
    const int most_l = function.rank == 1 ? 0 : bond.lmax;
    if (function.ns[t] > most_n || function.ls[t] > most_l) {
      fields.complain(fmt::format("has n = {}, l = {} in factor {}, expected at most {} and {}", function.ns[t],
                                  function.ls[t], t, most_n, most_l));
    }
    for (const std::vector<int>& tuple : function.ms) {
      if (std::abs(tuple[t]) > function.ls[t]) {
        fields.complain(fmt::format("has m = {} where l is {}", tuple[t], function.ls[t]));
        return;
      }
    }
  }
}

Function read_function(const Fields& fields, std::size_t centre, const Potential& potential) {
  const int species = static_cast<int>(potential.elements.size());
  const int ndensity = potential.embeddings[centre].ndensity;
  Function function;
  function.rank = fields.integer("rank", 1, kMostRank);
  const auto rank = static_cast<std::size_t>(function.rank);
  const int tuples = fields.integer("num_ms_combs", 1, function.rank == 1 ? 1 : kMostTuples);
  fields.integer("mu0", static_cast<int>(centre), static_cast<int>(centre));
  fields.integer("ndensity", ndensity, ndensity);
  function.mus = fields.integers("mus", rank, 0, species - 1);
  function.ns = fields.integers("ns", rank, 1, kMostRadial);
  function.ls = fields.integers("ls", rank, 0, kMostDegree);
  const auto count = static_cast<std::size_t>(tuples);
  const auto ms = fields.integers("ms_combs", rank * count, -kMostDegree, kMostDegree);
  const auto densities = static_cast<std::size_t>(ndensity);
  const auto ctildes = fields.reals("ctildes", count * densities);
  if (ms.size() != rank * count || ctildes.size() != count * densities) {
    return function;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto m = ms.begin() + static_cast<std::ptrdiff_t>(i * rank);
    const auto c = ctildes.begin() + static_cast<std::ptrdiff_t>(i * densities);
    function.ms.emplace_back(m, m + static_cast<std::ptrdiff_t>(rank));
    function.ctildes.emplace_back(c, c + ndensity);
  }
  check_indices(fields, function, centre, potential);
  return function;
}

/// The entry of every centre of a map from its index; complains where one is missing, twice or none of them.
std::vector<YAML::Node> by_centre(const Fields& top, const char* key, std::size_t elements, Mistakes& mistakes) {
  std::vector<YAML::Node> found(elements);
  std::set<std::size_t> seen;
  const YAML::Node map = top.get(key);
  if (!top.has(key)) {
    return found;
  }
  if (!map.IsMap()) {
    mistakes.add(map, fmt::format("{} is no map", key));
    return found;
  }
  for (const auto& item : map) {
    const auto index = scalar<int>(item.first);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= elements) {
      mistakes.add(item.first, fmt::format("{} has a key that is no number of an element, 0 to {}", key, elements - 1));
    } else if (!seen.insert(static_cast<std::size_t>(*index)).second) {
      mistakes.add(item.first, fmt::format("{} has the key {} twice", key, *index));
    } else {
      found[static_cast<std::size_t>(*index)].reset(item.second);
    }
  }
  for (std::size_t i = 0; i < elements; ++i) {
    if (!seen.contains(i)) {
      mistakes.add(map, fmt::format("{} has nothing for element {}", key, i));
    }
  }
  return found;
}

void read_bonds(const Fields& top, Potential& potential, Mistakes& mistakes) {
  const std::size_t elements = potential.elements.size();
  potential.bonds.resize(elements * elements);
  const YAML::Node map = top.get("bonds");
  if (!top.has("bonds")) {
    return;
  }
  if (!map.IsMap()) {
    mistakes.add(map, "bonds is no map");
    return;
  }
  std::set<std::size_t> seen;
  for (const auto& item : map) {
    const YAML::Node& pair = item.first;
    const bool two = pair.IsSequence() && pair.size() == 2;
    const auto i = two ? scalar<int>(pair[0]) : std::nullopt;
    const auto j = two ? scalar<int>(pair[1]) : std::nullopt;
    const int most = static_cast<int>(elements) - 1;
    if (!i || !j || *i < 0 || *j < 0 || *i > most || *j > most) {
      mistakes.add(pair, fmt::format("bonds has a key that is no pair of elements [i, j], each 0 to {}", most));
      continue;
    }
    const std::size_t index = static_cast<std::size_t>(*i) * elements + static_cast<std::size_t>(*j);
    if (!seen.insert(index).second) {
      mistakes.add(pair, fmt::format("bonds has the pair [{}, {}] twice", *i, *j));
      continue;
    }
    const Fields fields(item.second, fmt::format("bond [{}, {}]", *i, *j), mistakes);
    potential.bonds[index] = read_bond(fields);
    // The type of the last pair holds for all bonds.
    const InnerCutoff type = read_inner_cutoff(fields);
    if (index + 1 == potential.bonds.size()) {
      potential.inner_cutoff = type;
    }
  }
  for (std::size_t index = 0; index < potential.bonds.size(); ++index) {
    if (!seen.contains(index)) {
      mistakes.add(map, fmt::format("bonds has nothing for the pair [{}, {}]", index / elements, index % elements));
    }
  }
}

void read_elements(const Fields& top, Potential& potential, Mistakes& mistakes) {
  const YAML::Node list = top.get("elements");
  if (!top.has("elements")) {
    return;
  }
  if (!list.IsSequence() || list.size() == 0 || list.size() > kMostElements) {
    mistakes.add(list, fmt::format("elements is no list of 1 to {} names", kMostElements));
    return;
  }
  std::set<std::string> seen;
  for (const YAML::Node& node : list) {
    const std::string name = scalar<std::string>(node).value_or("");
    if (name.empty() || !seen.insert(name).second) {
      mistakes.add(node, "elements has an entry that is no name, or stands twice");
    }
    potential.elements.push_back(name);
  }
}

Potential read_potential(const YAML::Node& document, Mistakes& mistakes) {
  Potential potential;
  const Fields top(document, "the file", mistakes);
  if (mistakes.none()) {
    read_elements(top, potential, mistakes);
  }
  if (!mistakes.none()) {
    return potential;
  }
  const std::size_t elements = potential.elements.size();
  potential.E0 = top.reals("E0", elements);
  potential.delta_spline_bins = top.real("deltaSplineBins");
  if (top.has("deltaSplineBins") && !(potential.delta_spline_bins > 0.0)) {
    top.complain(fmt::format("has deltaSplineBins {}, expected more than 0", potential.delta_spline_bins));
  }
  const auto embeddings = by_centre(top, "embeddings", elements, mistakes);
  for (std::size_t i = 0; i < elements && mistakes.none(); ++i) {
    potential.embeddings.push_back(read_embedding(Fields(embeddings[i], fmt::format("embedding {}", i), mistakes)));
  }
  read_bonds(top, potential, mistakes);
  const auto functions = by_centre(top, "functions", elements, mistakes);
  for (std::size_t i = 0; i < elements && mistakes.none(); ++i) {
    if (!functions[i].IsSequence()) {
      mistakes.add(functions[i], fmt::format("functions of element {} are no list", i));
      break;
    }
    auto& list = potential.functions.emplace_back();
    for (const YAML::Node& node : functions[i]) {
      const Fields fields(node, fmt::format("function {} of element {}", list.size(), i), mistakes);
      list.push_back(read_function(fields, i, potential));
    }
  }
  return potential;
}

}  // namespace

Result<Potential> read(std::string_view text, const std::string& name) {
  try {
    Mistakes mistakes(name);
    Potential potential = read_potential(YAML::Load(std::string(text)), mistakes);
    if (!mistakes.none()) {
      return mistakes.all();
    }
    return potential;
  } catch (const YAML::Exception& problem) {
    return Error{ErrorKind::kInput, fmt::format("{}:{}", name, problem.mark.line + 1), "not valid YAML: " + problem.msg,
                 ""};
  }
}

}  // namespace ipfit::test::yace
