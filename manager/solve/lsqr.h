#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>

#include "common/lsq/reduced.h"
#include "common/result.h"
#include "manager/solve/solver.h"

namespace ipfit {

/// A matrix A that is known by its products: u becomes A v - alpha u, and A^T u (of the new u) is returned; both in one
/// pass over the rows.
using Bidiagonaliser =
    std::function<Result<Eigen::VectorXd>(const Eigen::VectorXd& v, double alpha, Eigen::VectorXd& u)>;

struct LsqrOptions {
  double damp = 0.0;              ///< lambda
  double rtol = 1e-9;             ///< ATOL = BTOL of the paper
  double condition_limit = 1e15;  ///< CONLIM
  double rho = 0.0;               ///< norm of a part of the targets that was left out of y because no c can reach it
  std::int64_t iterations = 0;    ///< the most there may be; 0: 4 columns + 100
};

/// Minimises |A c - y|^2 + damp^2 |c|^2 by Golub-Kahan bidiagonalisation from c = 0, so that of all minimisers the one
/// of least norm comes out. Stops where the residual or its product with A^T are negligible beside the relative
/// accuracy `rtol` of the data, at the condition limit, or at the limit of iterations; `status` says which. The error
/// of c that this leaves is up to condition times rtol. Working space: y and a few vectors of one entry per column.
/// Source: Paige and Saunders, ACM Trans. Math. Softw. 8, 43 (1982), sections 4 to 6.
/// Errors: those of `A`.
Result<Solution> lsqr(const Bidiagonaliser& A, std::int64_t columns, const Eigen::VectorXd& y,
                      const LsqrOptions& options);

/// The matrix of a reduced system.
Bidiagonaliser operator_of(const ReducedSystem& system);

/// The matrix of weighted rows that are read in panels of at most 2048 rows, in order, with its columns divided by
/// `scales`: for systems of which not even the triangle fits into memory. Each iteration reads every row once.
Bidiagonaliser operator_of(std::int64_t rows, const Eigen::VectorXd& scales, const RowReader& reader);

/// The targets of such rows.
Result<Eigen::VectorXd> read_targets(std::int64_t rows, std::int64_t columns, const RowReader& reader);

}  // namespace ipfit
