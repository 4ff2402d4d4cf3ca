/* choose_columns.h: a wide matrix -> columns that make a well-conditioned square one. */
#ifndef RUNTIME_SOLVE_CHOOSE_COLUMNS_H
#define RUNTIME_SOLVE_CHOOSE_COLUMNS_H

#include "base/mem.h"

typedef struct ColumnEntry {
    uint32_t column;
    double value;
} ColumnEntry;

typedef struct ColumnChoice {
    uint32_t n_rows, n_columns;
    const uint32_t *first;    /* [n_rows + 1]: entries of row i begin here */
    const ColumnEntry *entry; /* by rows; each column in its own unit, so that sizes compare */
    const bool *fixed;        /* [n_columns]: belongs to the square matrix in any case */
    const uint32_t *rank;     /* [n_columns]: of two, the one of smaller rank is rather left out */
    const double *far;        /* [n_columns]: left out as long as no coefficient of it is larger */
    const double
        *back;    /* [n_columns]: chosen: by how much more a column may be far to take its place */
    bool *chosen; /* [n_columns]: in: the choice as it is; out: as it should be */
    uint32_t out; /* columns of smaller rank are left out even if they are chosen now */
} ColumnChoice;

/* Expressed by the chosen columns, no other column has coefficients beyond its bound afterwards; as
 * much as possible of the present choice stays. False: it stays as it is, because it is good, or
 * because the matrix has not full rank in its fixed columns, or is too large to look at. */
bool choose_columns(Mem *mem, ColumnChoice *choice);

#endif
