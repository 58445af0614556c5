#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/basis_spec.h"
#include "common/result.h"

namespace ipfit {

/// What a worker evaluates. Without coefficients: rows of the design matrix, one column per basis function.
/// With coefficients: a fitted potential, whose "rows" have one column, the predicted energy, forces and virial
/// (one-body energies included), in the same row order.
struct Model {
  BasisSpec basis;
  std::vector<double> coefficients;         ///< empty, or one per column; eV
  std::map<std::uint8_t, double> one_body;  ///< eV per atom by atomic number; absent means zero

  bool fitted() const { return !coefficients.empty(); }
  std::int64_t columns() const { return fitted() ? 1 : column_count(basis); }
  bool operator==(const Model&) const = default;
};

/// The model as JSON text (docs/reference/potential-file.md): the potential file, and what travels to workers.
/// Doubles round-trip exactly; the same model gives the same bytes.
std::string write_model(const Model& model);

/// Reads what write_model wrote; `where` names the source in errors. Untrusted input: every value is checked.
Result<Model> read_model(std::string_view text, const std::string& where);

}  // namespace ipfit
