#include "common/fit/fit_file.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "common/atoms/element.h"
#include "common/file_system.h"
#include "common/fit/ace_keys.h"
#include "common/fit/fit_keys.h"
#include "common/fit/nearest.h"
#include "common/fit/solver_keys.h"

namespace ipfit {
namespace {

// No element binds stronger: total energies with all electrons stay below 2e6 eV.
constexpr double kLargestOneBody = 1e7;

// ---- mistakes and where they are ----------------------------------------------------------------------------------

struct Mistake {
  toml::source_position at;  // line 0: the file as a whole
  Error error;
};

class Mistakes {
 public:
  explicit Mistakes(const std::string& file) : file_(file) {}

  void add(toml::source_position at, std::string what, std::string remedy = {}) {
    const std::string where = at.line == 0 ? file_ : fmt::format("{}:{}:{}", file_, at.line, at.column);
    found_.push_back({at, {ErrorKind::kInput, where, std::move(what), std::move(remedy)}});
  }
  std::size_t count() const { return found_.size(); }

  std::vector<Error> in_file_order() {
    std::stable_sort(found_.begin(), found_.end(), [](const Mistake& a, const Mistake& b) { return a.at < b.at; });
    std::vector<Error> errors;
    for (Mistake& mistake : found_) {
      errors.push_back(std::move(mistake.error));
    }
    return errors;
  }

 private:
  const std::string& file_;
  std::vector<Mistake> found_;
};

toml::source_position place(const toml::node& node) {
  return node.source().begin;
}

// ---- words --------------------------------------------------------------------------------------------------------

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// Text of a person's file for a message: not longer than a line, cut between characters.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) {
    return std::string(text);
  }
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return std::string(text.substr(0, end)) + "…";
}

/// A key of a person's file for a message.
std::string key_in_words(const toml::key& key) {
  return toml_key(shortened(key.str()));
}

std::string found_in_words(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return node.as_array()->empty() ? "an empty list" : "a list";
    case toml::node_type::string:
      return toml_quoted(shortened(node.as_string()->get()));
    case toml::node_type::integer:
      return std::to_string(node.as_integer()->get());
    case toml::node_type::floating_point:
      return toml_number(node.as_floating_point()->get());
    case toml::node_type::boolean:
      return node.as_boolean()->get() ? "true" : "false";
    default:
      return "a date or time";
  }
}

std::string expected_in_words(const FitKey& key, const Field& field) {
  const std::string type = type_in_words(field);
  const std::string article = type.starts_with('i')                                                 ? "an "
                              : type.starts_with('"') || type == "text" || type.starts_with("true") ? ""
                                                                                                    : "a ";
  return "expected " + article + type + (key.unit.empty() ? "" : fmt::format(" in {}", key.unit));
}

