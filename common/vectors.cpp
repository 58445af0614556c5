#include "common/vectors.h"

#include <array>
#include <cstdlib>
#include <string>

namespace ipfit {
namespace {

constexpr std::array<std::string_view, 3> kBestFirst{"avx512", "avx2", "baseline"};

/// Empty where nobody asks.
std::string_view wanted_vectors() {
  const char* wanted = std::getenv("IPFIT_VECTORS");
  return wanted == nullptr ? std::string_view() : wanted;
}

}  // namespace

bool has_vectors(std::string_view name) {
#if defined(__x86_64__)
  // All that the files are compiled with (CMakeLists.txt): the first processors with AVX-512 had not all of it.
  if (name == "avx512") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
  }
  if (name == "avx2") {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }
#endif
  return name == "baseline";
}

std::string_view chosen_vectors() {
  const std::string_view wanted = wanted_vectors();
  for (const std::string_view name : kBestFirst) {
    if (has_vectors(name) && (wanted.empty() || wanted == name)) {
      return name;
    }
  }
  return "baseline";
}

std::optional<Error> unusable_vectors() {
  const std::string_view wanted = wanted_vectors();
  if (wanted.empty() || has_vectors(wanted)) {
    return std::nullopt;
  }
  return Error{
      ErrorKind::kUsage, "IPFIT_VECTORS",
      "is \"" + std::string(wanted) + "\", expected \"baseline\", \"avx2\" or \"avx512\", and a processor that has it",
      "correct or unset this environment variable"};
}

}  // namespace ipfit
