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

// Nothing where nobody asks.
const char* wanted_name() {
  const char* wanted = std::getenv("IPFIT_VECTORS");
  return wanted == nullptr || *wanted == '\0' ? nullptr : wanted;
}

// The fastest first. Nothing where what is asked for does not run here.
const SiteKernel* choose() {
  const char* wanted = wanted_name();
  for (const SiteKernel* kernel : {&kSiteKernelAvx512, &kSiteKernelAvx2, &kSiteKernelBaseline}) {
    if (runs_here(*kernel) && (wanted == nullptr || std::strcmp(wanted, kernel->name) == 0)) {
      return kernel;
    }
  }
  return nullptr;
}

}  // namespace

const char* unusable_vectors() {
  return choose() == nullptr ? wanted_name() : nullptr;
}

const SiteKernel& site_kernel() {
  static const SiteKernel* const kernel = choose();
  return kernel == nullptr ? kSiteKernelBaseline : *kernel;
}

}  // namespace ipfit
