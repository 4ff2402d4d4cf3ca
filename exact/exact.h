/* exact.h: rows of whole numbers -> the sums of rows that vanish, exactly.
 *
 * A row is an equation's factors of those variables that are looked at, the *columns*; what else is in the
 * equation does not concern anybody here. A sum of rows, each taken a whole number of times, that leaves
 * nothing in any column says that these equations depend on each other: what is left of them is a
 * relation among what was not looked at, or nothing at all. Given the columns of a system's unknowns,
 * that is a hidden relation or a repeated equation; given rows for columns and columns for rows, a way
 * in which unknowns may move and all equations stay true.
 *
 *     exact_begin(exact, 2);
 *     exact_row(exact, 2, (uint32_t[]){0, 1}, (int64_t[]){1, 1});   x + y
 *     exact_row(exact, 2, (uint32_t[]){0, 1}, (int64_t[]){1, -1});  x - y
 *     exact_row(exact, 1, (uint32_t[]){0}, (int64_t[]){3});         3 x
 *     exact_eliminate(exact);
 *     exact_sum(exact, 0): 3 times row 0, 3 times row 1, -2 times row 2
 *
 * Knows nothing of models. Errors: numbers that grow beyond 127 bits are no error; what depends on them
 * is not found, and exact_counts() says so. Memory that runs out goes to the guard of the Mem.
 *
 * Invariants
 *   E1  a sum that is reported vanishes in every column.
 *   E2  unless given up: sums are independent, and their number is the number of rows less the rank.
 */
#ifndef EXACT_EXACT_H
#define EXACT_EXACT_H

#include "base/mem.h"

typedef struct Exact Exact;

Exact *exact_open(Mem *mem);
void exact_close(Exact *exact);

/* What was there before is forgotten; columns are 0 .. n_columns - 1. */
void exact_begin(Exact *exact, uint32_t n_columns);
/* Its number, from 0. Each column at most once; factors of 0 do not count. */
uint32_t exact_row(Exact *exact, uint32_t n, const uint32_t *columns, const int64_t *factors);
void exact_eliminate(Exact *exact);

typedef struct ExactSum {
    uint32_t n;
    const uint32_t *rows;
    const int64_t *times; /* without a common factor, none of them 0 */
} ExactSum;

uint32_t exact_sum_count(const Exact *exact);
/* Valid until the next call. n is 0 where its numbers are too large. */
ExactSum exact_sum(Exact *exact, uint32_t index);

typedef struct ExactCounts {
    uint32_t rows, core; /* of the last system: all, and those in which no column stands alone */
    uint64_t cells;      /* that elimination made, of the last system */
    bool given_up;       /* numbers or work beyond all bounds: there may be more sums */
} ExactCounts;

ExactCounts exact_counts(const Exact *exact);
/* Aborts where a sum does not vanish. */
void exact_verify(Exact *exact);

#endif
