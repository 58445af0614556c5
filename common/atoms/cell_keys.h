#pragma once

#include "common/atoms/comment_line.h"
#include "common/atoms/structure.h"
#include "common/result.h"

namespace ipfit {

/// Fills cell and pbc from the keys Lattice and pbc. Lattice: nine numbers or a 3x3 matrix whose rows are the cell
/// vectors, or three numbers, the diagonal. Without Lattice no direction is periodic; Lattice without pbc: all are.
/// Errors: other counts, periodic directions without Lattice or whose cell vectors are flat (cell_spans), either key in
/// another letter case (it would be taken for an unknown key, and the cell would be lost).
Status read_cell(const TextLine& line, const CommentLine& comment, Structure& structure);

}  // namespace ipfit
