#pragma once

#include <numbers>

#include "tests/support/solver_systems.h"

namespace ipfit::test {

/// log N(y | 0, C), C = 1/beta + A diag(1/alpha) A^T, from the definition, on all rows: a dense covariance of the
/// targets, its determinant and its inverse, in extended precision.
inline long double log_marginal_likelihood(const Rows& rows, const Eigen::VectorXd& alpha, double beta) {
  const LongMatrix A = rows.A.cast<long double>();
  const LongVector y = rows.y.cast<long double>();
  LongMatrix C = A * alpha.cast<long double>().cwiseInverse().asDiagonal() * A.transpose();
  C.diagonal().array() += 1.0L / beta;
  const Eigen::LDLT<LongMatrix> factor(C);
  const long double misfit = y.dot(factor.solve(y));
  const long double determinant = factor.vectorD().array().log().sum();
  const auto count = static_cast<long double>(y.size());
  return -0.5L * (misfit + determinant + count * std::log(2.0L * std::numbers::pi_v<long double>));
}

/// beta with the largest of these for given ratios alpha / beta: rows / y^T (1 + A diag(beta / alpha) A^T)^-1 y.
inline double best_beta(const Rows& rows, const Eigen::VectorXd& ratios) {
  const LongMatrix A = rows.A.cast<long double>();
  const LongVector y = rows.y.cast<long double>();
  LongMatrix C = A * ratios.cast<long double>().cwiseInverse().asDiagonal() * A.transpose();
  C.diagonal().array() += 1.0L;
  return static_cast<double>(static_cast<long double>(y.size()) / y.dot(Eigen::LDLT<LongMatrix>(C).solve(y)));
}

/// (A^T A + diag(ratios))^-1 A^T y and the trace of A (A^T A + diag(ratios))^-1 A^T, in extended precision.
struct Penalised {
  Eigen::VectorXd c;
  double trace = 0.0;
};
inline Penalised penalised(const Rows& rows, const Eigen::VectorXd& ratios) {
  const LongMatrix A = rows.A.cast<long double>();
  LongMatrix G = A.transpose() * A;
  const LongMatrix gram = G;
  G.diagonal() += ratios.cast<long double>();
  const Eigen::LDLT<LongMatrix> factor(G);
  return {factor.solve(A.transpose() * rows.y.cast<long double>()).cast<double>(),
          static_cast<double>(factor.solve(gram).trace())};
}

}  // namespace ipfit::test
