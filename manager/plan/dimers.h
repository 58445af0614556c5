#pragma once

#include <vector>

#include "common/atoms/structure.h"
#include "common/model/model.h"

namespace ipfit {

/// Two atoms alone in space, for each unordered pair of the model's elements in their order (a, a) (a, b) ... (b, b):
/// kDimerPoints distances each, ascending and equally spaced, from kShortestDimer of a bond length (bond_length.h) to
/// the cutoff of the model, where they feel nothing any more. No labels.
std::vector<Structure> dimers_of(const Model& model);

inline constexpr std::size_t kDimerPoints = 160;

// About 0.8 Å for silicon: closer than atoms ever come to each other, and not so close that nothing else can be seen.
inline constexpr double kShortestDimer = 0.35;

}  // namespace ipfit
