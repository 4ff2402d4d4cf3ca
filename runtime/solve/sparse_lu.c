/* sparse_lu.c: compressed columns -> factors by KLU. See sparse_lu.h. */
#include "runtime/solve/sparse_lu.h"

void sparse_lu_open(SparseLu *lu)
{
    *lu = (SparseLu){0};
    klu_defaults(&lu->common);
}

void sparse_lu_forget(SparseLu *lu)
{
    if (lu->numeric)
        klu_free_numeric(&lu->numeric, &lu->common);
    if (lu->symbolic)
        klu_free_symbolic(&lu->symbolic, &lu->common);
}

/* No memory is no failure of the numerics. */
static void check_memory(SparseLu *lu, Mem *mem)
{
    if (lu->common.status == KLU_OUT_OF_MEMORY)
        mem_exhausted(mem);
}

void sparse_lu_analyze(SparseLu *lu, Mem *mem, uint32_t n, int *column, int *row)
{
    if (!lu->symbolic)
        lu->symbolic = klu_analyze((int)n, column, row, &lu->common);
    check_memory(lu, mem);
}

int sparse_lu_factor(SparseLu *lu, Mem *mem, uint32_t n, int *column, int *row, double *value)
{
    sparse_lu_analyze(lu, mem, n, column, row);
    if (!lu->symbolic)
        return lu->common.status == KLU_SINGULAR ? 1 : -1;
    if (lu->numeric && klu_refactor(column, row, value, lu->symbolic, lu->numeric, &lu->common)) {
        klu_rcond(lu->symbolic, lu->numeric, &lu->common);
        if (lu->common.rcond > 1e-13)
            return 0;
    }
    if (lu->numeric)
        klu_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = klu_factor(column, row, value, lu->symbolic, &lu->common);
    check_memory(lu, mem);
    return lu->numeric ? 0 : 1;
}

int sparse_lu_solve(SparseLu *lu, uint32_t n, double *b)
{
    return !klu_solve(lu->symbolic, lu->numeric, (int)n, 1, b, &lu->common);
}
