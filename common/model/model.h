#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/basis_spec.h"
#include "common/model/zbl.h"
#include "common/result.h"

namespace ipfit {

/// What a worker evaluates. Without coefficients: rows of the design matrix, one column per basis function; with a ZBL
/// repulsion one more, the last, which holds its energies, forces and virials, to be subtracted from the labels.
/// With coefficients: a fitted potential, whose "rows" have one column, the predicted energy, forces and virial
/// (one-body energies and ZBL repulsion included), in the same row order.
struct Model {
  BasisSpec basis;
  std::vector<double> coefficients;         ///< empty, or one per basis function; eV
  std::map<std::uint8_t, double> one_body;  ///< eV per atom by atomic number; absent means zero
  std::optional<Zbl> zbl = {};

  bool fitted() const { return !coefficients.empty(); }
  std::int64_t columns() const { return fitted() ? 1 : column_count(basis) + (zbl ? 1 : 0); }
  double cutoff() const { return std::max(cutoff_of(basis), zbl ? zbl->outer : 0.0); }  ///< Å; of all it consists of

  bool operator==(const Model&) const = default;
};

/// The model as JSON text (docs/reference/potential-file.md): the potential file, and what travels to workers.
/// Doubles round-trip exactly; the same model gives the same bytes. A fitted potential ends with a checksum.
std::string write_model(const Model& model);

/// Reads what write_model wrote; `where` names the source in errors. Untrusted input: every value is checked.
Result<Model> read_model(std::string_view text, const std::string& where);

}  // namespace ipfit
