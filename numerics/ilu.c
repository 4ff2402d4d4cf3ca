/* ilu.c: a sparse matrix -> incomplete LU factors without fill, as a preconditioner.
 *
 * ILU(0) by columns (Saad, Iterative Methods for Sparse Linear Systems, 10.3, with columns for
 * rows): the elimination of sparse LU, but what would fall outside the pattern is dropped. No
 * pivoting: for cj - df/dy the diagonal is large when the step is small, which is what makes this
 * a good preconditioner exactly where an integrator needs it.
 */
#include "numerics/ilu.h"

#include <math.h>

/* Column c in work[], already scattered, less what the columns before it eliminate. */
static void eliminate(const int *column, const int *row, double *factors, double *work,
                      const int *place, uint32_t c)
{
    for (int i = column[c]; i < column[c + 1] && (uint32_t)row[i] < c; i++) {
        int k = row[i];
        double upper = work[k];
        for (int q = column[k + 1] - 1; q >= column[k] && row[q] > k; q--)
            if (place[row[q]] == (int)c)
                work[row[q]] -= factors[q] * upper;
    }
}

bool ilu_factor(uint32_t n, const int *column, const int *row, const double *value, double *factors,
                double *work, int *place)
{
    for (uint32_t i = 0; i < n; i++)
        place[i] = -1;
    for (uint32_t c = 0; c < n; c++) {
        for (int i = column[c]; i < column[c + 1]; i++) {
            work[row[i]] = value[i];
            place[row[i]] = (int)c; /* row is in the pattern of this column */
        }
        eliminate(column, row, factors, work, place, c);
        double pivot = work[c];
        if (!(fabs(pivot) > 0) || !isfinite(pivot))
            return false;
        for (int i = column[c]; i < column[c + 1]; i++)
            factors[i] = (uint32_t)row[i] > c ? work[row[i]] / pivot : work[row[i]];
    }
    return true;
}

void ilu_solve(uint32_t n, const int *column, const int *row, const double *factors, double *b)
{
    for (uint32_t c = 0; c < n; c++)
        for (int i = column[c + 1] - 1; i >= column[c] && (uint32_t)row[i] > c; i--)
            b[row[i]] -= factors[i] * b[c];
    for (uint32_t c = n; c-- > 0;) {
        int i = column[c];
        while ((uint32_t)row[i] != c)
            i++;
        b[c] /= factors[i];
        for (i = column[c]; (uint32_t)row[i] < c; i++)
            b[row[i]] -= factors[i] * b[c];
    }
}
