#include "worker/basis/ace/site_kernel.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace ipfit {

bool runs_here(const SiteKernel& kernel) {
  if (&kernel == &kSiteKernelAvx512) {
    return __builtin_cpu_supports("avx512f") != 0;
  }
  if (&kernel == &kSiteKernelAvx2) {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  }
  return true;
}

namespace {

const SiteKernel& choose() {
  const char* wanted = std::getenv("IPFIT_VECTORS");
  for (const SiteKernel* kernel : {&kSiteKernelAvx512, &kSiteKernelAvx2}) {
    if (runs_here(*kernel) && (wanted == nullptr || std::strcmp(wanted, kernel->name) == 0)) {
      return *kernel;
    }
  }
  return kSiteKernelBaseline;
}

}  // namespace

const SiteKernel& site_kernel() {
  static const SiteKernel& kernel = choose();
  return kernel;
}

}  // namespace ipfit
