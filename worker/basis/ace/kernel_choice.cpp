#include "worker/basis/ace/kernel_choice.h"

#include "common/vectors.h"

namespace ipfit {

std::vector<const SiteKernel*> usable_kernels() {
  std::vector<const SiteKernel*> usable;
#if defined(__x86_64__)
  for (const SiteKernel* kernel : {&kSiteKernelAvx512, &kSiteKernelAvx2}) {
    if (has_vectors(kernel->name)) {
      usable.push_back(kernel);
    }
  }
#endif
  usable.push_back(&kSiteKernelBaseline);
  return usable;
}

namespace {

const SiteKernel& choose() {
  for (const SiteKernel* kernel : usable_kernels()) {
    if (chosen_vectors() == kernel->name) {
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
