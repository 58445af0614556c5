#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "common/lsq/reduced.h"
#include "common/result.h"

namespace ipfit {

/// A reduced system in the directions of its singular value decomposition R = U diag(s) V^T, in which every penalty
/// that is a multiple of |c|^2 is solved in closed form: |A c - y|^2 = |s .* (V^T c) - z|^2 + rho^2.
struct Spectrum {
  Eigen::VectorXd s;  ///< n, descending
  Eigen::MatrixXd V;  ///< n x n
  Eigen::VectorXd z;  ///< n: U^T times the z of the system
  double rho = 0.0;
  std::int64_t rows = 0;
};

/// Error (kFailed): the decomposition does not converge.
Result<Spectrum> spectrum_of(const ReducedSystem& system);

/// What ridge with penalty lambda^2 |c|^2, lambda > 0, makes of a spectrum.
struct Filtered {
  Eigen::VectorXd kept;        ///< s^2 / (s^2 + lambda^2): the share of a direction that is kept
  Eigen::VectorXd lost;        ///< 1 - kept, without cancellation
  Eigen::VectorXd directions;  ///< V^T c
};
Filtered filtered(const Spectrum& spectrum, double lambda);

}  // namespace ipfit
