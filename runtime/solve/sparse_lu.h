/* sparse_lu.h: a sparse matrix -> its factors, by KLU; the analysis is kept while the pattern is. Private to runtime/. */
#ifndef RUNTIME_SOLVE_SPARSE_LU_H
#define RUNTIME_SOLVE_SPARSE_LU_H

#include "base/mem.h"

#include <klu.h>

typedef struct SparseLu {
    klu_common common;
    klu_symbolic *symbolic; /* NULL: not analysed */
    klu_numeric *numeric;   /* NULL: not factored */
} SparseLu;

void sparse_lu_open(SparseLu *lu);
void sparse_lu_forget(SparseLu *lu); /* another pattern; also closes */
/* Compressed columns. What klu_analyze() cannot do for want of memory goes to the guard of `mem`, through IDA, which is closed then. */
void sparse_lu_analyze(SparseLu *lu, Mem *mem, uint32_t n, int *column, int *row);
/* 0; positive: singular; negative: the pattern is no matrix. */
int sparse_lu_factor(SparseLu *lu, Mem *mem, uint32_t n, int *column, int *row, double *value);
int sparse_lu_solve(SparseLu *lu, uint32_t n, double *b); /* 0: done */

#endif
