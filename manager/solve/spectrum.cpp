#include "manager/solve/spectrum.h"

#include <utility>

#include "common/lsq/lapack.h"

namespace ipfit {

Result<Spectrum> spectrum_of(const ReducedSystem& system) {
  auto svd = lapack::svd(system.R);
  if (!svd) {
    return Error{ErrorKind::kFailed, "solve", "the singular value decomposition does not converge",
                 "take another solver: qr or rrqr need none"};
  }
  return Spectrum{std::move(svd->values), std::move(svd->V), svd->U.transpose() * system.z, system.rho, system.rows};
}

Filtered filtered(const Spectrum& spectrum, double lambda) {
  const Eigen::ArrayXd ratio = spectrum.s.array() / lambda;
  const Eigen::ArrayXd lost = 1.0 / (1.0 + ratio.square());
  const Eigen::ArrayXd kept = ratio.square() * lost;
  return {kept, lost, ratio * lost * spectrum.z.array() / lambda};
}

}  // namespace ipfit
