/* inline_matrix.h: the derivatives of a block's residuals by its unknowns -> factors -> solutions; dense, or sparse above
 * INLINE_DENSE unknowns. Private to runtime/solve/. */
#ifndef RUNTIME_SOLVE_INLINE_MATRIX_H
#define RUNTIME_SOLVE_INLINE_MATRIX_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum { INLINE_DENSE = 48 };

typedef struct InlineMatrix InlineMatrix;

/* Unknowns that a residual depends on: column[first[i]] to column[first[i + 1]], each once. */
typedef struct InlinePattern {
    uint32_t *first, *column;
} InlinePattern;

/* Without a pattern it is dense. Its memory is the arena's, but what KLU has. */
InlineMatrix *inline_matrix_open(Mem *mem, Arena *arena, uint32_t n, const InlinePattern *pattern);
void inline_matrix_forget(InlineMatrix *matrix); /* its factors, and how they were found */
void inline_matrix_close(InlineMatrix *matrix);  /* NULL is fine */

/* Columns that no row has in common are made by one sweep of tangents: those with colour[j] == sweep. */
uint32_t inline_matrix_sweeps(const InlineMatrix *matrix);
uint32_t inline_matrix_sweep_of(const InlineMatrix *matrix, uint32_t column);
/* What the sweep has made: tangent[residuals[i]] of row i. */
void inline_matrix_take(InlineMatrix *matrix, uint32_t sweep, const double *tangent,
                        const uint32_t *residuals);
bool inline_matrix_factor(InlineMatrix *matrix); /* false: singular, or no numbers */
void inline_matrix_solve(InlineMatrix *matrix, double *b);

#endif
