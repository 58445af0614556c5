#include "manager/solve/active_qr.h"

#include <Eigen/Jacobi>

namespace ipfit {

using Eigen::Index;

ActiveQr::ActiveQr(Index rows, Index most)
    : q_(Eigen::MatrixXd::Zero(rows, most)), t_(Eigen::MatrixXd::Zero(most, most)) {}

// Gram-Schmidt, twice: orthogonal to rounding errors (Giraud et al., Numer. Math. 101, 87 (2005)).
bool ActiveQr::append(Index number, const Eigen::Ref<const Eigen::VectorXd>& column, double tolerance) {
  const Index k = size();
  Eigen::VectorXd rest = column;
  Eigen::VectorXd along = Eigen::VectorXd::Zero(k);
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::VectorXd projected = Q().transpose() * rest;
    rest -= Q() * projected;
    along += projected;
  }
  const double length = rest.norm();
  if (k == q_.cols() || !(length > tolerance * column.norm())) {
    return false;
  }
  t_.col(k).head(k) = along;
  t_(k, k) = length;
  q_.col(k) = rest / length;
  columns_.push_back(number);
  return true;
}

// Without the column the triangle is Hessenberg from `place` on; rotations of neighbouring rows make it a triangle
// again (Golub and Van Loan, Matrix Computations, 4th ed., section 6.5.2).
void ActiveQr::remove(Index place) {
  const Index k = size();
  for (Index j = place; j + 1 < k; ++j) {
    t_.col(j).head(j + 2) = t_.col(j + 1).head(j + 2);
  }
  t_.col(k - 1).setZero();
  for (Index j = place; j + 1 < k; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(t_(j, j), t_(j + 1, j));
    t_.middleCols(j, k - 1 - j).applyOnTheLeft(j, j + 1, rotation.adjoint());
    t_(j + 1, j) = 0.0;
    q_.applyOnTheRight(j, j + 1, rotation);
  }
  columns_.erase(columns_.begin() + place);
}

}  // namespace ipfit
