#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"

namespace ipfit {

/// One line of a file. `text` is without its line end (LF or CRLF) and lives until the next line is read.
struct TextLine {
  std::string_view text;
  std::int64_t number = 0;  ///< counted from 1
  const std::string* file = nullptr;

  /// A mistake (kInput) at "file:line:column"; `part` is a piece of `text`, and the column is where it begins.
  Error error(std::string_view part, std::string what, std::string remedy = "") const;
  /// The empty piece at the end of the line: where something is missing.
  std::string_view end() const { return text.substr(text.size()); }
};

/// Spaces and tabs: the white space of the extended-XYZ specification.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
std::string_view trimmed(std::string_view text);

/// Takes the next word (no spaces or tabs) off the front of `rest`; empty where there is none.
std::string_view take_word(std::string_view& rest);
std::int64_t count_words(std::string_view text);

/// A piece of a file for a message: in single quotes, at most 40 bytes, other than printable ASCII as \xNN.
std::string shown(std::string_view text);

/// "file:line:column" with the file name `file`.
std::string place(const std::string& file, std::int64_t line, std::int64_t column);

/// The lines of a file or of a text, one after the other, in large plain reads: a file that is cut or changed meanwhile
/// can at worst give an error or other text (a memory map would end the process). Lines above kMaxLineBytes are
/// refused.
class LineSource {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

  static Result<LineSource> open(const std::string& path);
  static LineSource from_text(std::string text, std::string name);

  /// The next line, or nothing at the end.
  Result<std::optional<TextLine>> next();

  const std::string& name() const { return name_; }
  std::int64_t lines_read() const { return line_; }
  /// At most this many bytes are still to come; of a pipe, what has already arrived.
  std::uint64_t bytes_left() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  LineSource(std::string name, std::string buffer) : name_(std::move(name)), buffer_(std::move(buffer)) {}
  Status refill();

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;  ///< null once everything is in the buffer
  std::string buffer_;
  std::size_t begin_ = 0;           ///< of what has not been given out
  std::size_t end_ = 0;             ///< of what has been read into the buffer
  std::uint64_t bytes_unread_ = 0;  ///< of the file, by the size it had when it was opened
  std::int64_t line_ = 0;
};

}  // namespace ipfit
