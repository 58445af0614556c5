#include "manager/solve/tsvd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manager/solve/least_norm.h"
#include "manager/solve/size_choice.h"
#include "manager/solve/spectrum.h"
#include "manager/solve/variables.h"

namespace ipfit {
namespace {

using Eigen::Index;

Index count_above(const Spectrum& spectrum, double rtol) {
  Index count = 0;
  while (count < spectrum.s.size() && spectrum.s[count] > rtol * spectrum.s[0]) {
    ++count;
  }
  return count;
}

/// Residuals of 0, 1, ... `most` directions.
std::vector<PathPoint> path_of(const Spectrum& spectrum, Index most, const ReducedSystem* validation) {
  std::vector<PathPoint> path(static_cast<std::size_t>(most) + 1);
  double residual = std::hypot(spectrum.rho, spectrum.z.tail(spectrum.z.size() - most).stableNorm());
  for (Index k = most; k >= 0; --k) {
    path[static_cast<std::size_t>(k)] = {k, residual, {}};
    residual = k > 0 ? std::hypot(residual, spectrum.z[k - 1]) : residual;
  }
  if (validation != nullptr) {
    Eigen::VectorXd missed = -validation->z;
    path[0].validation = std::hypot(missed.stableNorm(), validation->rho);
    const auto R = validation->R.triangularView<Eigen::Upper>();
    for (Index k = 0; k < most; ++k) {
      missed += R * (spectrum.V.col(k) * (spectrum.z[k] / spectrum.s[k]));
      path[static_cast<std::size_t>(k) + 1].validation = std::hypot(missed.stableNorm(), validation->rho);
    }
  }
  return path;
}

}  // namespace

Result<Solution> solve_tsvd(const ReducedSystem& system, StrengthRule rule, double rtol,
                            const ReducedSystem* validation) {
  const Result<Spectrum> spectrum = spectrum_of(system);
  if (!spectrum) {
    return spectrum.errors();
  }
  const Index columns = spectrum->s.size();
  const double limit = rounding_tolerance(columns);
  Index kept = count_above(*spectrum, rule == StrengthRule::kGiven ? std::max(rtol, limit) : limit);
  Solution out;
  out.path = path_of(*spectrum, kept, validation);
  if (rule != StrengthRule::kGiven) {
    kept = out.path[best_size(out.path, rule, system.rows)].columns;
  }
  out.coefficients = spectrum->V.leftCols(kept) * spectrum->z.head(kept).cwiseQuotient(spectrum->s.head(kept));
  out.rank = kept;
  out.condition = kept == 0 ? 0.0 : spectrum->s[0] / spectrum->s[kept - 1];
  out.effective_parameters = static_cast<double>(kept);
  out.singular_values = spectrum->s;
  out.status = fmt::format("{} of {} singular values by {}{}", kept, columns,
                           rule == StrengthRule::kGiven ? fmt::format("rtol {:.1e}", rtol) : rule_in_words(rule),
                           condition_in_words(out.condition));
  return out;
}

}  // namespace ipfit
