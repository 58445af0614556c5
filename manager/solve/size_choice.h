#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "manager/solve/solver.h"

namespace ipfit {

/// The point of a path that `rule` (kGcv or kValidation) likes best; of equals the first, which is the smaller one.
/// kGcv: the least residual^2 / (rows - columns)^2 among those with fewer columns than rows (Golub, Heath and Wahba,
/// Technometrics 21, 215 (1979)); of columns that were selected to fit it counts too few, so it selects rather many.
/// kValidation: every point has a validation residual. The path is not empty.
std::size_t best_size(const std::vector<PathPoint>& path, StrengthRule rule, std::int64_t rows);

/// "generalised cross-validation", "validation".
std::string_view rule_in_words(StrengthRule rule);

}  // namespace ipfit
