/* dense_rank.h: a matrix of any shape -> its rank, which rows follow from others, which columns are open.
 *
 * Gauss and Jordan with the largest pivots, in units of rows and columns. A row without a pivot has become zero: it is a
 * combination of pivot rows, and since these are independent, of exactly those without which it could not be made. A
 * column without a pivot may have any value, and those of the pivots follow it.
 */
#ifndef NUMERICS_DENSE_RANK_H
#define NUMERICS_DENSE_RANK_H

#include "base/mem.h"

typedef struct DenseRank {
    uint32_t m, n, rank;
    double least;           /* of the pivots, in units of rows and columns */
    double *a;              /* [m][n + m]: the matrix; what its rows are made of */
    uint32_t *row, *column; /* [m], [n]: where pivot k stands; those without one behind them */
    double *row_unit,
        *column_unit; /* [m], [n]: what rows were divided by; how far a move by 1 is */
    double *row_weight,
        *column_weight; /* [m], [n], 1 unless set: the smaller, the later it gets a pivot */
} DenseRank;

DenseRank dense_rank_open(Mem *mem, uint32_t m,
                          uint32_t n); /* all zero, to be filled in by dense_rank_at */
void dense_rank_close(Mem *mem, DenseRank *r);

static inline double *dense_rank_at(const DenseRank *r, uint32_t row, uint32_t column)
{
    return &r->a[(size_t)row * (r->n + r->m) + column];
}

/* Entries below `zero`, in units of rows and columns, are rounding. */
void dense_rank_eliminate(Mem *mem, DenseRank *r, double zero);

/* How often each row is taken so that the sum vanishes, largest 1; k from rank to m - 1. */
void dense_rank_rows(const DenseRank *r, uint32_t k, double *times);
/* How the columns move together so that no row notices, in units of columns; k from rank to n - 1: that
 * column moves by 1. */
void dense_rank_moves(const DenseRank *r, uint32_t k, double *moves);

#endif
