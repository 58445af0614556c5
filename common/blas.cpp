#include "common/blas.h"

#include <cblas.h>

namespace ipfit {

void use_single_threaded_blas() {
  openblas_set_num_threads(1);
}

}  // namespace ipfit
