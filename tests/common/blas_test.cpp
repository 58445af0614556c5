#include "common/blas.h"

#include <catch2/catch.hpp>

TEST_CASE("matrices are multiplied with the vector instructions that this processor has") {
#if defined(__x86_64__)
  // The tests' main has called use_fast_blas_kernels.
  const bool has_vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  INFO("OpenBLAS runs its kernels for " << ipfit::blas_kernels());
  CHECK((!has_vectors || ipfit::blas_kernels() != "Prescott"));
#else
  CHECK_FALSE(ipfit::blas_kernels().empty());
#endif
}
