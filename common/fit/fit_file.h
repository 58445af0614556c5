#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/fit/fit_spec.h"
#include "common/fit/write_fit_file.h"  // IWYU pragma: export
#include "common/result.h"

namespace ipfit {

/// Reads a fit file (TOML; docs/reference/fit-file.md lists every key). Keys that are left out have their defaults.
/// `where` is the name of the file in messages. Errors (kInput) are all the mistakes in the file, in its order, each
/// with "file:line:column"; where the text is no TOML, the first place where it is not. Untrusted input: limited to
/// kLargestFitFile bytes and kMostDots dots (each dot of a key is a level of nesting, and levels cost stack).
Result<FitSpec> read_fit_file(std::string_view text, const std::string& where);

/// The same for a file on the disk.
Result<FitSpec> load_fit_file(const std::string& path);

/// Only weights, or only a solver: a fit file with nothing but its sections [weights.NAME], or its section [solver].
/// What is left out has its default.
Result<WeightsSpec> read_weights(std::string_view text, const std::string& where);
Result<SolverSpec> read_solver(std::string_view text, const std::string& where);

inline constexpr std::size_t kLargestFitFile = std::size_t{1} << 20;
inline constexpr std::ptrdiff_t kMostDots = 10000;

}  // namespace ipfit
