/* sparse_place.h: rows of a sparse matrix -> an order in which large entries lie on the diagonal. */
#ifndef NUMERICS_SPARSE_PLACE_H
#define NUMERICS_SPARSE_PLACE_H

#include "base/mem.h"

typedef struct SparseRows {
    uint32_t n;
    const uint32_t *first; /* [n + 1]: entries of row i are first[i] to first[i + 1] */
    const int *column;     /* by entry */
    const double *value;
    const double *scale; /* [n]: largest value of each row, without its sign */
} SparseRows;

void sparse_place(Mem *mem, const SparseRows *rows, int *place); /* [n]: the place of each row */

#endif
