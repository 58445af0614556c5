#pragma once

#include <cstdint>
#include <span>

namespace ipfit {

/// Rows as stored hold the reference potential that the workers evaluated (common/model/model.h) behind their
/// `columns` functions: takes them apart into `a`, the design matrix, and `reference`, a number for each row. All
/// row-major; `rows` has reference.size() rows of columns + 1 numbers.
void split_reference(std::span<const double> rows, std::int64_t columns, std::span<double> a,
                     std::span<double> reference);

}  // namespace ipfit
