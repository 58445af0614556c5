#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "common/model/ace/ace_rule.h"
#include "common/model/basis_spec.h"
#include "common/result.h"

namespace ipfit {

/// What a fit file says of the basis. BasisSpec is what it means: the functions themselves.
using BasisChoice = std::variant<PairSpec, AceRule>;

/// Atomic numbers in the order of the columns; empty: those of the training data (manager/plan/import.h).
std::vector<std::uint8_t>& elements_of(BasisChoice& choice);
const std::vector<std::uint8_t>& elements_of(const BasisChoice& choice);

/// The functions that are meant; the elements must not be empty. Lists all functions, so call it once and keep what it
/// gives. Errors (kInput; where = the key at fault, as "basis.size"): those of make_ace_spec, cutoffs of pairs that the
/// basis does not have, and more couplings than a worker could find.
Result<BasisSpec> resolve_basis(const BasisChoice& choice);

/// The same choice with the cutoff of `spec`, which is what it resolves to, where it was left to the bond lengths of
/// the elements. It still resolves to `spec`.
BasisChoice with_cutoff(const BasisChoice& choice, const BasisSpec& spec);

}  // namespace ipfit
