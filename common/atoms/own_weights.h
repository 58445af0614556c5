#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "common/atoms/columns.h"
#include "common/atoms/comment_line.h"
#include "common/atoms/structure.h"
#include "common/result.h"

namespace ipfit {

/// Keys of the second line that weigh the labels of one structure, as docs/reference/extended-xyz.md says; those of
/// forces may also be columns, with a number for each atom. The program that wrote a file calls forces "force" or
/// "forces".
inline constexpr std::array<std::string_view, 1> kEnergySigmaNames = {"energy_sigma"};
inline constexpr std::array<std::string_view, 1> kEnergyWeightNames = {"energy_weight"};
inline constexpr std::array<std::string_view, 2> kForceSigmaNames = {"force_sigma", "forces_sigma"};
inline constexpr std::array<std::string_view, 2> kForceWeightNames = {"force_weight", "forces_weight"};
inline constexpr std::array<std::string_view, 1> kVirialSigmaNames = {"virial_sigma"};
inline constexpr std::array<std::string_view, 1> kVirialWeightNames = {"virial_weight"};

/// Whether a key or column of this name weighs labels.
bool weighs(std::string_view name);

/// The weight that a sigma (> 0) or a weight (>= 0) stands for; nothing where it is out of range.
std::optional<double> own_weight(double value, bool sigma);

/// Fills the weights of a structure from its second line; those of forces only where no column gives them. Errors:
/// numbers out of range, more than one for a kind, a sigma and a weight of the same kind.
Status read_own_weights(const TextLine& line, const CommentLine& comment, const Columns& columns, Structure& structure);

}  // namespace ipfit
