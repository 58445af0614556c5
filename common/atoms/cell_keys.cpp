#include "common/atoms/cell_keys.h"

#include <fmt/format.h>

#include "common/atoms/cell.h"

namespace ipfit {
namespace {

Status check_letter_case(const TextLine& line, const CommentLine& comment) {
  for (const KeyValue& pair : comment.pairs) {
    for (const std::string_view key : {"Lattice", "pbc"}) {
      if (pair.key != key && same_but_case(pair.key, key)) {
        return line.error(pair.key_text, fmt::format("the key {} is not {}", shown(pair.key), key),
                          fmt::format("write {}", key));
      }
    }
  }
  return Done{};
}

Result<Mat3> lattice_value(const TextLine& line, const KeyValue& lattice) {
  const Result<NumberArray> numbers = number_values(line, lattice);
  if (!numbers) {
    return numbers.error();
  }
  const std::vector<double>& values = numbers->values;
  Mat3 cell = Mat3::Zero();
  if (values.size() == 3 && numbers->rows == 0) {
    cell.diagonal() << values[0], values[1], values[2];
    return cell;
  }
  if (values.size() != 9 || (numbers->rows != 0 && numbers->rows != 3)) {
    return line.error(lattice.key_text,
                      fmt::format("Lattice needs 9 numbers (or 3, the diagonal), {} given", values.size()),
                      "write Lattice=\"a1x a1y a1z a2x a2y a2z a3x a3y a3z\"");
  }
  for (int i = 0; i < 9; ++i) {
    cell(i / 3, i % 3) = values[static_cast<std::size_t>(i)];
  }
  return cell;
}

}  // namespace

Status read_cell(const TextLine& line, const CommentLine& comment, Structure& structure) {
  if (Status status = check_letter_case(line, comment); !status) {
    return status;
  }
  const KeyValue* lattice = comment.find("Lattice");
  const KeyValue* pbc = comment.find("pbc");
  if (lattice != nullptr) {
    const Result<Mat3> cell = lattice_value(line, *lattice);
    if (!cell) {
      return cell.error();
    }
    structure.cell = *cell;
    structure.pbc = {true, true, true};
  }
  if (pbc != nullptr) {
    const Result<std::array<bool, 3>> periodic = three_logicals(line, *pbc);
    if (!periodic) {
      return periodic.error();
    }
    structure.pbc = *periodic;
  }
  const bool any = structure.pbc[0] || structure.pbc[1] || structure.pbc[2];
  if (any && lattice == nullptr) {
    return line.error(pbc->key_text, "pbc says periodic, but there is no Lattice",
                      "add Lattice, or write pbc=\"F F F\"");
  }
  if (!cell_spans(structure.cell, structure.pbc)) {
    return line.error(lattice->key_text, "the cell has no volume: the cell vectors of the periodic directions are flat",
                      "correct Lattice, or write F in pbc for the directions that are not periodic");
  }
  return Done{};
}

}  // namespace ipfit
