#include "common/blas.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

TEST_CASE("matrices are multiplied with the vector instructions that this processor has") {
#if defined(__x86_64__)
  // The tests' main has called use_fast_blas_kernels.
  const bool has_vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  INFO("OpenBLAS runs its kernels for " << ipfit::blas_kernels());
  CHECK((!has_vectors || ipfit::blas_kernels() != "Prescott"));
#else
  CHECK_FALSE(ipfit::blas_kernels().empty());
#endif
}

TEST_CASE("OpenBLAS was told before it was loaded to start no threads, and so are the programs started from here") {
  REQUIRE(std::getenv("OPENBLAS_NUM_THREADS") != nullptr);
  CHECK(std::getenv("OPENBLAS_NUM_THREADS") == std::string("1"));
}

TEST_CASE("only as many threads are to call OpenBLAS as the limit on memory has room for") {
  CHECK(ipfit::blas_threads_with_memory(3) == 3);
  const pid_t child = ::fork();  // the limit stays low
  if (child == 0) {
    const rlimit nothing_more{1, 1};
    ::setrlimit(RLIMIT_AS, &nothing_more);
    ::_exit(ipfit::blas_threads_with_memory(3));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
