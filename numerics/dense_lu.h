/* dense_lu.h: a square matrix -> factors -> solutions, how far it is from a singular one.
 *
 * The matrix lies by rows in the first n * n places of an array of dense_lu_room(n), and the
 * factors take its place; behind them lie the scales and a norm. Nothing is allocated, and every
 * sum has its order: the same matrix gives the same bits everywhere.
 */
#ifndef NUMERICS_DENSE_LU_H
#define NUMERICS_DENSE_LU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t dense_lu_room(uint32_t n)
{
    return (size_t)n * n + 2 * (size_t)n + 1;
}

/* Exchanges of rows and of columns. */
static inline size_t dense_lu_pivots(uint32_t n)
{
    return 2 * (size_t)n;
}

/* False: no number, or a pivot that is 0; the factors are of no use then. */
bool dense_lu_factor(uint32_t n, double *a, uint32_t *pivot);

/* b := the solution of A x = b, or of the transposed system. */
void dense_lu_solve(uint32_t n, const double *a, const uint32_t *pivot, double *b);
void dense_lu_solve_transposed(uint32_t n, const double *a, const uint32_t *pivot, double *b);

/* x := x + the solution of A d = b - A x, with `matrix` as it was before it was factored: takes out
 * of x what rounding has left in it. work: [n]. Returns the backward error that x had before: the
 * largest |b - A x| / (|A| |x| + |b|), entry by entry. */
double dense_lu_refine(uint32_t n, const double *matrix, const double *a, const uint32_t *pivot,
                       const double *b, double *x, double *work);

/* Norm of the largest column sum, of a matrix by rows; an estimate of that of A's inverse. work:
 * [2 * n]. */
double dense_lu_norm(uint32_t n, const double *matrix);
double dense_lu_inverse_norm(uint32_t n, const double *a, const uint32_t *pivot, double *work);

/* Estimate of 1 / (|S| |inv S|) in the norm of the largest column sum, S the scaled matrix: how
 * large a relative change makes it singular. work: [2 * n]. */
double dense_lu_rcond(uint32_t n, const double *a, const uint32_t *pivot, double *work);

/* Is a matrix singular that lies within the rounding of the factorisation? True of all that are
 * exactly singular. work: [2 * n]. */
bool dense_lu_singular(uint32_t n, const double *a, const uint32_t *pivot, double *work);

#endif
