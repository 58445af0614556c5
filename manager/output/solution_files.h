#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/result.h"
#include "manager/solve/solver.h"

namespace ipfit {

/// coefficients.json (docs/reference/results.md): the solution with the names of its columns, how it was obtained and
/// the one-body energies (eV, by atomic number) that belong to it. `inputs` is the fingerprint of everything that it
/// depends on; members of a committee may have one-body energies of their own. Coefficients are finite, one per column,
/// and round-trip exactly; the same input gives the same bytes.
std::string coefficients_json(const std::vector<std::string>& columns, const Solution& solution,
                              const SolverSpec& solver, const std::map<std::uint8_t, double>& one_body,
                              const std::string& inputs,
                              const std::vector<std::map<std::uint8_t, double>>& committee_one_body = {});

struct Coefficients {
  std::vector<std::string> columns;  ///< labels, each once
  std::vector<double> values;        ///< eV, one per column
  std::string status;                ///< of the solver, in words; empty where the file does not say
  std::string inputs;                ///< fingerprint of what it depends on; empty where the file does not say
  bool operator==(const Coefficients&) const = default;
};

/// Reads columns and coefficients of a coefficients.json; `where` names it in errors (kInput). Untrusted input:
/// lengths, types and finite values are checked.
Result<Coefficients> read_coefficients(std::string_view text, const std::string& where);

}  // namespace ipfit
