#pragma once

#include <vector>

#include "worker/basis/ace/site_kernel.h"

namespace ipfit {

/// Those that this program has and this processor runs, the best one first; the last one, "baseline", is always there.
std::vector<const SiteKernel*> usable_kernels();

/// The one that chosen_vectors() of common/vectors.h names.
const SiteKernel& site_kernel();

}  // namespace ipfit
