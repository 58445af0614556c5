#pragma once

namespace ipfit {

/// Sets OpenBLAS to one thread, for good: the one place that does. Called first in every main. Parallelism is ours,
/// over independent pieces in a fixed order, because results of a threaded BLAS depend on the number of threads and its
/// waiting threads spin.
void use_single_threaded_blas();

}  // namespace ipfit
