#include "common/atoms/comment_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "common/atoms/number_text.h"

namespace ipfit {
namespace {

constexpr std::string_view kNeedQuotes = "=\",{}[]\\";

bool is_bare(char c) {
  return !is_blank(c) && kNeedQuotes.find(c) == std::string_view::npos;
}

// \n is a newline; any other character after a backslash is itself.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i];
    }
  }
  return out;
}

std::string quoted_hint(std::string_view text) {
  return fmt::format(
      "put a text that has any of the characters space = \" , {{ }} [ ] \\ in double quotes (here near {})",
      shown(text));
}

/// Goes through one line from left to right.
class Scanner {
 public:
  explicit Scanner(const TextLine& line) : line_(line), rest_(line.text) {}

  Result<CommentLine> pairs() {
    CommentLine out;
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
      Result<KeyValue> pair = key_and_value();
      if (!pair) {
        return pair.error();
      }
      out.pairs.push_back(std::move(*pair));
    }
    return out;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  bool at_quote() const { return !rest_.empty() && (rest_.front() == '"' || rest_.front() == '\''); }

  // Position just behind the quote that closes the one at `start`; npos where none does.
  std::size_t behind_quote(std::size_t start) const {
    for (std::size_t i = start + 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == rest_[start]) {
        return i + 1;
      }
    }
    return std::string_view::npos;
  }

  std::string_view take_bare() {
    std::size_t length = 0;
    while (length < rest_.size() && is_bare(rest_[length])) {
      ++length;
    }
    return take(length);
  }

  Result<std::string_view> take_quoted() {
    const std::size_t length = behind_quote(0);
    if (length == std::string_view::npos) {
      return line_.error(
          rest_, "the quote that opens here is not closed",
          fmt::format("close it with {} (inside quotes, \\{} is the character itself)", rest_.front(), rest_.front()));
    }
    const std::string_view whole = take(length);
    return whole.substr(1, whole.size() - 2);
  }

  // A quote counts only where an item begins, so that {don't} is no open string.
  bool quote_begins_item(std::size_t i) const {
    const char before = rest_[i - 1];
    return (rest_[i] == '"' || rest_[i] == '\'') && (is_bare(before) ? before == ':' : before != '\\');
  }

  Result<std::string_view> take_enclosed(char open, char close) {
    std::int64_t depth = 1;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (quote_begins_item(i)) {
        const std::size_t behind = behind_quote(i);
        if (behind == std::string_view::npos) {
          return line_.error(rest_.substr(i), "the quote that opens here is not closed", "close it");
        }
        i = behind - 1;
      } else if (rest_[i] == open) {
        ++depth;
      } else if (rest_[i] == close && --depth == 0) {
        const std::string_view whole = take(i + 1);
        return whole.substr(1, whole.size() - 2);
      }
    }
    return line_.error(rest_, fmt::format("the '{}' that opens here is not closed", open),
                       fmt::format("close it with '{}'", close));
  }

  Result<KeyValue> key_and_value() {
    KeyValue pair;
    const std::string_view before = rest_;
    if (at_quote()) {
      Result<std::string_view> key = take_quoted();
      if (!key) {
        return key.error();
      }
      pair.key_text = *key;
      pair.key = unescaped(*key);
    } else {
      pair.key_text = take_bare();
      pair.key = std::string(pair.key_text);
    }
    if (pair.key.empty()) {
      return line_.error(before, fmt::format("a key is expected here, found {}", shown(before)), quoted_hint(before));
    }
    const std::string_view behind_key = rest_;
    skip_blanks();
    if (rest_.empty() || rest_.front() != '=') {
      if (rest_.size() == behind_key.size() && !rest_.empty()) {
        return line_.error(rest_,
                           fmt::format("{} cannot stand behind the key {}", shown(rest_.substr(0, 1)), shown(pair.key)),
                           quoted_hint(before));
      }
      return pair;
    }
    take(1);
    skip_blanks();
    return with_value(std::move(pair));
  }

  Result<KeyValue> with_value(KeyValue pair) {
    Result<std::string_view> text = value(pair);
    if (!text) {
      return text.error();
    }
    pair.text = *text;
    if (!rest_.empty() && !is_blank(rest_.front())) {
      return line_.error(
          rest_,
          fmt::format("{} cannot stand here, in or behind the value of {}", shown(rest_.substr(0, 1)), shown(pair.key)),
          "put spaces between the pairs and double quotes around a value with spaces or any of = \" , { } [ ] \\");
    }
    return pair;
  }

  Result<std::string_view> value(KeyValue& pair) {
    if (rest_.empty()) {
      return line_.error(line_.end(), fmt::format("the value of {} is missing", shown(pair.key)), "write key=value");
    }
    if (at_quote()) {
      pair.form = ValueForm::kQuoted;
      return take_quoted();
    }
    if (rest_.front() == '{') {
      pair.form = ValueForm::kBraces;
      return take_enclosed('{', '}');
    }
    if (rest_.front() == '[') {
      pair.form = ValueForm::kBrackets;
      return take_enclosed('[', ']');
    }
    pair.form = ValueForm::kBare;
    const std::string_view text = take_bare();
    if (text.empty()) {
      return line_.error(rest_, fmt::format("a value of {} is expected here, found {}", shown(pair.key), shown(rest_)),
                         "put the value in double quotes");
    }
    return text;
  }

  const TextLine& line_;
  std::string_view rest_;
};

