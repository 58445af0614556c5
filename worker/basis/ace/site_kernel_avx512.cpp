#define IPFIT_VECTOR_BYTES 64
#define IPFIT_KERNEL kSiteKernelAvx512
#define IPFIT_KERNEL_NAME "avx512"
#include "worker/basis/ace/site_kernel_code.h"
