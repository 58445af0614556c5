#define IPFIT_VECTOR_BYTES 32
#define IPFIT_KERNEL kSiteKernelAvx2
#define IPFIT_KERNEL_NAME "avx2"
#include "worker/basis/ace/site_kernel_code.h"