std::string_view canonical_key(const KeyValue& pair) {
  return same_but_case(pair.key, "Properties") ? std::string_view("Properties") : std::string_view(pair.key);
}

// The second of two equal keys; sorting keeps a line of a million keys harmless.
const KeyValue* repeated_key(const CommentLine& comment) {
  std::vector<std::size_t> order(comment.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return canonical_key(comment.pairs[i]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const auto same =
      std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) == key(b); });
  return same == order.end() ? nullptr : &comment.pairs[*(same + 1)];
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    out.push_back(word);
  }
  return out;
}

// "a, b, c": an empty item where two commas meet.
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    out.push_back(trimmed(text.substr(0, comma)));
    text.remove_prefix(comma + 1);
  }
  out.push_back(trimmed(text));
  return out;
}

struct Items {
  std::vector<std::string_view> items;
  std::int64_t rows = 0;
};

Error bad_array(const TextLine& line, std::string_view part, const KeyValue& pair) {
  return line.error(part, fmt::format("the value of {} is no array", shown(pair.key)),
                    "write [1, 2, 3], or [[1, 2], [3, 4]] with rows of one length, or \"1 2 3\"");
}

Result<Items> nested_items(const TextLine& line, const KeyValue& pair, std::string_view rest) {
  Items out;
  std::size_t row_length = 0;
  while (true) {
    const std::size_t close = rest.find(']');
    if (rest.empty() || rest.front() != '[' || close == std::string_view::npos) {
      return bad_array(line, rest, pair);
    }
    const std::vector<std::string_view> row = split_at_commas(rest.substr(1, close - 1));
    if (out.rows > 0 && row.size() != row_length) {
      return bad_array(line, rest, pair);
    }
    row_length = row.size();
    ++out.rows;
    out.items.insert(out.items.end(), row.begin(), row.end());
    rest = trimmed(rest.substr(close + 1));
    if (rest.empty()) {
      return out;
    }
    if (rest.front() != ',') {
      return bad_array(line, rest, pair);
    }
    rest = trimmed(rest.substr(1));
  }
}

Result<Items> items_of(const TextLine& line, const KeyValue& pair) {
  if (pair.form == ValueForm::kNone) {
    return line.error(pair.key_text, fmt::format("{} has no value", shown(pair.key)), "write key=value");
  }
  if (pair.form != ValueForm::kBrackets) {
    return Items{words(pair.text), 0};
  }
  const std::string_view inside = trimmed(pair.text);
  if (inside.starts_with('[')) {
    return nested_items(line, pair, inside);
  }
  return Items{split_at_commas(inside), 0};
}

}  // namespace

bool same_but_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

const KeyValue* CommentLine::find(std::string_view key) const {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const KeyValue& pair) { return pair.key == key; });
  return found == pairs.end() ? nullptr : &*found;
}

const KeyValue* CommentLine::properties() const {
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const KeyValue& pair) { return same_but_case(pair.key, "Properties"); });
  return found == pairs.end() ? nullptr : &*found;
}

Result<CommentLine> parse_comment_line(const TextLine& line) {
  Result<CommentLine> comment = Scanner(line).pairs();
  if (comment) {
    if (const KeyValue* repeated = repeated_key(*comment)) {
      return line.error(repeated->key_text, fmt::format("the key {} is given twice", shown(repeated->key)),
                        "keep the one that is right");
    }
  }
  return comment;
}

Result<NumberArray> number_values(const TextLine& line, const KeyValue& pair) {
  Result<Items> items = items_of(line, pair);
  if (!items) {
    return items.error();
  }
  NumberArray out;
  out.rows = items->rows;
  for (const std::string_view item : items->items) {
    const std::optional<double> value = parse_real(item);
    if (!value) {
      return line.error(item, fmt::format("{} in the value of {}", why_not_real(item), shown(pair.key)),
                        "give finite numbers, or leave the key out");
    }
    out.values.push_back(*value);
  }
  return out;
}

Result<std::array<bool, 3>> three_logicals(const TextLine& line, const KeyValue& pair) {
  Result<Items> items = items_of(line, pair);
  if (!items) {
    return items.error();
  }
  const std::string hint = fmt::format("write {}=\"T T F\"", pair.key);
  if (items->items.size() != 3 || items->rows > 1) {
    return line.error(pair.key_text, fmt::format("{} needs 3 logical values, {} given", pair.key, items->items.size()),
                      hint);
  }
  std::array<bool, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<bool> value = parse_logical(items->items[i]);
    if (!value) {
      return line.error(items->items[i], fmt::format("{} in {} is neither T nor F", shown(items->items[i]), pair.key),
                        hint);
    }
    out[i] = *value;
  }
  return out;
}

std::string string_value(const KeyValue& pair) {
  switch (pair.form) {
    case ValueForm::kNone:
      return "";
    case ValueForm::kBare:
      return std::string(pair.text);
    case ValueForm::kQuoted:
      return unescaped(pair.text);
    case ValueForm::kBraces:
    case ValueForm::kBrackets:
      break;
  }
  std::string_view inside = trimmed(pair.text);
  const bool one_quoted = inside.size() >= 2 && inside.front() == '"' && inside.find('"', 1) == inside.size() - 1;
  return one_quoted ? unescaped(inside.substr(1, inside.size() - 2)) : std::string(inside);
}

}  // namespace ipfit
