#include "worker/basis/ace/site_kernel.h"

#include <string_view>

#include "common/vectors.h"

namespace ipfit {

bool runs_here(const SiteKernel& kernel) {
  return has_vectors(kernel.name);
}

namespace {

const SiteKernel& choose() {
  const std::string_view vectors = chosen_vectors();
  return vectors == "avx512" ? kSiteKernelAvx512 : vectors == "avx2" ? kSiteKernelAvx2 : kSiteKernelBaseline;
}

}  // namespace

const SiteKernel& site_kernel() {
  static const SiteKernel& kernel = choose();
  return kernel;
}

}  // namespace ipfit
