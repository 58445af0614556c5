#include "worker/basis/ace/kernel_choice.h"

#include <cstdlib>
#include <string_view>

namespace ipfit {
namespace {

const SiteKernel& choose() {
  const std::vector<const SiteKernel*> usable = usable_kernels();
  const char* wanted = std::getenv("IPFIT_VECTORS");
  for (const SiteKernel* kernel : usable) {
    if (wanted == nullptr || std::string_view(wanted) == kernel->name) {
      return *kernel;
    }
  }
  return *usable.back();
}

}  // namespace

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

const SiteKernel& site_kernel() {
  static const SiteKernel& kernel = choose();
  return kernel;
}

}  // namespace ipfit
