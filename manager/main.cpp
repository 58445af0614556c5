#include <exception>

#include "common/blas.h"
#include "common/process.h"
#include "manager/cli/arguments.h"
#include "manager/cli/output.h"

int main(int argc, char** argv) {
  ipfit::prepare_process();
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  try {
    return ipfit::run_command_line(argc, argv);
  } catch (const std::exception& problem) {
    return ipfit::report({ipfit::last_words(problem)});
  }
}
