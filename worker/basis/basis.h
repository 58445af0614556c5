#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/model/basis_spec.h"

namespace ipfit {

/// One neighbour of a centre: r = position of the neighbour's image minus position of the centre.
struct Neighbour {
  Vec3 r;             ///< Å
  double distance;    ///< |r|, Å, 0 < distance < cutoff
  std::int32_t atom;  ///< index of the neighbour in the structure (an image of the centre has the centre's own index)
  std::uint8_t species;  ///< its atomic number
};

/// A centre and all its neighbours within the cutoff of the basis, images counted as often as they occur.
struct Environment {
  std::int32_t atom;
  std::uint8_t species;
  std::span<const Neighbour> neighbours;
};

/// The rows of one structure, row-major, `columns` doubles a row. A kind without rows is a null pointer.
struct Rows {
  double* energy = nullptr;  ///< 1 row: dE/dc
  double* forces = nullptr;  ///< 3n rows: dF/dc, atom-major x y z
  double* virial = nullptr;  ///< 6 rows: dW/dc in Voigt order, W = -dE/dstrain
  std::int64_t columns = 0;  ///< doubles a row; those behind the columns of the basis are not the basis's to touch
};

/// A set of functions of atomic environments: E = sum over sites and columns of coefficient times function.
/// Implementations hold scratch space, so one object serves one thread.
///
/// Only the sum over all sites of a structure has a meaning: a basis is free to divide what the atoms share between
/// their sites as suits it best (a pair basis gives each site the whole force on its own centre and writes no other
/// force rows). The caller zeroes the rows, adds every site of the structure once, and then reads them.
class Basis {
 public:
  virtual ~Basis() = default;
  /// Functions; 1 for a fitted potential.
  virtual std::int64_t columns() const = 0;
  virtual double cutoff() const = 0;  ///< Å; the largest over all pairs

  /// Adds a share of the rows such that the sum over all sites is: for every site function B and every neighbour j,
  /// energy += B, force on the centre += dB/dr_j, force on j -= dB/dr_j, virial -= sym(r_j dB/dr_j).
  /// All species must be elements of the basis. Does not allocate once it has seen a site of this size.
  virtual void add_site(const Environment& site, const Rows& rows) = 0;
};

/// The basis of a specification that read_model accepts. With coefficients, one per column: the fitted potential, a
/// basis of one function, the sum of all times their coefficients.
std::unique_ptr<Basis> make_basis(const BasisSpec& spec, std::vector<double> coefficients = {});

}  // namespace ipfit
