#include "manager/solve/blr.h"

#include <cmath>

#include "manager/solve/ridge.h"
#include "manager/solve/spectrum.h"

namespace ipfit {

Result<Solution> solve_blr(const ReducedSystem& system) {
  const Result<Spectrum> spectrum = spectrum_of(system);
  if (!spectrum) {
    return spectrum.errors();
  }
  Solution out = evidence_ridge(*spectrum);
  if (out.noise_precision) {
    const Eigen::ArrayXd curvature = *out.noise_precision * (spectrum->s.array().square() + *out.lambda * *out.lambda);
    out.covariance_factor = spectrum->V * curvature.rsqrt().matrix().asDiagonal();
  }
  return out;
}

}  // namespace ipfit
