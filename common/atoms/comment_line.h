#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/atoms/text_line.h"
#include "common/result.h"

namespace ipfit {

/// How a value is written in the second line of a frame.
enum class ValueForm {
  kNone,      ///< a key without "=": true
  kBare,      ///< energy=-1.5
  kQuoted,    ///< "1 2 3" or '1 2 3': a string, or an array separated by white space
  kBraces,    ///< {1 2 3}: an array separated by white space
  kBrackets,  ///< [1, 2, 3], or [[1, 2], [3, 4]]: an array separated by commas
};

/// One key=value pair. The views are pieces of the line and live as long as it does.
struct KeyValue {
  std::string key;
  std::string_view key_text;  ///< the key as written
  ValueForm form = ValueForm::kNone;
  std::string_view text;  ///< the value as written, without the outer quotes, braces or brackets
};

/// The pairs of a second line, in its order.
struct CommentLine {
  std::vector<KeyValue> pairs;

  const KeyValue* find(std::string_view key) const;
  const KeyValue* properties() const;  ///< the key Properties, which may be written in any letter case
};

/// Takes a second line apart by the grammar of the extended-XYZ specification. Errors: a quote, brace or bracket that
/// is not closed, characters that need quotes, a value or key that is missing, a key given twice. Only the outer form
/// of values is looked at: what is inside matters only for the keys that are used.
Result<CommentLine> parse_comment_line(const TextLine& line);

/// Numbers as written: those of a nested array row after row.
struct NumberArray {
  std::vector<double> values;
  std::int64_t rows = 0;  ///< of a nested array [[..], [..]]; 0 for everything else
};

/// The numbers of a value, of a single one or an array in any form.
Result<NumberArray> number_values(const TextLine& line, const KeyValue& pair);

/// Three logicals, for pbc.
Result<std::array<bool, 3>> three_logicals(const TextLine& line, const KeyValue& pair);

/// The value as a string: quotes undone, braces around a single word taken away.
std::string string_value(const KeyValue& pair);

/// True for equal ASCII letters in any case.
bool same_but_case(std::string_view a, std::string_view b);

}  // namespace ipfit
