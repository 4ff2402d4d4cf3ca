/* nvector.h: vectors for SUNDIALS with kernels that the compiler vectorises. */
#ifndef RUNTIME_NVECTOR_H
#define RUNTIME_NVECTOR_H

#include "base/mem.h"

#include <sundials/sundials_nvector.h>

/* Vectors of one length, which may change up to `room`: who owns IDA's memory may go on with other
 * unknowns. They lie in one block, as far as they are those of an integrator with a direct solver;
 * others, with the krylov spaces, have their own. From `mem`, which clones use too. */
typedef struct VectorSpace VectorSpace;
VectorSpace *nvector_open(Mem *mem, SUNContext context, uint32_t room);
void nvector_set_length(VectorSpace *space, uint32_t n);
size_t nvector_bytes(const VectorSpace *space); /* the block, from `space` on */
void nvector_close(VectorSpace *space);         /* after all of its vectors; or NULL */

N_Vector nvector_new(VectorSpace *space); /* N_VDestroy() frees; NULL: no memory */
double *nvector_at(N_Vector v);

#endif
