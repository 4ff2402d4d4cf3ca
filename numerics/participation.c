/* participation.c: a matrix and its eigenvalues -> how much each of its variables takes part in each of them.
 *
 * Eigenvectors by inverse iteration: (A - s) x = b with s beside the eigenvalue, right ones with A, left ones with the transposed
 * matrix, from the same factors. A complex system of n equations is a real one of 2 n: with s = p + i q and x = y + i z,
 *
 *     (A - p) y + q z = Re b
 *     -q y + (A - p) z = Im b
 */
#include "numerics/participation.h"

#include "numerics/dense_lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t participation_room(uint32_t n)
{
    return dense_lu_room(2 * n) + 4 * (size_t)n;
}

size_t participation_pivots(uint32_t n)
{
    return dense_lu_pivots(2 * n);
}

static double largest(uint32_t n, const double *a)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)n * n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static void fill(uint32_t n, const double *a, double p, double q, double *cells)
{
    size_t wide = 2 * (size_t)n;
    memset(cells, 0, wide * wide * sizeof *cells);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            double value = a[(size_t)i * n + k] - (i == k ? p : 0);
            cells[i * wide + k] = cells[(i + n) * wide + k + n] = value;
        }
        cells[i * wide + i + n] = q;
        cells[(i + n) * wide + i] = -q;
    }
}

static bool scale(uint32_t n, double *x)
{
    double most = 0;
    for (uint32_t i = 0; i < 2 * n; i++)
        most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : INFINITY;
    for (uint32_t i = 0; i < 2 * n; i++)
        x[i] /= most;
    return most > 0 && isfinite(most);
}

typedef void Solve(uint32_t n, const double *a, const uint32_t *pivot, double *b);

static bool iterate(uint32_t n, const double *factors, const uint32_t *pivot, Solve *solve,
                    double *x)
{
    enum { ROUNDS = 4 };
    bool fine = true;
    for (uint32_t i = 0; i < 2 * n; i++)
        x[i] = 1 + 0.3 * sin(1 + i); /* along no eigenvector */
    for (int round = 0; round < ROUNDS && fine; round++) {
        solve(2 * n, factors, pivot, x);
        fine = scale(n, x);
    }
    return fine;
}

/* One row of shares. */
static bool shares_of(uint32_t n, const double *a, double p, double q, double *share, double *work,
                      uint32_t *pivot)
{
    double *right = work + dense_lu_room(2 * n), *left = right + 2 * (size_t)n, sum = 0;
    double beside = 64 * DBL_EPSILON * fmax(largest(n, a), DBL_MIN);
    memset(share, 0, n * sizeof *share);
    fill(n, a, p + beside, q, work);
    if (!dense_lu_factor(2 * n, work, pivot) || !iterate(n, work, pivot, dense_lu_solve, right) ||
        !iterate(n, work, pivot, dense_lu_solve_transposed, left))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        share[i] = hypot(right[i], right[i + n]) * hypot(left[i], left[i + n]);
        sum += share[i];
    }
    for (uint32_t i = 0; i < n; i++)
        share[i] = sum > 0 ? share[i] / sum : 0;
    return sum > 0;
}

bool participation(uint32_t n, const double *a, const double *re, const double *im, double *share,
                   double *work, uint32_t *pivot)
{
    bool fine = true;
    for (uint32_t j = 0; j < n; j++) {
        bool twin = j && im[j] != 0 && re[j] == re[j - 1] && im[j] == -im[j - 1];
        if (twin)
            memcpy(share + (size_t)j * n, share + (size_t)(j - 1) * n, n * sizeof *share);
        else
            fine &= shares_of(n, a, re[j], im[j], share + (size_t)j * n, work, pivot);
    }
    return fine;
}
