#define IPFIT_VECTOR_BYTES 16
#define IPFIT_KERNEL kColumnKernelBaseline
#define IPFIT_KERNEL_NAME "baseline"
#include "common/lsq/column_kernel_code.h"
