#define IPFIT_VECTOR_BYTES 64
#define IPFIT_KERNEL kColumnKernelAvx512
#define IPFIT_KERNEL_NAME "avx512"
#include "common/lsq/column_kernel_code.h"
