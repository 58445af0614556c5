#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "common/lsq/reduced.h"

namespace ipfit {

/// One-body energies that are fitted together with the coefficients: the rows of energies have further columns, which
/// no penalty touches, the numbers of atoms of each element. Where compositions leave directions in the space of the
/// elements undetermined, only those that they determine have a column.
struct OneBodyColumns {
  std::vector<std::uint8_t> elements;
  Eigen::MatrixXd directions;  ///< elements x columns, orthonormal: a column is the numbers of atoms times a direction

  Eigen::Index count() const { return directions.cols(); }
};

/// `compositions`: rows x elements, row-major, numbers of atoms times the weight of the energy, one row for each energy
/// that has a weight. No rows: no columns.
OneBodyColumns one_body_columns(std::vector<std::uint8_t> elements, std::span<const double> compositions);

/// A system whose first columns, k of them, are eliminated: for given coefficients c of the others the minimiser is
/// R^-1 (z - S c). What is left is a system of the others alone: their minimum over all is its minimum, whatever
/// penalty is put on c. It has k rows less, which are those that the k numbers take.
struct Eliminated {
  Eigen::MatrixXd R;     ///< k x k, upper triangular
  Eigen::MatrixXd S;     ///< k x n
  Eigen::VectorXd z;     ///< k
  ReducedSystem others;  ///< n columns
};
Eliminated eliminate_first(const ReducedSystem& system, Eigen::Index k);

/// The minimiser of the eliminated columns.
Eigen::VectorXd minimiser(const Eliminated& eliminated, const Eigen::VectorXd& coefficients);

/// Another system with the same first columns, of which the minimiser of `eliminated` is put in: a system of the others
/// alone.
ReducedSystem with_minimiser(const ReducedSystem& system, const Eliminated& eliminated);

/// The one-body energies that the fit started from, with what it found on top, by column.
std::map<std::uint8_t, double> moved(std::map<std::uint8_t, double> energies, const OneBodyColumns& columns,
                                     const Eigen::VectorXd& found);

}  // namespace ipfit
