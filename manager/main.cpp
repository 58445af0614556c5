#include <cstdio>
#include <exception>

#include "common/blas.h"
#include "common/process.h"
#include "common/vectors.h"
#include "manager/cli/arguments.h"
#include "manager/cli/output.h"

int main(int argc, char** argv) {
  ipfit::prepare_process();
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  if (const auto unusable = ipfit::unusable_vectors()) {
    return ipfit::report({*unusable});
  }
  try {
    const int code = ipfit::run_command_line(argc, argv);
    // A full disk below a redirected output must not pass for success.
    if (code == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
      return ipfit::report({{ipfit::ErrorKind::kStorage, "standard output", "cannot be written", "make space"}});
    }
    return code;
  } catch (const std::exception& problem) {
    return ipfit::report({ipfit::last_words(problem)});
  }
}
