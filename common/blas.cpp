#include "common/blas.h"

#include <cblas.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ipfit {
namespace {

/// Whether an entry of an environment sets how many threads OpenBLAS starts.
bool sets_threads(std::string_view entry) {
  return entry.starts_with("OPENBLAS_NUM_THREADS=");
}

/// OpenBLAS starts a thread for each core when it is loaded, which is before main. Where memory is limited (ulimit -v,
/// usual on clusters) it cannot, and it ends the process or leaves it hanging at exit: on 64 cores already with 4 GB.
/// So this runs before any library is initialised, and starts the program anew with another environment, unless it has
/// it. The C library is not initialised either: nothing here allocates, or changes the environment in place.
void start_with_one_thread(int /*argc*/, char** argv, char** environment) {
  constexpr std::size_t kMostEntries = 4096;
  static char one_thread[] = "OPENBLAS_NUM_THREADS=1";
  static char* changed[kMostEntries + 2];
  std::size_t entries = 0;
  bool found = false;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (!sets_threads(*entry)) {
      if (entries == kMostEntries) {
        return;
      }
      changed[entries++] = *entry;
    } else if (!found) {  // the first one counts
      if (std::string_view(*entry) == one_thread) {
        return;
      }
      found = true;
    }
  }
  changed[entries] = one_thread;
  execve("/proc/self/exe", argv, changed);
  // Where that fails the program goes on: with threads, which most machines have memory for.
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all_libraries)(int, char**,
                                                                                 char**) = start_with_one_thread;

// The best kernels that this processor can run; null where there are none better than OpenBLAS finds itself.
const char* best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return "SKYLAKEX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return "HASWELL";
  }
#endif
  return nullptr;
}

}  // namespace

void use_single_threaded_blas() {
  openblas_set_num_threads(1);
}

int blas_threads_with_memory(int wanted) {
  // The buffer of OpenBLAS's kernels, and the stack of a thread with something to spare.
  constexpr std::size_t kBytesPerThread = std::size_t{144} << 20;
  for (int threads = wanted; threads > 0; --threads) {
    const std::size_t bytes = kBytesPerThread * static_cast<std::size_t>(threads);
    void* const place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) {
      munmap(place, bytes);
      return threads;
    }
  }
  return 0;
}

std::string_view blas_kernels() {
  return openblas_get_corename();
}

void use_fast_blas_kernels(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const char* wanted = best_kernels();
  if (wanted == nullptr || blas_kernels() != "Prescott" || std::getenv(kVariable) != nullptr) {
    return;
  }
  setenv(kVariable, wanted, 0);
  execv("/proc/self/exe", argv);
  // Where that fails the program goes on, slowly but right; its children need not.
}

}  // namespace ipfit
