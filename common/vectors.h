#pragma once

#include <string_view>

namespace ipfit {

/// Inner loops are compiled for three sets of instructions: "baseline" (what every processor of its kind has), "avx2"
/// (AVX2 with FMA) and "avx512". Whether this processor has those of that name.
bool has_vectors(std::string_view name);

/// The set that inner loops use: the best that this processor has. IPFIT_VECTORS=baseline|avx2|avx512 asks for another
/// one, for tests and bug hunts; baseline where that is not there.
std::string_view chosen_vectors();

}  // namespace ipfit
