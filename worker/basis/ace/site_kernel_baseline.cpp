#define IPFIT_VECTOR_BYTES 16
#define IPFIT_KERNEL kSiteKernelBaseline
#define IPFIT_KERNEL_NAME "baseline"
#include "worker/basis/ace/site_kernel_code.h"
