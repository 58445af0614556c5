#pragma once

#include <string>

#include "common/model/basis_spec.h"

namespace ipfit {

/// What a basis consists of, for a person: how many functions of which kind, the cutoffs, and for ACE a table of the
/// functions around each element by their rank.
std::string basis_text(const BasisSpec& basis);

}  // namespace ipfit
