#pragma once

#include <string_view>

namespace ipfit {

/// Sets OpenBLAS to one thread, for good: the one place that does. Called first in every main. Parallelism is ours,
/// over independent pieces in a fixed order, because results of a threaded BLAS depend on the number of threads and its
/// waiting threads spin. A program that calls it also starts with OPENBLAS_NUM_THREADS=1, whatever its caller set, so
/// that no other thread is ever started; it costs a millisecond at the start, and nothing in the children.
void use_single_threaded_blas();

/// How many threads, at most `wanted`, may call OpenBLAS at the same time within the limit on memory (ulimit -v); 0
/// where not even one may. Each takes 128 MiB of addresses, and where it gets none OpenBLAS waits for them for ever.
int blas_threads_with_memory(int wanted);

/// The processor family whose kernels OpenBLAS runs, as it names it: "Haswell", "SkylakeX", "Prescott".
std::string_view blas_kernels();

/// An OpenBLAS that is older than the processor takes it for one of 2004 ("Prescott", no AVX) and multiplies matrices
/// at a quarter of the speed (measured: 14 against 53 GFlop/s). OpenBLAS asks for its kernels when it is loaded, so
/// this restarts the program once (same process, arguments and open files) with OPENBLAS_CORETYPE set to what the
/// processor can do. It does nothing where OpenBLAS knows the processor or OPENBLAS_CORETYPE is set already. To be
/// called before anything else by programs that factorise; `argv` as main got it.
void use_fast_blas_kernels(char** argv);

}  // namespace ipfit
