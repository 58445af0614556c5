#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "common/json.h"
#include "common/result.h"

namespace ipfit {

/// Takes values out of one JSON object, checking each, and notes every mistake instead of stopping at the first.
/// A getter that fails gives a harmless value; the caller asks for errors() at the end.
class JsonReader {
 public:
  /// `where` names the source and the object, for messages: "si.potential.json: basis".
  JsonReader(const Json& object, std::string where, std::vector<Error>& errors);

  /// Complains about keys that are not in the list, and about a value that is no object.
  void allow(std::initializer_list<std::string_view> keys);
  bool has(const char* key) const { return find(key) != nullptr; }

  std::string text(const char* key);
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most);
  double number(const char* key, double least, double most);  ///< finite
  std::vector<double> numbers(const char* key, std::int64_t most);
  std::uint8_t element(const std::string& symbol);      ///< atomic number; 0 where it is no element
  std::vector<std::uint8_t> elements(const char* key);  ///< at least one, each once
  const Json* array(const char* key, std::int64_t most);
  const Json* object(const char* key);

  void complain(const std::string& what, const std::string& remedy = "");

 private:
  const Json* find(const char* key) const;
  const Json* require(const char* key);

  const Json& object_;
  std::string where_;
  std::vector<Error>& errors_;
};

/// A value as it appears in a message: short, whatever it is.
std::string shown(const Json& value);

/// A list of symbols, which JsonReader::elements reads.
Json elements_json(const std::vector<std::uint8_t>& elements);

}  // namespace ipfit
