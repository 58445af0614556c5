#include "common/text_table.h"

#include <algorithm>
#include <cassert>

namespace ipfit {
namespace {

/// Characters of a text in UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

std::string padding(const std::string& text, std::size_t width) {
  return std::string(width - width_of(text), ' ');
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TextTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = rows_[r][0] + padding(rows_[r][0], widths[0]);
    for (std::size_t i = 1; i < widths.size(); ++i) {
      line += "  " + padding(rows_[r][i], widths[i]) + rows_[r][i];
    }
    out += line + '\n';
    if (r == 0) {
      out += std::string(width_of(line), '-') + '\n';
    }
  }
  return out;
}

}  // namespace ipfit
