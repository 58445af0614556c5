#include "worker/basis/pair/pair_functions.h"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace ipfit;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Gauss-Legendre nodes and weights on [-1, 1] as eigenvalues of the Jacobi matrix (Golub and Welsch, Math. Comp. 23,
/// 221 (1969)): exact for polynomials up to degree 2 n - 1.
struct Quadrature {
  Eigen::VectorXd nodes;
  Eigen::VectorXd weights;
};

Quadrature gauss_legendre(int n) {
  Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(n, n);
  for (int i = 1; i < n; ++i) {
    jacobi(i, i - 1) = jacobi(i - 1, i) = i / std::sqrt(4.0 * i * i - 1.0);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(jacobi);
  return {solver.eigenvalues(), 2.0 * solver.eigenvectors().row(0).transpose().array().square()};
}

/// r at which the transformed distance is x: the inverse of x = (4s - 1)/(1 + 2s).
double distance_at(double x, double cutoff) {
  return cutoff * std::sqrt((1.0 + x) / (4.0 - 2.0 * x));
}

Eigen::VectorXd values_at(const PairFunctions& functions, double r, Eigen::VectorXd* slopes = nullptr) {
  const auto size = static_cast<std::size_t>(functions.size());
  Eigen::VectorXd values(functions.size());
  Eigen::VectorXd other(functions.size());
  functions.at(r, {values.data(), size}, {(slopes == nullptr ? other : *slopes).data(), size});
  return values;
}

}  // namespace

TEST_CASE("the functions are orthonormal in the transformed distance") {
  const int size = 40;
  const PairFunctions functions(5.5, size);
  const Quadrature quadrature = gauss_legendre(size + 4);  // products have degree 2 (39 + 3) = 84 <= 2 * 44 - 1
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index i = 0; i < quadrature.nodes.size(); ++i) {
    const Eigen::VectorXd values = values_at(functions, distance_at(quadrature.nodes[i], 5.5));
    gram += quadrature.weights[i] * values * values.transpose();
  }
  // Nodes, weights and 40 steps of recurrence each contribute some epsilon.
  REQUIRE((gram - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff() < 1000.0 * kEpsilon);
}

TEST_CASE("the first functions are the Jacobi polynomials written out") {
  const double cutoff = 6.0;
  const PairFunctions functions(cutoff, 3);
  for (const double r : {0.0, 0.5, 2.0, 3.3, 5.9}) {
    const double s = r * r / (cutoff * cutoff);
    const double x = (4.0 * s - 1.0) / (1.0 + 2.0 * s);
    const double envelope = std::pow((1.0 - x) / 2.0, 3);
    const Eigen::VectorXd values = values_at(functions, r);
    CHECK(values[0] == Approx(std::sqrt(3.5) * envelope).epsilon(1e-13));
    CHECK(values[1] == Approx(std::sqrt(4.5) * (4.0 * x + 3.0) * envelope).epsilon(1e-13));
    // P_2^(6,0) = 28 + 36 (x - 1) + 45/4 (x - 1)²
    CHECK(values[2] ==
          Approx(std::sqrt(5.5) * (28.0 + 36.0 * (x - 1.0) + 11.25 * (x - 1.0) * (x - 1.0)) * envelope).epsilon(1e-13));
  }
}

TEST_CASE("the slopes are the derivatives of the values") {
  const PairFunctions functions(5.0, 12);
  for (double r = 0.05; r < 4.9; r += 0.07) {
    Eigen::VectorXd slopes(12);
    values_at(functions, r, &slopes);
    const double h = 2e-3;
    const auto difference = [&](double by) {
      return Eigen::VectorXd(values_at(functions, r + by) - values_at(functions, r - by));
    };
    // Sixth order: an error of h^6/140 times the seventh derivative (below 1e7 here: 4e-12), and 1e-13/h of rounding.
    const Eigen::VectorXd expected = (45.0 * difference(h) - 9.0 * difference(2 * h) + difference(3 * h)) / (60.0 * h);
    REQUIRE((slopes - expected).cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("value, slope and second derivative vanish at the cutoff as a third power does") {
  const double cutoff = 5.0;
  const PairFunctions functions(cutoff, 8);
  Eigen::VectorXd slopes(8);
  REQUIRE(values_at(functions, cutoff, &slopes).cwiseAbs().maxCoeff() < 1e-40);
  REQUIRE(slopes.cwiseAbs().maxCoeff() < 1e-25);
  const Eigen::VectorXd near = values_at(functions, cutoff - 2e-4);
  const Eigen::VectorXd nearer = values_at(functions, cutoff - 1e-4);
  for (int k = 0; k < 8; ++k) {
    REQUIRE(near[k] / nearer[k] == Approx(8.0).epsilon(0.02));
  }
}

TEST_CASE("the functions stay finite and flat where atoms meet") {
  const PairFunctions functions(5.0, 30);
  Eigen::VectorXd slopes(30);
  const Eigen::VectorXd values = values_at(functions, 0.0, &slopes);
  for (int k = 0; k < 30; ++k) {
    REQUIRE(std::abs(values[k]) == Approx(std::sqrt(k + 3.5)).epsilon(1e-12));
    REQUIRE(slopes[k] == 0.0);
  }
}
