#pragma once

#include <string>

#include "common/model/model.h"
#include "common/result.h"

namespace ipfit {

/// The fitted potential of a potential.json. Errors (kInput): it is missing, damaged, or describes a basis only.
Result<Model> load_potential(const std::string& file);

}  // namespace ipfit
