#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"
#include "common/lsq/observation.h"

namespace ipfit {

/// The weights of a group; those of [weights.default] where the fit file says nothing about the group.
const GroupWeights& weights_of(const WeightsSpec& spec, const std::string& group);

/// The weight of a kind, or one over its sigma.
double weight_of(const GroupWeights& weights, Kind kind);

/// What a row, and its target, of a structure of `atoms` atoms (>= 1) are multiplied by: the weight of its kind, for
/// energy and virial times 1/sqrt(atoms). Energies and virials grow with the number of atoms n, the error of a sum over
/// n independent atoms grows with sqrt(n): so weighted, a cell and its supercells have errors of the same size. Unit:
/// one over that of the row.
double row_weight(const GroupWeights& weights, Kind kind, std::int64_t atoms);

/// The weights of all rows of a structure, in row order; `out` has row_count(structure.size(), mask) entries. A weight
/// of the structure itself takes the place of the one of its group, unless that is 0: then the rows have no say,
/// whatever the file says of them.
void fill_weights(const GroupWeights& weights, const Structure& structure, RowMask mask, std::span<double> out);

}  // namespace ipfit
