#include "common/model/model.h"

#include <fmt/format.h>

#include "common/atoms/element.h"
#include "common/json.h"
#include "common/json_seal.h"
#include "common/model/ace/ace_json.h"
#include "common/model/json_reader.h"
#include "common/model/limits.h"

namespace ipfit {
namespace {

constexpr const char* kFormat = "ipfit potential";
constexpr int kVersion = 1;

constexpr std::int64_t kMostPairFunctions = 1000;
constexpr double kLargestEnergy = 1e9;  // eV per atom

Json to_json(const AceSpec& spec) {
  return ace_to_json(spec);
}

Json to_json(const PairSpec& spec) {
  return {{"kind", "pair"}, {"elements", elements_json(spec.elements)}, {"cutoff", spec.cutoff}, {"size", spec.size}};
}

PairSpec read_pair(const Json& json, const std::string& where, std::vector<Error>& errors) {
  JsonReader reader(json, where, errors);
  reader.allow({"kind", "elements", "cutoff", "size"});
  PairSpec spec;
  spec.elements = reader.elements("elements");
  spec.cutoff = reader.number("cutoff", kSmallestCutoff, kLargestCutoff);
  spec.size = static_cast<int>(reader.integer("size", 1, kMostPairFunctions));
  return spec;
}

BasisSpec read_basis(const Json& json, const std::string& where, std::vector<Error>& errors) {
  JsonReader reader(json, where, errors);
  const std::size_t before = errors.size();
  const std::string kind = reader.text("kind");
  if (kind == "pair") {
    return read_pair(json, where, errors);
  }
  if (kind == "ace") {
    return read_ace(json, where, errors);
  }
  if (errors.size() == before) {
    reader.complain(fmt::format("\"kind\" is {}, which this version does not know; it knows \"ace\" and \"pair\"",
                                shown(Json(kind))),
                    "use a version of ipfit that has this basis");
  }
  return PairSpec{};
}

std::map<std::uint8_t, double> read_one_body(const Json& json, const std::string& where, std::vector<Error>& errors) {
  std::map<std::uint8_t, double> energies;
  JsonReader reader(json, where, errors);
  for (const auto& item : json.items()) {
    const std::uint8_t element = reader.element(item.key());
    const double energy = reader.number(item.key().c_str(), -kLargestEnergy, kLargestEnergy);
    energies.emplace(element, energy);
  }
  return energies;
}

Zbl read_zbl(const Json& json, const std::string& where, std::vector<Error>& errors) {
  JsonReader reader(json, where, errors);
  reader.allow({"inner", "outer"});
  const Zbl zbl{reader.number("inner", kSmallestRepulsion, kLargestRepulsion),
                reader.number("outer", kSmallestRepulsion, kLargestRepulsion)};
  if (zbl.inner > 0.0 && zbl.outer > 0.0 && zbl.inner >= zbl.outer) {
    reader.complain(fmt::format("\"inner\" is {}, expected less than \"outer\", which is {}", zbl.inner, zbl.outer));
  }
  return zbl;
}

void read_coefficients(JsonReader& reader, Model& model) {
  const std::int64_t columns = column_count(model.basis);
  if (columns > kMostColumns) {
    reader.complain(fmt::format("the basis has {} columns, expected at most {}", columns, kMostColumns));
  }
  if (!reader.has("coefficients")) {
    return;
  }
  model.coefficients = reader.numbers("coefficients", kMostColumns);
  if (const auto count = static_cast<std::int64_t>(model.coefficients.size()); count != columns) {
    reader.complain(fmt::format("{} coefficients, expected {}, one per column of the basis", count, columns));
  }
}

/// The head decides whether the rest can be understood at all.
void check_head(JsonReader& reader) {
  const std::string format = reader.text("format");
  if (format != kFormat) {
    reader.complain(fmt::format("not a potential file: \"format\" must be \"{}\"", kFormat));
    return;
  }
  const std::int64_t version = reader.integer("version", 1, 1'000'000);
  if (version != kVersion) {
    reader.complain(fmt::format("version {} of the format, expected {}", version, kVersion),
                    "use the version of ipfit that wrote it, or a newer one");
  }
}

}  // namespace

std::string write_model(const Model& model) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kVersion;
  json["basis"] = std::visit([](const auto& spec) { return to_json(spec); }, model.basis);
  Json one_body = Json::object();
  for (const auto& [element, energy] : model.one_body) {
    one_body[std::string(element_symbol(element))] = energy;
  }
  json["one_body"] = std::move(one_body);
  if (model.zbl) {
    json["zbl"] = {{"inner", model.zbl->inner}, {"outer", model.zbl->outer}};
  }
  if (!model.fitted()) {
    return json.dump(1) + "\n";
  }
  json["coefficients"] = model.coefficients;
  return write_sealed(json);
}

Result<Model> read_model(std::string_view text, const std::string& where) {
  if (text.size() > kMostModelBytes) {
    return Error{ErrorKind::kInput, where,
                 fmt::format("{} bytes, expected a potential file of at most {}", text.size(), kMostModelBytes), ""};
  }
  const Result<Json> json = parse_json(text, where);
  if (!json) {
    return json.errors();
  }
  std::vector<Error> errors;
  JsonReader reader(*json, where, errors);
  check_head(reader);
  if (!errors.empty()) {
    return errors;
  }
  reader.allow({"format", "version", "basis", "one_body", "zbl", "coefficients", "checksum"});
  if (const Status sealed = check_seal(*json, text, where); !sealed) {
    return sealed.errors();
  }
  Model model;
  if (const Json* basis = reader.object("basis")) {
    model.basis = read_basis(*basis, where + ": basis", errors);
  }
  if (const Json* one_body = reader.object("one_body")) {
    model.one_body = read_one_body(*one_body, where + ": one_body", errors);
  }
  if (reader.has("zbl")) {
    if (const Json* zbl = reader.object("zbl")) {
      model.zbl = read_zbl(*zbl, where + ": zbl", errors);
    }
  }
  if (errors.empty()) {
    read_coefficients(reader, model);
  }
  if (!errors.empty()) {
    return errors;
  }
  return model;
}

}  // namespace ipfit
