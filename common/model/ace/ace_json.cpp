#include "common/model/ace/ace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "common/atoms/element.h"
#include "common/model/ace/ace_labels.h"
#include "common/model/ace/ace_rule_limits.h"
#include "common/model/ace/coupling.h"
#include "common/model/ace/radial_names.h"
#include "common/model/json_reader.h"
#include "common/model/limits.h"

namespace ipfit {
namespace {

constexpr double kLargestLambda = 100.0;

std::string columns_hash(const AceSpec& spec) {
  return fmt::format("{:016x}", labels_checksum(column_labels(spec)));
}

// ---- writing ------------------------------------------------------------------------------------------------------

std::vector<double> lower_triangle(const AceBond& bond) {
  const auto size = static_cast<std::size_t>(bond.size);
  std::vector<double> out;
  for (std::size_t n = 0; n < size && !bond.transform.empty(); ++n) {
    const auto row = bond.transform.begin() + static_cast<std::ptrdiff_t>(n * size);
    out.insert(out.end(), row, row + static_cast<std::ptrdiff_t>(n + 1));
  }
  return out;
}

Json to_json(const AceBond& bond, std::uint8_t a, std::uint8_t b) {
  Json json{{"pair", pair_text(a, b)},
            {"radial", radial_name(bond.family)},
            {"lambda", bond.lambda},
            {"cutoff", bond.cutoff},
            {"cutoff_width", bond.cutoff_width},
            {"inner_cutoff", bond.inner_cutoff},
            {"inner_width", bond.inner_width},
            {"size", bond.size}};
  if (!bond.transform.empty()) {
    json["transform"] = lower_triangle(bond);
  }
  return json;
}

std::string to_text(const AceMultiset& multiset, const std::vector<std::uint8_t>& elements) {
  std::string out;
  for (const AceLabel& label : multiset.labels) {
    out +=
        fmt::format("{}{}({},{})", out.empty() ? "" : " ", element_symbol(elements[label.element]), label.n, label.l);
  }
  return out;
}

// ---- reading ------------------------------------------------------------------------------------------------------

std::vector<double> full_matrix(const std::vector<double>& triangle, std::size_t size) {
  std::vector<double> out(size * size, 0.0);
  std::size_t next = 0;
  for (std::size_t n = 0; n < size; ++n) {
    for (std::size_t k = 0; k <= n; ++k) {
      out[n * size + k] = triangle[next++];
    }
  }
  return out;
}

void read_transform(JsonReader& reader, AceBond& bond) {
  const std::int64_t wanted = std::int64_t{bond.size} * (bond.size + 1) / 2;
  const std::vector<double> triangle = reader.numbers("transform", wanted);
  if (static_cast<std::int64_t>(triangle.size()) != wanted) {
    reader.complain(fmt::format("\"transform\" has {} numbers, expected the {} of a lower triangle of {} rows",
                                triangle.size(), wanted, bond.size));
    return;
  }
  bond.transform = full_matrix(triangle, static_cast<std::size_t>(bond.size));
  for (std::size_t n = 0, size = static_cast<std::size_t>(bond.size); n < size; ++n) {
    if (!(bond.transform[n * size + n] > 0.0)) {
      reader.complain(fmt::format("row {} of \"transform\" ends with {}, expected a number above 0", n + 1,
                                  bond.transform[n * size + n]));
      return;
    }
  }
}

AceBond read_bond(const Json& json, std::uint8_t a, std::uint8_t b, const std::string& where,
                  std::vector<Error>& errors) {
  JsonReader reader(json, where, errors);
  reader.allow(
      {"pair", "radial", "lambda", "cutoff", "cutoff_width", "inner_cutoff", "inner_width", "size", "transform"});
  if (reader.text("pair") != pair_text(a, b)) {
    reader.complain(fmt::format("\"pair\" must be \"{}\": pairs stand in the order of the elements", pair_text(a, b)));
  }
  AceBond bond;
  const std::string radial = reader.text("radial");
  const auto* family = std::ranges::find(kRadialNames, radial, &decltype(kRadialNames)::value_type::first);
  if (family == kRadialNames.end()) {
    reader.complain("\"radial\" is none of the families \"SBessel\", \"ChebExpCos\" and \"ChebPow\"");
  } else {
    bond.family = family->second;
  }
  bond.lambda = reader.number("lambda", 0.0, kLargestLambda);
  bond.cutoff = reader.number("cutoff", kSmallestCutoff, kLargestCutoff);
  bond.cutoff_width = reader.number("cutoff_width", 0.0, kLargestCutoff);
  bond.inner_cutoff = reader.number("inner_cutoff", 0.0, kLargestCutoff);
  bond.inner_width = reader.number("inner_width", 0.0, kLargestCutoff);
  if (errors.empty()) {
    for (const Error& wrong : check_bond(bond)) {
      reader.complain(wrong.what);
    }
  }
  bond.size = static_cast<std::int32_t>(reader.integer("size", 1, AceSpec::kLargestN));
  if (reader.has("transform")) {
    read_transform(reader, bond);
  }
  return bond;
}

void read_bonds(JsonReader& reader, const std::string& where, std::vector<Error>& errors, AceSpec& spec) {
  const std::size_t elements = spec.elements.size();
  const std::size_t pairs = elements * (elements + 1) / 2;
  const Json* bonds = reader.array("bonds", static_cast<std::int64_t>(pairs));
  if (bonds == nullptr) {
    return;
  }
  if (bonds->size() != pairs) {
    reader.complain(fmt::format("{} bonds, expected {}, one for each pair of elements", bonds->size(), pairs));
    return;
  }
  for (std::size_t a = 0; a < elements; ++a) {
    for (std::size_t b = a; b < elements; ++b) {
      const std::size_t i = spec.bond_index(a, b);
      spec.bonds.push_back(
          read_bond((*bonds)[i], spec.elements[a], spec.elements[b], fmt::format("{}: bonds[{}]", where, i), errors));
    }
  }
}

/// Reads "In(1,0) P(2,1)" from the front, piece by piece; a piece that is not there makes it bad for good.
class FunctionText {
 public:
  FunctionText(std::string_view text, const std::vector<std::uint8_t>& elements) : rest_(text), elements_(elements) {}

