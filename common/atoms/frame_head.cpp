#include "common/atoms/frame_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atoms/number_text.h"

namespace ipfit {
namespace {

// The first line that is not blank; an error where one follows blank lines. Nothing at the end of the file.
Result<std::optional<TextLine>> count_line(LineSource& source) {
  std::int64_t first_blank = 0;
  while (true) {
    Result<std::optional<TextLine>> line = source.next();
    if (!line || !*line) {
      return line;
    }
    if (!trimmed((*line)->text).empty()) {
      if (first_blank == 0) {
        return line;
      }
      return Error{ErrorKind::kInput, place(source.name(), first_blank, 1),
                   fmt::format("a blank line before the frame that begins on line {}", (*line)->number),
                   "delete it; blank lines may stand only at the end of the file"};
    }
    first_blank = first_blank == 0 ? (*line)->number : first_blank;
  }
}

Result<std::int64_t> atom_count(const TextLine& line) {
  const std::string_view text = trimmed(line.text);
  const std::optional<std::int64_t> count = parse_integer(text);
  if (!count) {
    return line.error(text, fmt::format("the number of atoms is expected here, found {}", shown(text)),
                      "check that the frame before has as many atom lines as its first line says");
  }
  if (*count < 1) {
    return line.error(text, fmt::format("the number of atoms is {}, must be at least 1", *count), "delete this frame");
  }
  return *count;
}

// "Word =", in any letter case.
bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t i = 0; i + word.size() < text.size(); ++i) {
    if (same_but_case(text.substr(i, word.size()), word) && trimmed(text.substr(i + word.size())).starts_with('=')) {
      return true;
    }
  }
  return false;
}

bool has_value(const KeyValue* pair) {
  return pair != nullptr && pair->form != ValueForm::kNone;
}

Result<std::optional<CommentLine>> comment_keys(const TextLine& line) {
  Result<CommentLine> parsed = parse_comment_line(line);
  if (!parsed) {
    if (mentions(line.text, "Properties") || mentions(line.text, "Lattice")) {
      return parsed.error();
    }
    return std::optional<CommentLine>();
  }
  if (has_value(parsed->properties())) {
    return std::optional<CommentLine>(std::move(*parsed));
  }
  const auto lattice = std::find_if(parsed->pairs.begin(), parsed->pairs.end(), [](const KeyValue& pair) {
    return has_value(&pair) && same_but_case(pair.key, "Lattice");
  });
  if (lattice != parsed->pairs.end()) {
    return line.error(lattice->key_text, "Lattice is given but no Properties",
                      "add Properties=species:S:1:pos:R:3, with :forces:R:3 where there are forces");
  }
  return std::optional<CommentLine>();
}

}  // namespace

Result<std::optional<FrameHead>> next_frame_head(LineSource& source) {
  const Result<std::optional<TextLine>> first = count_line(source);
  if (!first) {
    return first.error();
  }
  if (!*first) {
    if (source.lines_read() == 0) {
      return Error{ErrorKind::kInput, source.name(), "the file is empty, at least one structure is expected",
                   "check the name of the file"};
    }
    return std::optional<FrameHead>();
  }
  const Result<std::int64_t> atoms = atom_count(**first);
  if (!atoms) {
    return atoms.error();
  }
  FrameHead head;
  head.atoms = *atoms;
  head.line = (*first)->number;
  const Result<std::optional<TextLine>> second = source.next();
  if (!second) {
    return second.error();
  }
  if (!*second) {
    return file_ends_early(source, head, 0);
  }
  head.comment = **second;
  Result<std::optional<CommentLine>> keys = comment_keys(head.comment);
  if (!keys) {
    return keys.error();
  }
  head.keys = std::move(*keys);
  return std::optional<FrameHead>(std::move(head));
}

Error file_ends_early(const LineSource& source, const FrameHead& head, std::int64_t found) {
  return {ErrorKind::kInput, place(source.name(), source.lines_read() + 1, 1),
          fmt::format("the file ends here: {} atoms announced on line {}, {} found", head.atoms, head.line, found),
          "check whether the file was copied whole; delete the last frame if it cannot be completed"};
}

}  // namespace ipfit
