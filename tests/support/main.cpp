#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "common/blas.h"

int main(int argc, char** argv) {
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  return Catch::Session().run(argc, argv);
}
