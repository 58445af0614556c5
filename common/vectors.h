#pragma once

#include <optional>
#include <string_view>

#include "common/result.h"

namespace ipfit {

/// Inner loops are compiled for three sets of instructions: "baseline" (what every processor of its kind has), "avx2"
/// (with FMA) and "avx512" (with DQ and FMA). Whether this processor has those of that name.
bool has_vectors(std::string_view name);

/// The set that inner loops use: the best that this processor has. The environment variable IPFIT_VECTORS = baseline,
/// avx2 or avx512 asks for another one: for tests, bug hunts, and the same bits on processors of different kinds.
std::string_view chosen_vectors();

/// An error where IPFIT_VECTORS names nothing that runs here: who asks for the bits of one set must not silently get
/// those of another. Programs end with it; chosen_vectors() is then the baseline.
std::optional<Error> unusable_vectors();

}  // namespace ipfit
