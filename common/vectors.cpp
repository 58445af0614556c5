#include "common/vectors.h"

#include <cstdlib>

namespace ipfit {

bool has_vectors(std::string_view name) {
#if defined(__x86_64__)
  if (name == "avx512") {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  }
  if (name == "avx2") {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  }
#endif
  return name == "baseline";
}

std::string_view chosen_vectors() {
  const char* wanted = std::getenv("IPFIT_VECTORS");
  for (const std::string_view name : {"avx512", "avx2"}) {
    if (has_vectors(name) && (wanted == nullptr || wanted == name)) {
      return name;
    }
  }
  return "baseline";
}

}  // namespace ipfit
