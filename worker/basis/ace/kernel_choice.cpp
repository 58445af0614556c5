#include "worker/basis/ace/kernel_choice.h"

#include <cstdlib>
#include <string_view>

namespace ipfit {
std::vector<const SiteKernel*> usable_kernels() {
  std::vector<const SiteKernel*> usable;
#if defined(__x86_64__)
  // All that the files are compiled with (worker/CMakeLists.txt): the first processors with AVX-512 had not all of it.
  const bool fma = __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    usable.push_back(&kSiteKernelAvx512);
  }
  if (fma && __builtin_cpu_supports("avx2")) {
    usable.push_back(&kSiteKernelAvx2);
  }
#endif
  usable.push_back(&kSiteKernelBaseline);
  return usable;
}

namespace {

/// Nothing where nobody asks.
const char* wanted_name() {
  const char* wanted = std::getenv("IPFIT_VECTORS");
  return wanted == nullptr || *wanted == '\0' ? nullptr : wanted;
}

/// The best one; nothing where what is asked for does not run here.
const SiteKernel* choose() {
  const char* wanted = wanted_name();
  for (const SiteKernel* kernel : usable_kernels()) {
    if (wanted == nullptr || std::string_view(wanted) == kernel->name) {
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