  /// The factors; nothing where the text is no function of these elements.
  std::optional<std::vector<AceLabel>> labels() {
    std::vector<AceLabel> out;
    do {
      const std::uint8_t element = symbol();
      skip('(');
      const std::uint8_t n = number(1, AceSpec::kLargestN);
      skip(',');
      const std::uint8_t l = number(0, AceSpec::kLargestDegree);
      skip(')');
      out.push_back({l, element, n});
    } while (good_ && !rest_.empty() && skip(' ') && out.size() < AceSpec::kLargestRank);
    return good_ && rest_.empty() ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  bool skip(char expected) {
    good_ = good_ && !rest_.empty() && rest_.front() == expected;
    rest_.remove_prefix(good_ ? 1 : 0);
    return good_;
  }

  std::uint8_t symbol() {
    const std::string_view word = rest_.substr(0, rest_.find('('));
    const auto found = std::ranges::find(elements_, word, element_symbol);
    good_ = good_ && found != elements_.end();
    rest_.remove_prefix(good_ ? word.size() : 0);
    return good_ ? static_cast<std::uint8_t>(found - elements_.begin()) : std::uint8_t{0};
  }

  std::uint8_t number(int least, int most) {
    int value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    good_ = good_ && problem == std::errc() && value >= least && value <= most;
    rest_.remove_prefix(good_ ? static_cast<std::size_t>(end - rest_.data()) : 0);
    return static_cast<std::uint8_t>(good_ ? value : 0);
  }

  std::string_view rest_;
  const std::vector<std::uint8_t>& elements_;
  bool good_ = true;
};

/// Takes the functions of a basis one after the other and checks each against the ones before.
class FunctionList {
 public:
  explicit FunctionList(AceSpec& spec) : spec_(spec) {}

  /// What is wrong with the function, if anything.
  std::optional<std::string> add(AceMultiset multiset) {
    for (const AceLabel& label : multiset.labels) {
      if (const std::int32_t size = spec_.bonds[spec_.bond_index(multiset.centre, label.element)].size;
          label.n > size) {
        return fmt::format("has n = {}, but this bond has {} radial functions", label.n, size);
      }
    }
    if (!std::ranges::is_sorted(multiset.labels)) {
      return "does not have its factors in ascending order of l, element and n";
    }
    if (!spec_.multisets.empty() && column_order(spec_.multisets.back(), multiset) >= 0) {
      return "does not come after the one before in the order of the columns";
    }
    look_at(multiset);
    if (couplings_ < 1) {
      return "has no invariant coupling";
    }
    columns_ += couplings_;
    if (columns_ > kMostColumns) {
      return fmt::format("is too much: up to here there are {} columns, expected at most {}", columns_, kMostColumns);
    }
    if (weights_ > kMostCouplingWeights) {
      return fmt::format("is too much: up to here the couplings have {:.1g} coefficients, expected at most {:.1g}",
                         weights_, kMostCouplingWeights);
    }
    spec_.multisets.push_back(std::move(multiset));
    return std::nullopt;
  }

