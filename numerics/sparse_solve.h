/* sparse_solve.h: KLU's factors of one block -> solutions, without its detours for many blocks and right sides.
 *
 * The bits are those of klu_solve: the same operations on each unknown in the same order.
 */
#ifndef NUMERICS_SPARSE_SOLVE_H
#define NUMERICS_SPARSE_SOLVE_H

#include "base/mem.h"

#include <klu.h>

typedef struct SparseSolve SparseSolve;

/* A copy of the factors, which were made without scaling and without block triangular form; NULL where KLU has no room. */
SparseSolve *sparse_solve_open(Mem *mem, klu_symbolic *symbolic, klu_numeric *numeric,
                               klu_common *common);
void sparse_solve_close(Mem *mem, SparseSolve *solve); /* NULL is fine */

void sparse_solve(const SparseSolve *solve, double *b); /* b := inverse of the matrix times b */

#endif
