#pragma once

#include <vector>

#include "worker/basis/ace/site_kernel.h"

namespace ipfit {

/// Those that this program has and this processor runs, the best one first; the last one, "baseline", is always there.
std::vector<const SiteKernel*> usable_kernels();

/// The first of them. The environment variable IPFIT_VECTORS = baseline, avx2 or avx512 asks for another one; where
/// that cannot be had it is the baseline, which runs everywhere.
const SiteKernel& site_kernel();

}  // namespace ipfit
