#pragma once

#include <vector>

#include "worker/basis/ace/site_kernel.h"

namespace ipfit {

/// Those that this program has and this processor runs, the best one first; the last one, "baseline", is always there.
std::vector<const SiteKernel*> usable_kernels();

/// The first of them. The environment variable IPFIT_VECTORS = baseline, avx2 or avx512 asks for another one: for
/// tests, bug hunts, and the same bits on processors of different kinds.
const SiteKernel& site_kernel();

/// The value of IPFIT_VECTORS where it names nothing that runs here, else nullptr: who asks for the bits of one kernel
/// must not silently get those of another. Programs end with it; site_kernel() is then the baseline.
const char* unusable_vectors();

}  // namespace ipfit