 private:
  // Functions of one shape stand together, so the last shape is all that is worth remembering.
  void look_at(const AceMultiset& multiset) {
    if (AceShape shape = shape_of(multiset); shape != shape_) {
      couplings_ = coupling_count(shape);
      weights_ += coupling_weights(shape);
      shape_ = std::move(shape);
    }
  }

  AceSpec& spec_;
  AceShape shape_;              // of the function before
  std::int32_t couplings_ = 0;  // of this shape
  std::int64_t columns_ = 0;
  double weights_ = 0.0;
};

/// The functions around one element, up to the first that is wrong.
void read_centre(JsonReader& reader, std::uint8_t centre, AceSpec& spec, FunctionList& list) {
  const std::string symbol(element_symbol(spec.elements[centre]));
  const Json* functions = reader.array(symbol.c_str(), kMostColumns);
  if (functions == nullptr) {
    return;
  }
  for (std::size_t i = 0; i < functions->size(); ++i) {
    const Json& entry = (*functions)[i];
    std::optional<std::vector<AceLabel>> labels =
        entry.is_string() ? FunctionText(entry.get_ref<const std::string&>(), spec.elements).labels() : std::nullopt;
    if (!labels) {
      reader.complain(fmt::format("entry {} of \"{}\" is {}, expected 1 to {} factors as in \"{}(1,0) {}(2,0)\"", i + 1,
                                  symbol, shown(entry), AceSpec::kLargestRank, symbol, symbol));
      return;
    }
    if (const auto wrong = list.add({centre, std::move(*labels)})) {
      reader.complain(fmt::format("entry {} of \"{}\", {}, {}", i + 1, symbol, shown(entry), *wrong));
      return;
    }
  }
}

void read_functions(JsonReader& reader, const std::string& where, std::vector<Error>& errors, AceSpec& spec) {
  const Json* functions = reader.object("functions");
  if (functions == nullptr) {
    return;
  }
  JsonReader by_centre(*functions, where + ": functions", errors);
  if (functions->size() != spec.elements.size()) {
    by_centre.complain(
        fmt::format("{} keys, expected one for each of the {} elements", functions->size(), spec.elements.size()));
    return;
  }
  FunctionList list(spec);
  for (std::size_t centre = 0; centre < spec.elements.size(); ++centre) {
    read_centre(by_centre, static_cast<std::uint8_t>(centre), spec, list);
  }
  if (errors.empty() && spec.multisets.empty()) {
    by_centre.complain("no function at all, expected at least one");
  }
}

}  // namespace

Json ace_to_json(const AceSpec& spec) {
  Json bonds = Json::array();
  Json functions = Json::object();
  for (std::size_t a = 0; a < spec.elements.size(); ++a) {
    for (std::size_t b = a; b < spec.elements.size(); ++b) {
      bonds.push_back(to_json(spec.bonds[spec.bond_index(a, b)], spec.elements[a], spec.elements[b]));
    }
    functions[std::string(element_symbol(spec.elements[a]))] = Json::array();
  }
  for (const AceMultiset& multiset : spec.multisets) {
    functions[std::string(element_symbol(spec.elements[multiset.centre]))].push_back(to_text(multiset, spec.elements));
  }
  return {{"kind", "ace"},
          {"elements", elements_json(spec.elements)},
          {"bonds", std::move(bonds)},
          {"functions", std::move(functions)},
          {"columns", columns_hash(spec)}};
}

AceSpec read_ace(const Json& json, const std::string& where, std::vector<Error>& errors) {
  JsonReader reader(json, where, errors);
  reader.allow({"kind", "elements", "bonds", "functions", "columns"});
  AceSpec spec;
  spec.elements = reader.elements("elements");
  if (!errors.empty()) {
    return spec;
  }
  read_bonds(reader, where, errors, spec);
  if (!errors.empty()) {
    return spec;
  }
  read_functions(reader, where, errors, spec);
  const std::string hash = reader.text("columns");
  if (errors.empty() && hash != columns_hash(spec)) {
    reader.complain("\"columns\" does not belong to these functions, or another version of ipfit orders them otherwise",
                    "use the version of ipfit that wrote the file");
  }
  return spec;
}

}  // namespace ipfit
