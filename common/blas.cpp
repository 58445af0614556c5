#include "common/blas.h"

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>

namespace ipfit {
namespace {

// The best kernels that this processor can run; null where there are none better than OpenBLAS finds itself.
const char* best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return "SKYLAKEX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return "HASWELL";
  }
#endif
  return nullptr;
}

}  // namespace

void use_single_threaded_blas() {
  openblas_set_num_threads(1);
}

std::string_view blas_kernels() {
  return openblas_get_corename();
}

void use_fast_blas_kernels(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const char* wanted = best_kernels();
  if (wanted == nullptr || blas_kernels() != "Prescott" || std::getenv(kVariable) != nullptr) {
    return;
  }
  setenv(kVariable, wanted, 0);
  execv("/proc/self/exe", argv);
  // Where that fails the program goes on, slowly but right; its children need not.
}

}  // namespace ipfit
