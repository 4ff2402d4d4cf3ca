/* dense_distance.c: a square matrix whose entries are not exactly known -> how far it is from a singular one. */
#include "numerics/dense_distance.h"

#include "numerics/dense_lu.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 30 };

/* inverse: by columns, all sizes. */
static bool invert(Mem *mem, uint32_t n, const double *a, double *inverse)
{
    double *lu = mem_alloc(mem, dense_lu_room(n) * sizeof *lu);
    uint32_t *pivot = mem_alloc(mem, dense_lu_pivots(n) * sizeof *pivot);
    memcpy(lu, a, (size_t)n * n * sizeof *lu);
    bool fine = dense_lu_factor(n, lu, pivot);
    for (uint32_t j = 0; j < n && fine; j++) {
        double *column = inverse + (size_t)j * n;
        for (uint32_t i = 0; i < n; i++)
            column[i] = i == j;
        dense_lu_solve(n, lu, pivot, column);
        for (uint32_t i = 0; i < n; i++)
            column[i] = fabs(column[i]);
    }
    mem_free(mem, lu);
    mem_free(mem, pivot);
    return fine;
}

/* y := inverse * E * x. between: [n] */
static void spread(uint32_t n, const double *inverse, const double *e, const double *x,
                   double *between, double *y)
{
    for (uint32_t i = 0; i < n; i++) {
        between[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            between[i] += e[(size_t)i * n + j] * x[j];
    }
    memset(y, 0, n * sizeof *y);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; between[j] != 0 && i < n; i++)
            y[i] += inverse[(size_t)j * n + i] * between[j];
}

/* Power iteration. */
static double radius_of(Mem *mem, uint32_t n, const double *inverse, const double *e)
{
    double *x = mem_alloc(mem, 3 * (size_t)n * sizeof *x), *y = x + n, radius = 1;
    for (uint32_t i = 0; i < n; i++)
        x[i] = 1;
    for (int round = 0; round < ROUNDS && radius > 0 && isfinite(radius); round++) {
        spread(n, inverse, e, x, y + n, y);
        radius = 0;
        for (uint32_t i = 0; i < n; i++)
            radius = y[i] <= radius ? radius : y[i];
        for (uint32_t i = 0; i < n; i++)
            x[i] = y[i] / radius;
    }
    mem_free(mem, x);
    return radius;
}

double dense_distance(Mem *mem, uint32_t n, const double *a, const double *e)
{
    double *inverse = mem_alloc(mem, ((size_t)n * n + 1) * sizeof *inverse);
    double radius = invert(mem, n, a, inverse) ? radius_of(mem, n, inverse, e) : INFINITY;
    mem_free(mem, inverse);
    return isnan(radius) ? 0 : 1 / radius;
}
