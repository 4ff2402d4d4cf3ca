/* nvector.h: vectors for SUNDIALS with kernels that the compiler vectorises. */
#ifndef RUNTIME_NVECTOR_H
#define RUNTIME_NVECTOR_H

#include "base/mem.h"

#include <sundials/sundials_nvector.h>

/* From `mem`, which clones use too. N_VDestroy() frees. */
N_Vector nvector_new(Mem *mem, SUNContext context, uint32_t n);
double *nvector_at(N_Vector v);

#endif
