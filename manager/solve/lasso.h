#pragma once

#include "manager/solve/solver.h"
#include "manager/solve/variables.h"

namespace ipfit {

/// A corner of the lasso path: at `penalty` t the minimiser of |A c - y|^2 / 2 + t sum |c_k| has the `values` at
/// `columns`, zero elsewhere.
struct LassoKnot {
  double penalty = 0.0;
  Columns columns;                ///< in the order in which they came
  Eigen::VectorXd values;         ///< one that leaves here is 0
  Eigen::VectorXd least_squares;  ///< of these columns alone, without any penalty
  double residual = 0.0;          ///< |A c - y| of those
};

/// The minimisers for all penalties, from the least that makes all coefficients zero downwards. Between two knots they
/// are linear in the penalty.
struct LassoPath {
  std::vector<LassoKnot> knots;  ///< penalties descend, to 0 unless the path was cut
  bool cut = false;              ///< it ended at a limit: a column more than `most`, or 8 n + 8 steps
};

/// Follows the path exactly from corner to corner (homotopy; least angle regression with the lasso modification). It
/// ends before more than `most` columns are in use. Columns that are combinations of those in use stay at zero, which
/// is one of the minimisers. Source: Efron, Hastie, Johnstone and Tibshirani, Ann. Statist. 32, 407 (2004), sections 2
/// and 3.1. About 10 n^2 flops a step.
LassoPath lasso_path(const ReducedSystem& system, Eigen::Index most);

/// The minimiser at a penalty that is not below the last knot's, for a system of that many columns.
Eigen::VectorXd lasso_at(const LassoPath& path, double penalty, Eigen::Index columns);

/// Selects columns by the path and solves the least squares on them alone, which takes back the shrinkage (the relaxed
/// lasso of Meinshausen, Comput. Stat. Data Anal. 52, 374 (2007), at phi = 0). The selection is the last one of `size`
/// columns before one more comes in. With another rule than kGiven it is chosen among all selections of up to `size`
/// columns; 0 means no limit.
Solution solve_lasso(const ReducedSystem& system, StrengthRule rule, std::int64_t size,
                     const ReducedSystem* validation);

}  // namespace ipfit
