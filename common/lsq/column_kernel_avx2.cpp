#define IPFIT_VECTOR_BYTES 32
#define IPFIT_KERNEL kColumnKernelAvx2
#define IPFIT_KERNEL_NAME "avx2"
#include "common/lsq/column_kernel_code.h"
