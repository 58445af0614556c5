#pragma once

#include <Eigen/Core>
#include <string>

#include "manager/solve/variables.h"

namespace ipfit {

/// A triangular system cut down to its numerical rank.
struct LeastNorm {
  Eigen::VectorXd x;         ///< of all minimisers of what is left, the one with the least |x|
  Columns independent;       ///< `rank` of them, in the order of what they add
  Columns dependent;         ///< all others
  Eigen::MatrixXd triangle;  ///< rank x rank: of the independent columns
};

/// A factorisation with column pivoting orders the columns by what they add to those before; those that add at most
/// `rtol` times the length of the first are left out: what they add to them is taken for zero.
/// Source: Golub and Van Loan, Matrix Computations, 4th ed., sections 5.4.2 and 5.5.2.
LeastNorm least_norm(const Eigen::MatrixXd& R, const Eigen::VectorXd& z, double rtol);

/// Estimate of the condition number of a triangle in the 1-norm; 0 where it is empty.
double triangle_condition(const Eigen::MatrixXd& triangle);

/// ", condition 2.7e5"; empty for 0.
std::string condition_in_words(double condition);

}  // namespace ipfit
