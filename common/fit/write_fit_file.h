#pragma once

#include <string>

#include "common/fit/fit_spec.h"

namespace ipfit {

/// The resolved fit file: every key that matters (fit_keys.h) with its value, defaults included, and its meaning as a
/// comment. Reads back to the same FitSpec, if that could have come from a fit file; the same FitSpec gives the same
/// bytes.
std::string write_fit_file(const FitSpec& spec);

/// The part of a fit that its rows and targets depend on (basis and label keys) as canonical text: fits with the same
/// text and the same data share an assembled system, whatever their weights, solver, reference and paths.
std::string assembly_identity(const FitSpec& spec);

}  // namespace ipfit
