#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/least_squares.h"

namespace ipfit::test {

/// Rows whose singular values fall geometrically from 1 to 1/condition. Targets are random, so no column fits them
/// well.
inline Rows ill_conditioned(Eigen::Index rows, Eigen::Index columns, double condition, std::uint64_t seed) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> left{Eigen::MatrixXd(random_rows(rows, columns, seed).A)};
  const Eigen::HouseholderQR<Eigen::MatrixXd> right{Eigen::MatrixXd(random_rows(columns, columns, seed + 1).A)};
  Eigen::MatrixXd middle = Eigen::MatrixXd::Zero(rows, columns);
  for (Eigen::Index k = 0; k < std::min(rows, columns); ++k) {
    middle(k, k) = std::pow(condition, -static_cast<double>(k) / static_cast<double>(columns - 1));
  }
  Rows out = random_rows(rows, columns, seed + 2);
  out.A = left.householderQ() * middle * Eigen::MatrixXd(right.householderQ());
  return out;
}

/// Targets that `c` gives, with uniform noise of that amplitude.
inline Rows with_targets(Rows rows, const Eigen::VectorXd& c, double noise, std::uint64_t seed) {
  rows.y = rows.A * c + noise * random_rows(rows.A.rows(), 1, seed).y;
  return rows;
}

struct NamedRows {
  std::string name;
  Rows rows;
};

/// What the data of a fit can be like, small enough for dense formulas on all rows.
inline std::vector<NamedRows> awkward_systems() {
  std::vector<NamedRows> out;
  const auto add = [&](const char* name, Rows rows) { out.push_back({name, std::move(rows)}); };
  add("tall", with_targets(random_rows(80, 12, 1), Eigen::VectorXd::LinSpaced(12, 1.0, -1.0), 0.1, 2));
  add("targets that no column explains", random_rows(80, 12, 3));

  Rows dependent = with_targets(random_rows(60, 10, 4), Eigen::VectorXd::Ones(10), 0.1, 5);
  dependent.A.col(3) = dependent.A.col(7);
  dependent.A.col(5) = 2.0 * dependent.A.col(1) - dependent.A.col(2);
  dependent.A.col(8).setZero();
  add("dependent, equal and empty columns", dependent);

  add("one row", random_rows(1, 6, 6));
  add("more columns than rows", random_rows(9, 25, 7));
  add("as many columns as rows", random_rows(11, 11, 8));
  add("condition 1e12", with_targets(ill_conditioned(70, 15, 1e12, 9), Eigen::VectorXd::Ones(15), 1e-3, 10));

  // Energies: one row for each structure, all columns of one sign, nearly proportional to the number of atoms.
  Rows energies = random_rows(14, 20, 11);
  energies.A = (energies.A.array() * 0.01 + 1.0).matrix();
  energies.A = Eigen::VectorXd::LinSpaced(14, 1.0, 27.0).asDiagonal() * energies.A;
  add("energies only", with_targets(energies, Eigen::VectorXd::LinSpaced(20, -1.0, 1.0), 1e-3, 12));

  // Forces: rows of three atoms add up to zero, and columns fall in size as those of a basis do.
  Rows forces = random_rows(90, 16, 13);
  for (Eigen::Index i = 2; i < 90; i += 3) {
    forces.A.row(i) = -forces.A.row(i - 1) - forces.A.row(i - 2);
  }
  forces.A *= Eigen::ArrayXd::LinSpaced(16, 0.0, -14.0).exp().matrix().asDiagonal();
  forces = with_targets(forces, Eigen::VectorXd::Ones(16), 1e-2, 14);
  add("forces only", forces);

  add("no noise", with_targets(random_rows(50, 8, 15), Eigen::VectorXd::LinSpaced(8, -1.0, 2.0), 0.0, 16));
  Rows zero = random_rows(20, 5, 17);
  zero.y.setZero();
  add("targets zero", zero);
  Rows empty = random_rows(20, 5, 18);
  empty.A.setZero();
  add("columns zero", empty);
  return out;
}

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

}  // namespace ipfit::test
