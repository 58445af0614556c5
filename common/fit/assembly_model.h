#pragma once

#include "common/fit/fit_spec.h"
#include "common/model/model.h"
#include "common/result.h"

namespace ipfit {

/// What the workers evaluate for a fit: its basis, and the ZBL repulsion where there is one. The elements must not be
/// empty. Lists all functions, so call it once and keep what it gives. Errors (kInput) as those of resolve_basis.
Result<Model> assembly_model(const FitSpec& spec);

}  // namespace ipfit
