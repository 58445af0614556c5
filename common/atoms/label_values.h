#pragma once

#include "common/atoms/comment_line.h"
#include "common/atoms/label_keys.h"
#include "common/atoms/structure.h"
#include "common/result.h"

namespace ipfit {

/// Fills energy, virial and config_type of a structure, whose cell and pbc are known, from its second line.
/// A virial is -volume * stress where only a stress is given; where both are, they must agree within virial_tolerance
/// and the virial is taken. What is given for a structure that is not periodic in all directions (its volume has no
/// meaning) becomes its ignored_virial, and the two are not compared. Errors: a label that is no number or not finite,
/// of a wrong length, not symmetric; a group name that is longer than kMaxGroupName or has characters other than
/// printable ASCII.
Status read_labels(const TextLine& line, const CommentLine& comment, const LabelKeys& keys, const LabelNames& names,
                   Structure& structure);

inline constexpr std::size_t kMaxGroupName = 200;

}  // namespace ipfit
