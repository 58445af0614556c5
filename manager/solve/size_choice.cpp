#include "manager/solve/size_choice.h"

#include <limits>

namespace ipfit {
namespace {

double score(const PathPoint& point, StrengthRule rule, std::int64_t rows) {
  if (rule == StrengthRule::kValidation) {
    return *point.validation;
  }
  // Without columns it is always defined, and the residual beside the freedom needs no square to be compared.
  return point.columns >= rows && point.columns > 0 ? std::numeric_limits<double>::infinity()
                                                    : point.residual / static_cast<double>(rows - point.columns);
}

}  // namespace

std::size_t best_size(const std::vector<PathPoint>& path, StrengthRule rule, std::int64_t rows) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < path.size(); ++k) {
    if (score(path[k], rule, rows) < score(path[best], rule, rows)) {
      best = k;
    }
  }
  return best;
}

std::string_view rule_in_words(StrengthRule rule) {
  switch (rule) {
    case StrengthRule::kGiven:
      return "the given number";
    case StrengthRule::kEvidence:
      return "evidence";
    case StrengthRule::kGcv:
      return "generalised cross-validation";
    case StrengthRule::kValidation:
      return "validation";
  }
  return "";
}

}  // namespace ipfit
