#include "common/lsq/column_kernel.h"

#include <string_view>

#include "common/vectors.h"

namespace ipfit {
namespace {

const ColumnKernel& choose() {
  const std::string_view vectors = chosen_vectors();
  return vectors == "avx512" ? kColumnKernelAvx512 : vectors == "avx2" ? kColumnKernelAvx2 : kColumnKernelBaseline;
}

}  // namespace

const ColumnKernel& column_kernel() {
  static const ColumnKernel& kernel = choose();
  return kernel;
}

}  // namespace ipfit
