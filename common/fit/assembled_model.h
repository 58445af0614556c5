#pragma once

#include "common/fit/fit_spec.h"
#include "common/model/model.h"

namespace ipfit {

/// What the workers evaluate for a fit: the functions that its basis resolves to (resolve_basis), not yet fitted, and
/// the repulsion of its reference potential.
Model assembled_model(const FitSpec& spec, BasisSpec basis);

}  // namespace ipfit
