#include "common/lsq/column_kernel_choice.h"

#include "common/vectors.h"

namespace ipfit {

std::vector<const ColumnKernel*> usable_column_kernels() {
  std::vector<const ColumnKernel*> usable;
#if defined(__x86_64__)
  for (const ColumnKernel* kernel : {&kColumnKernelAvx512, &kColumnKernelAvx2}) {
    if (has_vectors(kernel->name)) {
      usable.push_back(kernel);
    }
  }
#endif
  usable.push_back(&kColumnKernelBaseline);
  return usable;
}

namespace {

const ColumnKernel& choose() {
  for (const ColumnKernel* kernel : usable_column_kernels()) {
    if (chosen_vectors() == kernel->name) {
      return *kernel;
    }
  }
  return kColumnKernelBaseline;
}

}  // namespace

const ColumnKernel& column_kernel() {
  static const ColumnKernel& kernel = choose();
  return kernel;
}

}  // namespace ipfit
