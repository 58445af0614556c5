#pragma once

#include <string>
#include <vector>

namespace ipfit {

/// A table of text for people: columns as wide as their widest cell, two spaces between them, the first column to the
/// left and the others to the right, a rule of dashes below the header.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  /// As many cells as the header has.
  void add_row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ipfit
