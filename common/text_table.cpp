#include "common/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace ipfit {

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
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = fmt::format("{:<{}}", rows_[r][0], widths[0]);
    for (std::size_t i = 1; i < widths.size(); ++i) {
      line += fmt::format("  {:>{}}", rows_[r][i], widths[i]);
    }
    out += line + '\n';
    if (r == 0) {
      out += std::string(line.size(), '-') + '\n';
    }
  }
  return out;
}

}  // namespace ipfit
