/* nvector.h: vectors for SUNDIALS with kernels that the compiler vectorises. */
#ifndef RUNTIME_NVECTOR_H
#define RUNTIME_NVECTOR_H

#include "base/mem.h"

#include <sundials/sundials_nvector.h>

/* From `mem`, which clones use too. N_VDestroy() frees. *n is the length of the vector and of all
 * its clones at any time, up to `room`: who owns IDA's memory may go on with other unknowns. */
N_Vector nvector_new(Mem *mem, SUNContext context, const uint32_t *n, uint32_t room);
double *nvector_at(N_Vector v);

#endif
