#include "common/model/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/atoms/element.h"

namespace ipfit {
namespace {

// More help nobody, and a hostile message could have a million.
constexpr std::size_t kMostErrors = 20;

}  // namespace

JsonReader::JsonReader(const Json& object, std::string where, std::vector<Error>& errors)
    : object_(object), where_(std::move(where)), errors_(errors) {}

void JsonReader::complain(const std::string& what, const std::string& remedy) {
  if (errors_.size() < kMostErrors) {
    errors_.push_back({ErrorKind::kInput, where_, what, remedy});
  }
}

const Json* JsonReader::find(const char* key) const {
  if (!object_.is_object()) {
    return nullptr;
  }
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const Json* JsonReader::require(const char* key) {
  const Json* value = find(key);
  if (value == nullptr) {
    complain(fmt::format("\"{}\" is missing", key));
  }
  return value;
}

void JsonReader::allow(std::initializer_list<std::string_view> keys) {
  if (!object_.is_object()) {
    complain(fmt::format("found {}, expected an object", shown(object_)));
    return;
  }
  for (const auto& item : object_.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      complain(fmt::format("unknown key {}; known are {}", shown(Json(item.key())), fmt::join(keys, ", ")));
    }
  }
}

std::string JsonReader::text(const char* key) {
  const Json* value = require(key);
  if (value == nullptr) {
    return "";
  }
  if (!value->is_string()) {
    complain(fmt::format("\"{}\" is {}, expected a string", key, shown(*value)));
    return "";
  }
  return value->get<std::string>();
}

std::int64_t JsonReader::integer(const char* key, std::int64_t least, std::int64_t most) {
  const Json* value = require(key);
  if (value == nullptr) {
    return least;
  }
  const bool too_large = value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (!value->is_number_integer() || too_large || value->get<std::int64_t>() < least ||
      value->get<std::int64_t>() > most) {
    complain(fmt::format("\"{}\" is {}, expected an integer from {} to {}", key, shown(*value), least, most));
    return least;
  }
  return value->get<std::int64_t>();
}

double JsonReader::number(const char* key, double least, double most) {
  const Json* value = require(key);
  if (value == nullptr) {
    return least;
  }
  if (!value->is_number() || !(value->get<double>() >= least && value->get<double>() <= most)) {
    complain(fmt::format("\"{}\" is {}, expected a number from {} to {}", key, shown(*value), least, most));
    return least;
  }
  return value->get<double>();
}

const Json* JsonReader::array(const char* key, std::int64_t most) {
  const Json* value = require(key);
  if (value == nullptr) {
    return nullptr;
  }
  if (!value->is_array()) {
    complain(fmt::format("\"{}\" is {}, expected an array", key, shown(*value)));
    return nullptr;
  }
  if (value->size() > static_cast<std::size_t>(most)) {
    complain(fmt::format("\"{}\" has {} entries, expected at most {}", key, value->size(), most));
    return nullptr;
  }
  return value;
}

const Json* JsonReader::object(const char* key) {
  const Json* value = require(key);
  if (value != nullptr && !value->is_object()) {
    complain(fmt::format("\"{}\" is {}, expected an object", key, shown(*value)));
    return nullptr;
  }
  return value;
}

std::vector<double> JsonReader::numbers(const char* key, std::int64_t most) {
  std::vector<double> out;
  const Json* values = array(key, most);
  if (values == nullptr) {
    return out;
  }
  out.reserve(values->size());
  for (const Json& value : *values) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      complain(fmt::format("entry {} of \"{}\" is {}, expected a finite number", out.size() + 1, key, shown(value)));
      return {};
    }
    out.push_back(value.get<double>());
  }
  return out;
}

std::uint8_t JsonReader::element(const std::string& symbol) {
  const std::optional<std::uint8_t> Z = atomic_number(symbol);
  if (!Z) {
    complain(fmt::format("{} is not the symbol of an element, such as \"Si\"", shown(Json(symbol))));
  }
  return Z.value_or(0);
}

std::vector<std::uint8_t> JsonReader::elements(const char* key) {
  std::vector<std::uint8_t> out;
  const Json* symbols = array(key, kLargestAtomicNumber);
  if (symbols == nullptr) {
    return out;
  }
  if (symbols->empty()) {
    complain(fmt::format("\"{}\" is empty, expected at least one", key));
  }
  for (const Json& symbol : *symbols) {
    const std::uint8_t Z = element(symbol.is_string() ? symbol.get<std::string>() : "");
    if (Z != 0 && std::find(out.begin(), out.end(), Z) != out.end()) {
      complain(fmt::format("{} stands twice in \"{}\"", element_symbol(Z), key));
    }
    out.push_back(Z);
  }
  return out;
}

std::string shown(const Json& value) {
  if (value.is_object() || value.is_array()) {
    return fmt::format("{} of {} entries", value.is_object() ? "an object" : "an array", value.size());
  }
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 40) {
    text = text.substr(0, 37) + "...";
  }
  return text;
}

Json elements_json(const std::vector<std::uint8_t>& elements) {
  Json symbols = Json::array();
  for (const std::uint8_t element : elements) {
    symbols.push_back(element_symbol(element));
  }
  return symbols;
}

}  // namespace ipfit
