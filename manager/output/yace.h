#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// What a potential file says of its origin: names and texts.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// The potential as text that LAMMPS pair_style pace reads (docs/reference/yace.md). `coefficients`: eV, one per
/// column; `one_body`: eV per atom by atomic number, absent means zero. Numbers read back to the same bits, and the
/// file means the same function of the atoms as basis and coefficients, up to rounding. Same input, same bytes.
///
/// The format has one coefficient for every product of A, where the basis has one for every coupling, so the couplings
/// of a multiset are summed; and it takes products of one factor from the raw radial functions, so those go back
/// through the transform of their bond.
std::string write_yace(const AceSpec& spec, std::span<const double> coefficients,
                       const std::map<std::uint8_t, double>& one_body, const Provenance& provenance);

}  // namespace ipfit
