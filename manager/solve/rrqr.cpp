#include "manager/solve/rrqr.h"

#include <fmt/format.h>

#include <algorithm>

#include "manager/solve/least_norm.h"

namespace ipfit {

Solution solve_rrqr(const ReducedSystem& system, double rtol) {
  const LeastNorm found = least_norm(system.R, system.z, std::max(rtol, rounding_tolerance(system.R.cols())));
  Solution out;
  out.coefficients = found.x;
  out.rank = static_cast<std::int64_t>(found.independent.size());
  out.condition = triangle_condition(found.triangle);
  out.status =
      fmt::format("rank {} of {} at rtol {:.1e}{}", out.rank, system.R.cols(), rtol, condition_in_words(out.condition));
  if (!found.dependent.empty()) {
    out.status +=
        fmt::format("; add less, solution of least norm: columns {} (counted from 0)", listed(found.dependent));
  }
  return out;
}

}  // namespace ipfit
