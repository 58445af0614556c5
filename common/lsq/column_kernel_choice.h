#pragma once

#include <vector>

#include "common/lsq/column_kernel.h"

namespace ipfit {

/// Those that this program has and this processor runs, the best one first; the last one, "baseline", is always there.
std::vector<const ColumnKernel*> usable_column_kernels();

/// The one that chosen_vectors() of common/vectors.h names.
const ColumnKernel& column_kernel();

}  // namespace ipfit
