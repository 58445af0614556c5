#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"
#include "common/model/model.h"
#include "common/result.h"
#include "worker/basis/basis.h"
#include "worker/neighbours.h"

namespace ipfit {

/// Evaluates the rows of structures for one model: the one place where structures become numbers.
///
/// The result is a function of the model, the structure and the mask alone: the same bits whatever was evaluated
/// before. Keeps its scratch space from one structure to the next; one object serves one thread.
class Evaluator {
 public:
  /// A model as read_model accepts it.
  explicit Evaluator(Model model);

  const Model& model() const { return model_; }
  std::int64_t columns() const { return columns_; }

  /// Fills `out`, row_count(atoms, mask) x columns() doubles, row-major, in the order of observation.h: eV, eV/Å and eV
  /// (virial = -dE/dstrain) per coefficient, or for a fitted model the predicted energy, forces and virial themselves,
  /// one-body energies and ZBL repulsion included. Labels are not looked at.
  ///
  /// Errors (kFailed; where = file and frame): an element that the model does not have, atoms too close, numbers not
  /// finite, a cell that cannot be periodic as it says, results that are not finite, and forces that do not sum to zero
  /// over the atoms (a fault of this machine or of the basis, see row_checks.h). `out` is then of no use.
  Status evaluate(const Structure& structure, RowMask mask, std::span<double> out);

 private:
  Status check_elements(const Structure& structure) const;
  Rows layout(const Structure& structure, RowMask mask, std::span<double> out);
  Status add_sites(const Structure& structure, const Rows& rows);
  Status check_finite(const Structure& structure, RowMask mask, std::span<const double> out) const;
  Status check_forces(const Structure& structure, const Rows& rows);
  double one_body_energy(const Structure& structure) const;
  std::span<const Neighbour> seen_by_basis(std::span<const Neighbour> neighbours);
  std::string column_name(std::int64_t column) const;

  Model model_;
  std::int64_t columns_;
  std::unique_ptr<Basis> basis_;
  NeighbourSearch neighbours_;
  std::vector<Neighbour> near_;  ///< of seen_by_basis
  std::vector<double> unasked_;  ///< energy and virial rows that the mask leaves out but find_imbalance needs
  std::vector<double> scratch_;  ///< of find_imbalance
};

}  // namespace ipfit