std::string listed(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// ---- values -------------------------------------------------------------------------------------------------------

/// Reads the value of one key into its field, or says what is wrong with it.
class ValueReader {
 public:
  ValueReader(const FitKey& key, const std::string& name, const Field& field, const toml::node& node,
              Mistakes& mistakes)
      : key_(key), name_(name), field_(field), node_(node), mistakes_(mistakes) {}

  void read() const { std::visit(*this, field_); }

  void operator()(const PathsField& field) const {
    for_each_text([&](const toml::node& node, const std::string& path) {
      if (path.empty() || std::any_of(path.begin(), path.end(), is_control)) {
        wrong(node, "expected the path of a file");
      } else if (std::count(field.value->begin(), field.value->end(), path) > 0) {
        mistakes_.add(place(node), fmt::format("{} names {} twice", name_, toml_quoted(shortened(path))),
                      "remove one of them");
      } else {
        field.value->push_back(path);
      }
    });
  }

  void operator()(const LabelKeyField& field) const {
    const auto* text = node_.as_string();
    if (text == nullptr) {
      return wrong(node_, expected_in_words(key_, field_));
    }
    const std::string& word = text->get();
    const bool breaks =
        std::any_of(word.begin(), word.end(), [](char c) { return is_control(c) || c == ' ' || c == '=' || c == '"'; });
    if (breaks || (word.empty() && !field.may_be_empty)) {
      return wrong(node_, "expected a key of the extended-XYZ files, without spaces, quotes and =");
    }
    *field.value = word;
  }

  void operator()(const NumberField& field) const {
    const std::optional<double> number = as_number(node_);
    const bool inside = number && std::isfinite(*number) && *number <= field.high &&
                        (field.low_excluded ? *number > field.low : *number >= field.low);
    if (!inside) {
      return wrong(node_, expected_in_words(key_, field_), what_to_do());
    }
    *field.value = *number;
  }

  void operator()(const IntegerField& field) const {
    const auto* integer = node_.as_integer();
    if (integer == nullptr || integer->get() < field.low || integer->get() > field.high) {
      return wrong(node_, expected_in_words(key_, field_), what_to_do());
    }
    *field.value = static_cast<int>(integer->get());
  }

  void operator()(const FlagField& field) const {
    const auto* flag = node_.as_boolean();
    if (flag == nullptr) {
      return wrong(node_, expected_in_words(key_, field_), "write it without quotes");
    }
    *field.value = flag->get();
  }

  void operator()(const RankNumbersField& field) const {
    const auto take = [&](const toml::node& node) {
      const std::optional<double> number = as_number(node);
      if (!number || !(*number >= field.low && *number <= field.high)) {
        return wrong(node, fmt::format("expected a number from {} to {}", field.low, field.high), what_to_do());
      }
      field.value->push_back(*number);
    };
    if (!node_.is_array()) {
      return take(node_);
    }
    for_each_rank(false, take);
  }

  void operator()(const RankIntegersField& field) const {
    for_each_rank(field.may_be_empty, [&](const toml::node& node) {
      const auto* integer = node.as_integer();
      if (integer == nullptr || integer->get() < field.low || integer->get() > field.high) {
        return wrong(node, fmt::format("expected an integer from {} to {}", field.low, field.high));
      }
      field.value->push_back(static_cast<int>(integer->get()));
    });
  }

  void operator()(const PairNumbersField& field) const {
    const toml::table* table = node_.as_table();
    if (table == nullptr) {
      return wrong(node_, expected_in_words(key_, field_), "a table is written as in { In-P = 5.0 }");
    }
    for (const auto& [pair, node] : *table) {
      const std::string full = fmt::format("{}.{}", name_, key_in_words(pair));
      const std::optional<std::pair<std::uint8_t, std::uint8_t>> elements = as_pair(pair.str());
      const std::optional<double> number = as_number(node);
      if (!elements) {
        mistakes_.add(pair.source().begin, fmt::format("{}: expected the symbols of two elements", full),
                      "write it as in In-P = 5.0");
      } else if (!number || !(*number > field.low && *number <= field.high)) {
        mistakes_.add(place(node), fmt::format("{} = {}, expected a number > {} and <= {} in {}", full,
                                               found_in_words(node), field.low, field.high, key_.unit));
      } else if (!field.value->emplace(*elements, *number).second) {
        mistakes_.add(pair.source().begin, fmt::format("{}: this pair is named twice", full), "remove one of them");
      }
    }
  }

  void operator()(const ElementsField& field) const {
    for_each_text([&](const toml::node& node, const std::string& symbol) {
      const std::optional<std::uint8_t> element = atomic_number(symbol);
      if (!element) {
        wrong(node, "expected the symbol of an element", R"(write it as in "Si")");
      } else if (std::count(field.value->begin(), field.value->end(), *element) > 0) {
        mistakes_.add(place(node), fmt::format("{} names {} twice", name_, symbol), "remove one of them");
      } else {
        field.value->push_back(*element);
      }
    });
  }

  void operator()(const OneBodyField& field) const {
    if (const toml::table* table = node_.as_table()) {
      return read_energies(*table, *field.value);
    }
    const std::optional<std::string_view> rule = node_.value<std::string_view>();
    if (rule == "isolated_atom") {
      field.value->one_body = OneBodyRule::kIsolatedAtom;
    } else if (rule == "fit") {
      field.value->one_body = OneBodyRule::kFit;
    } else if (rule == "none") {
      field.value->one_body = OneBodyRule::kNone;
    } else {
      wrong(node_, expected_in_words(key_, field_), "a table is written as in { Si = -0.80 }");
    }
  }

  void operator()(const BasisKindField& field) const {
    const std::optional<std::string_view> kind = node_.value<std::string_view>();
    if (kind != kAceBasis && kind != kPairBasis) {
      return wrong(node_, expected_in_words(key_, field_));
    }
    *field.value = default_fit_spec(*kind).basis;
  }

  template <class N>
  void operator()(const StrengthField<N>& field) const {
    const std::optional<std::string_view> found = node_.value<std::string_view>();
    for (const auto& [word, rule] : field.words) {
      if (found == word) {
        *field.rule = rule;
        return;
      }
    }
    const std::optional<double> number = as_number(node_);
    const bool whole = std::is_same_v<N, double> || node_.is_integer();
    if (!number || !whole || !std::isfinite(*number) || !(*number >= field.low && *number <= field.high)) {
      return wrong(node_, expected_in_words(key_, field_), what_to_do());
    }
    *field.value = static_cast<N>(*number);
  }

  void operator()(const PriorField& field) const {
    const toml::table* table = node_.as_table();
    if (table == nullptr) {
      return wrong(node_, expected_in_words(key_, field_), R"(write it as in { kind = "algebraic", power = 4 })");
    }
    const toml::node* kind = table->get("kind");
    const std::optional<std::string_view> word = kind != nullptr ? kind->value<std::string_view>() : std::nullopt;
    const auto named =
        std::find_if(kPriorKinds.begin(), kPriorKinds.end(), [&](const auto& entry) { return word == entry.first; });
    if (named == kPriorKinds.end()) {
      mistakes_.add(place(kind != nullptr ? *kind : node_),
                    fmt::format("{}.kind is {}, expected \"none\", \"algebraic\", \"exponential\" or \"gaussian\"",
                                name_, kind != nullptr ? found_in_words(*kind) : "missing"));
      return;
    }
    *field.value = default_prior(named->second);
    read_prior_numbers(*table, *field.value);
  }

  template <class E>
  void operator()(const ChoiceField<E>& field) const {
    const std::optional<std::string_view> found = node_.value<std::string_view>();
    for (const auto& [word, value] : field.choices) {
      if (found == word) {
        *field.value = value;
        return;
      }
    }
    wrong(node_, expected_in_words(key_, field_));
  }

 private:
  static std::optional<double> as_number(const toml::node& node) {
    return node.is_number() ? node.value<double>() : std::nullopt;
  }

  /// Two elements, the lighter one first: "P-In" is 15, 49.
  static std::optional<std::pair<std::uint8_t, std::uint8_t>> as_pair(std::string_view text) {
    const std::size_t dash = std::min(text.find('-'), text.size());
    const std::optional<std::uint8_t> a = atomic_number(text.substr(0, dash));
    const std::optional<std::uint8_t> b = atomic_number(text.substr(std::min(dash + 1, text.size())));
    return a && b ? std::optional(std::pair(std::min(*a, *b), std::max(*a, *b))) : std::nullopt;
  }

  void wrong(const toml::node& node, const std::string& expected, std::string remedy = {}) const {
    mistakes_.add(place(node), fmt::format("{} = {}, {}", name_, found_in_words(node), expected), std::move(remedy));
  }

  std::string what_to_do() const {
    if (node_.is_string()) {
      return "write the number without quotes";
    }
    return key_.usual.empty() ? "" : fmt::format("{} is usual", key_.usual);
  }

  /// Calls use(node, text) for each text of a list.
  template <class Use>
  void for_each_text(Use use) const {
    const toml::array* list = node_.as_array();
    if (list == nullptr) {
      return wrong(node_, expected_in_words(key_, field_), "a list is written as in [\"one\", \"two\"]");
    }
    for (const toml::node& node : *list) {
      if (const auto* text = node.as_string()) {
        use(node, text->get());
      } else {
        wrong(node, expected_in_words(key_, field_), "each entry is a text in quotes");
      }
    }
  }

  /// Calls take(node) for each entry of a list with at most an entry for each rank.
  template <class Take>
  void for_each_rank(bool may_be_empty, Take take) const {
    const toml::array* list = node_.as_array();
    if (list == nullptr) {
      return wrong(node_, expected_in_words(key_, field_), "a list is written as in [8, 4, 2]");
    }
    if (list->size() > AceSpec::kLargestRank || (list->empty() && !may_be_empty)) {
      mistakes_.add(place(*list), fmt::format("{} has {} entries, expected 1 to {}, one for each rank", name_,
                                              list->size(), AceSpec::kLargestRank));
      return;
    }
    for (const toml::node& node : *list) {
      take(node);
    }
  }

  void read_prior_numbers(const toml::table& table, PriorSpec& prior) const {
    for (const auto& [name, node] : table) {
      const bool any = prior.kind != PriorKind::kNone;
      const bool algebraic = prior.kind == PriorKind::kAlgebraic;
      double* number = name == "wl" && any            ? &prior.wl
                       : name == "wn" && any          ? &prior.wn
                       : name == "power" && algebraic ? &prior.power
                                                      : nullptr;
      const std::string full = fmt::format("{}.{}", name_, key_in_words(name));
      const std::optional<double> value = as_number(node);
      if (number == nullptr && name != "kind") {
        mistakes_.add(name.source().begin, fmt::format("unknown key {} in a prior of this kind", full),
                      "\"algebraic\" has power, wl and wn; \"exponential\" and \"gaussian\" have wl and wn");
      } else if (number != nullptr && !(value && *value >= 0.01 && *value <= 100.0)) {
        mistakes_.add(place(node),
                      fmt::format("{} = {}, expected a number from 0.01 to 100", full, found_in_words(node)));
      } else if (number != nullptr) {
        *number = *value;
      }
    }
  }

  void read_energies(const toml::table& table, ReferenceSpec& reference) const {
    reference.one_body = OneBodyRule::kGiven;
    if (table.empty()) {
      mistakes_.add(place(table), name_ + " has no element, expected an energy for each",
                    "write one_body = \"none\" if zero is meant");
    }
    for (const auto& [symbol, node] : table) {
      const std::string full = fmt::format("{}.{}", name_, key_in_words(symbol));
      const std::optional<std::uint8_t> element = atomic_number(symbol.str());
      const std::optional<double> energy = as_number(node);
      if (!element) {
        mistakes_.add(symbol.source().begin, fmt::format("{}: expected the symbol of an element", full),
                      "write it as in Si = -0.80");
      } else if (!energy || !(std::abs(*energy) <= kLargestOneBody)) {
        mistakes_.add(place(node), fmt::format("{} = {}, expected an energy in eV per atom, at most {} in size", full,
                                               found_in_words(node), kLargestOneBody));
      } else {
        reference.energies[*element] = *energy;
      }
    }
  }

  const FitKey& key_;
  const std::string& name_;  // in full: "weights.liquid.energy"
  const Field& field_;
  const toml::node& node_;
  Mistakes& mistakes_;
};

// ---- sections -----------------------------------------------------------------------------------------------------

/// The section names that a fit file may have, "weights" for all of its own; only `part` where that is not empty.
std::vector<std::string_view> section_names(std::string_view part) {
  std::vector<std::string_view> names;
  for (const FitKey& key : fit_keys()) {
    const std::string_view first = key.section.substr(0, key.section.find('.'));
    if ((part.empty() || first == part) && (names.empty() || names.back() != first)) {
      names.push_back(first);
    }
  }
  return names;
}

/// The keys of a section, in [basis] those of one kind.
std::vector<std::string_view> key_names(std::string_view section, std::string_view kind) {
  std::vector<std::string_view> names;
  for (const FitKey& key : fit_keys()) {
    if (key.section == section && (key.kind.empty() || key.kind == kind)) {
      names.push_back(key.name);
    }
  }
  return names;
}

/// The kind of basis, other than `kind`, that has a key of this name.
std::optional<std::string_view> other_kind_with(std::string_view name, std::string_view section,
                                                std::string_view kind) {
  for (const FitKey& key : fit_keys()) {
    if (key.section == section && key.name == name && !key.kind.empty() && key.kind != kind) {
      return key.kind;
    }
  }
  return std::nullopt;
}

/// The first section that has a key of this name.
std::optional<std::string_view> section_of(std::string_view name) {
  for (const FitKey& key : fit_keys()) {
    if (key.name == name) {
      return key.section;
    }
  }
  return std::nullopt;
}

class FitFileReader {
 public:
  /// `part`: the only section there may be; empty for a whole fit file.
  FitFileReader(const toml::table& root, const std::string& where, std::string_view part)
      : root_(root), part_(part), mistakes_(where) {}

  Result<FitSpec> read() {
    read_root();
    if (part_.empty()) {
      check_training_data();
    }
    check_validation();
    check_label_keys();
    check_one_body();
    check_zbl();
    check_solver();
    check_weights();
    if (mistakes_.count() > 0) {
      return mistakes_.in_file_order();
    }
    return spec_;
  }

 private:
  void read_root() {
    const std::vector<std::string_view> sections = section_names(part_);
    for (const auto& [name, node] : root_) {
      if (std::count(sections.begin(), sections.end(), name.str()) == 0) {
        unknown_section(name, sections);
      } else if (const toml::table* table = node.as_table(); table == nullptr) {
        mistakes_.add(place(node), fmt::format("{} = {}, expected a section", name.str(), found_in_words(node)),
                      fmt::format("write [{}] in a line of its own, its keys below", name.str()));
      } else if (name.str() == "weights") {
        read_weights(*table);
      } else {
        read_section(*table, name.str(), std::string(name.str()), "");
      }
    }
  }

  void read_weights(const toml::table& weights) {
    if (const toml::table* fallback = weights["default"].as_table()) {
      read_section(*fallback, "weights.default", "weights.default", "");
      settle_sigmas(*fallback, "weights.default", spec_.weights.fallback);
    }
    for (const auto& [name, node] : weights) {
      const std::string group(name.str());
      if (group.empty() || std::any_of(group.begin(), group.end(), is_control)) {
        mistakes_.add(name.source().begin,
                      fmt::format("[weights.{}], expected the name of a group", key_in_words(name)));
      } else if (const toml::table* table = node.as_table(); table == nullptr) {
        mistakes_.add(name.source().begin,
                      fmt::format("weights.{} = {}, expected a section [weights.default] or [weights.NAME] of a group",
                                  key_in_words(name), found_in_words(node)),
                      "put weights for all groups under [weights.default]");
      } else if (group != "default") {
        spec_.weights.groups[group] = spec_.weights.fallback;
        read_section(*table, kGroupSection, "weights." + key_in_words(name), group);
        settle_sigmas(*table, "weights." + key_in_words(name), spec_.weights.groups[group]);
      }
    }
  }

  /// Of the weight and the sigma of a kind the one that is given counts; not given, what the default says.
  void settle_sigmas(const toml::table& table, const std::string& shown, GroupWeights& weights) {
    struct Pair {
      std::string_view kind;
      double& weight;
      double& sigma;
      double usual;
    };
    const GroupWeights fresh;
    for (const Pair& pair : {Pair{"energy", weights.energy, weights.energy_sigma, fresh.energy},
                             Pair{"forces", weights.forces, weights.forces_sigma, fresh.forces},
                             Pair{"virial", weights.virial, weights.virial_sigma, fresh.virial}}) {
      const toml::node* weight = table.get(pair.kind);
      const toml::node* sigma = table.get(fmt::format("{}_sigma", pair.kind));
      if (weight != nullptr && sigma != nullptr) {
        mistakes_.add(place(*sigma), fmt::format("{0}.{1} and {0}.{1}_sigma are both given", shown, pair.kind),
                      "remove one of them: the weight is 1/sigma");
      } else if (weight != nullptr) {
        pair.sigma = 0.0;
      } else if (sigma != nullptr) {
        pair.weight = pair.usual;
      }
    }
  }

  /// Reads the keys of one section. `shown` is its name in messages.
  void read_section(const toml::table& table, std::string_view section, const std::string& shown,
                    const std::string& group) {
    const std::size_t before = mistakes_.count();
    for (const FitKey& key : fit_keys()) {
      const toml::node* node = key.section == section ? table.get(key.name) : nullptr;
      const bool of_another_kind = !key.kind.empty() && key.kind != kind_of(spec_.basis);
      if (node == nullptr || of_another_kind) {
        continue;
      }
      const Field field = key.field(spec_, group);
      ValueReader(key, fmt::format("{}.{}", shown, key.name), field, *node, mistakes_).read();
      if (std::holds_alternative<BasisKindField>(field) && mistakes_.count() > before) {
        return;  // the keys of another kind of basis would all be reported as unknown
      }
    }
    const std::vector<std::string_view> names = key_names(section, kind_of(spec_.basis));
    for (const auto& [name, node] : table) {
      if (std::count(names.begin(), names.end(), name.str()) == 0) {
        unknown_key(name, section, shown, names);
      }
    }
    if (auto* rule = std::get_if<AceRule>(&spec_.basis); rule != nullptr && section == "basis") {
      check_ace(table, *rule, mistakes_.count() == before);
    }
  }

  /// `clean`: every value of the section is right by itself.
  void check_ace(const toml::table& table, AceRule& rule, bool clean) {
    GivenKeys given;
    for (const auto& [name, node] : table) {
      given.emplace(name.str(), static_cast<long>(place(node).line));
    }
    std::vector<KeyMistake> found = check_ace_keys(given);
    if (clean && found.empty()) {
      complete_ace_rule(rule, given, table["degree"].is_number());
      found = check_ace_values(rule, given);
    }
    for (KeyMistake& mistake : found) {
      mistakes_.add(place_of("basis", mistake.key), std::move(mistake.what), std::move(mistake.remedy));
    }
  }

  void unknown_section(const toml::key& name, std::span<const std::string_view> sections) {
    const std::optional<std::string_view> home = section_of(name.str());
    const std::optional<std::string_view> meant = nearest(name.str(), sections);
    const std::string remedy = !part_.empty()
                                   ? fmt::format("only [{}] may stand here; a whole fit file is given with --from",
                                                 part_ == "weights" ? "weights.NAME" : part_)
                               : home  ? fmt::format("{} belongs under [{}]", name.str(), *home)
                               : meant ? fmt::format("did you mean [{}]?", *meant)
                                       : fmt::format("the sections are {}", listed(sections));
    mistakes_.add(name.source().begin, fmt::format("unknown section or key {}", key_in_words(name)), remedy);
  }

  void unknown_key(const toml::key& name, std::string_view section, const std::string& shown,
                   std::span<const std::string_view> names) {
    const std::string_view kind = kind_of(spec_.basis);
    if (const std::optional<std::string_view> other = other_kind_with(name.str(), section, kind)) {
      mistakes_.add(name.source().begin,
                    fmt::format("{}.{} belongs to kind = \"{}\", but this basis has kind = \"{}\"", shown, name.str(),
                                *other, kind),
                    fmt::format("remove it, or write kind = \"{}\"", *other));
      return;
    }
    const std::optional<std::string_view> home = section_of(name.str());
    const std::optional<std::string_view> meant = nearest(name.str(), names);
    const std::string remedy = meant  ? fmt::format("did you mean {}?", *meant)
                               : home ? fmt::format("it belongs under [{}]", *home)
                                      : fmt::format("the keys of [{}] are {}", shown, listed(names));
    mistakes_.add(name.source().begin, fmt::format("unknown key {}.{}", shown, key_in_words(name)), remedy);
  }

  // Checks across keys. Each speaks only of values that are right by themselves.

  const toml::node* find(std::string_view section, std::string_view key) const { return root_[section][key].node(); }

  /// Where a key stands, or else its section, or else the file as a whole.
  toml::source_position place_of(std::string_view section, std::string_view key) const {
    const toml::node* node = find(section, key);
    node = node != nullptr ? node : root_.get(section);
    return node != nullptr ? place(*node) : toml::source_position{};
  }

  void check_training_data() {
    if (const toml::node* data = root_.get("data"); data != nullptr && !data->is_table()) {
      return;  // reported already
    }
    const toml::node* train = find("data", "train");
    const bool empty = train != nullptr && train->is_array() && train->as_array()->empty();
    if (train == nullptr || empty) {
      mistakes_.add(place_of("data", "train"),
                    fmt::format("data.train is {}, expected at least one file", empty ? "empty" : "missing"),
                    R"(name the training data as in train = ["si_train.xyz"] under [data])");
    }
  }

  void check_validation() {
    const toml::node* fraction = find("data", "validation_fraction");
    const bool split = spec_.data.validation_fraction > 0.0;
    if (split && !spec_.data.validation.empty()) {
      mistakes_.add(place(*fraction), "data.validation and data.validation_fraction are both given",
                    "remove one of them");
    }
    if (!split && find("data", "validation_seed") != nullptr) {
      mistakes_.add(place_of("data", "validation_seed"),
                    "data.validation_seed is given, but no share of the training data is kept for validation",
                    "remove it, or write validation_fraction = 0.1");
    }
  }

  void check_label_keys() {
    const LabelKeys& keys = spec_.data.keys;
    const std::pair<std::string_view, const std::string&> labels[] = {{"energy_key", keys.energy},
                                                                      {"forces_key", keys.forces},
                                                                      {"virial_key", keys.virial},
                                                                      {"stress_key", keys.stress},
                                                                      {"group_key", keys.group}};
    std::map<std::string_view, std::string_view> taken;
    for (const auto& [name, key] : labels) {
      const auto [other, fresh] = taken.emplace(key, name);
      if (!key.empty() && !fresh) {
        mistakes_.add(place_of("data", name),
                      fmt::format("data.{} and data.{} are both \"{}\"", other->second, name, shortened(key)),
                      "one key of the data is one label");
      }
    }
  }

  void check_one_body() {
    const std::vector<std::uint8_t>& elements = elements_of(std::as_const(spec_.basis));
    const std::map<std::uint8_t, double>& energies = spec_.reference.energies;
    const toml::array* named = root_["basis"]["elements"].as_array();
    const toml::table* given = root_["reference"]["one_body"].as_table();
    if (named == nullptr || given == nullptr || named->size() != elements.size() || given->size() != energies.size() ||
        elements.empty() || energies.empty()) {
      return;
    }
    for (const std::uint8_t element : elements) {
      if (!energies.contains(element)) {
        mistakes_.add(
            place_of("reference", "one_body"),
            fmt::format("reference.one_body has no energy for {}, which basis.elements names", element_symbol(element)),
            fmt::format("add {} = its energy in eV per atom", element_symbol(element)));
      }
    }
    for (const auto& [element, energy] : energies) {
      if (std::count(elements.begin(), elements.end(), element) == 0) {
        mistakes_.add(place_of("reference", "one_body"),
                      fmt::format("reference.one_body has an energy for {}, which basis.elements does not name",
                                  element_symbol(element)),
                      "remove it, or add the element");
      }
    }
  }

  void check_zbl() {
    const ReferenceSpec& reference = spec_.reference;
    for (const std::string_view end : {"zbl_inner", "zbl_outer"}) {
      if (!reference.zbl && find("reference", end) != nullptr) {
        mistakes_.add(place_of("reference", end), fmt::format("reference.{} is given, but there is no repulsion", end),
                      "remove it, or write zbl = true");
      }
    }
    if (reference.zbl && reference.zbl_outer > 0.0 && reference.zbl_inner >= reference.zbl_outer) {
      mistakes_.add(place_of("reference", "zbl_inner"),
                    fmt::format("reference.zbl_inner = {}, expected less than zbl_outer = {}",
                                toml_number(reference.zbl_inner), toml_number(reference.zbl_outer)),
                    "half of zbl_outer is usual");
    }
  }

  void check_solver() {
    if (find("solver", "prior") == nullptr) {
      spec_.solver.prior = default_prior(spec_.solver.kind);
    }
    const toml::table* table = root_["solver"].as_table();
    const std::string_view kind = root_["solver"]["kind"].value_or(word_of(kSolverKinds, spec_.solver.kind));
    if (table == nullptr || kind != word_of(kSolverKinds, spec_.solver.kind)) {
      return;  // reported already
    }
    GivenKeys given;
    for (const auto& [name, node] : *table) {
      given.emplace(name.str(), static_cast<long>(place(node).line));
    }
    for (KeyMistake& mistake : check_solver_keys(spec_.solver, given)) {
      mistakes_.add(place_of("solver", mistake.key), std::move(mistake.what), std::move(mistake.remedy));
    }
  }

  void check_weights() {
    const auto is_zero = [](const GroupWeights& weights) { return weights == GroupWeights{0.0, 0.0, 0.0}; };
    const auto& groups = spec_.weights.groups;
    if (is_zero(spec_.weights.fallback) &&
        std::all_of(groups.begin(), groups.end(), [&](const auto& group) { return is_zero(group.second); })) {
      mistakes_.add(place_of("weights", "default"), "all weights are 0, expected at least one above", "raise one");
    }
  }

  const toml::table& root_;
  std::string_view part_;
  FitSpec spec_ = default_fit_spec();
  Mistakes mistakes_;
};

Result<FitSpec> read_part(std::string_view text, const std::string& where, std::string_view part) {
  if (text.size() > kLargestFitFile) {
    return Error{ErrorKind::kInput, where, fmt::format("{} bytes, expected at most {}", text.size(), kLargestFitFile),
                 "a fit file names the data files, it does not hold data"};
  }
  if (const std::ptrdiff_t dots = std::count(text.begin(), text.end(), '.'); dots > kMostDots) {
    return Error{ErrorKind::kInput, where, fmt::format("{} dots, expected at most {}", dots, kMostDots),
                 "put the structures of many small files into fewer files"};
  }
  try {
    return FitFileReader(toml::parse(text), where, part).read();
  } catch (const toml::parse_error& problem) {
    const toml::source_position at = problem.source().begin;
    return Error{ErrorKind::kInput, fmt::format("{}:{}:{}", where, at.line, at.column),
                 fmt::format("not valid TOML: {}", problem.description()),
                 R"(texts stand in quotes, as in kind = "qr", lists in brackets, as in train = ["si.xyz"])"};
  }
}

}  // namespace

Result<FitSpec> read_fit_file(std::string_view text, const std::string& where) {
  return read_part(text, where, "");
}

Result<WeightsSpec> read_weights(std::string_view text, const std::string& where) {
  auto spec = read_part(text, where, "weights");
  return spec ? Result<WeightsSpec>(std::move(spec->weights)) : spec.errors();
}

Result<SolverSpec> read_solver(std::string_view text, const std::string& where) {
  auto spec = read_part(text, where, "solver");
  return spec ? Result<SolverSpec>(spec->solver) : spec.errors();
}

Result<FitSpec> load_fit_file(const std::string& path) {
  const auto text = read_file(path, kLargestFitFile);
  return text ? read_fit_file(*text, path) : Result<FitSpec>(text.errors());
}

}  // namespace ipfit
