#pragma once

#include <cstdint>

#include "common/atoms/columns.h"
#include "common/atoms/structure.h"
#include "common/atoms/text_line.h"
#include "common/result.h"

namespace ipfit {

/// Reads one atom line and appends species, position and force to the structure. `atom` counts from 1, for messages.
/// Errors: more or fewer columns than Properties says, a text of the wrong type in any column (also one that is not
/// used), an unknown element, species and Z that contradict each other, NaN and infinity.
Status read_atom_line(const TextLine& line, const Columns& columns, std::int64_t atom, Structure& structure);

}  // namespace ipfit
