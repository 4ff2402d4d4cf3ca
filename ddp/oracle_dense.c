/* dense matrix -> LU factors, solutions, estimate of the condition number.
 *
 * Partial pivoting; the estimate of the norm of the inverse is Hager's (SIAM J. Sci. Stat. Comput.
 * 5, 1984), as in LAPACK's xxxCON.
 */
#include "ddp/oracle_int.h"

#include <math.h>

double oracle_norm1(uint32_t n, const double *a)
{
    double most = 0;

    for (uint32_t c = 0; c < n; c++) {
        double sum = 0;
        for (uint32_t r = 0; r < n; r++)
            sum += fabs(a[(size_t)r * n + c]);
        if (!(sum <= most))
            most = sum;
    }
    return most;
}

static void swap_rows(uint32_t n, double *a, uint32_t r, uint32_t s)
{
    for (uint32_t c = 0; c < n && r != s; c++) {
        double t = a[(size_t)r * n + c];
        a[(size_t)r * n + c] = a[(size_t)s * n + c];
        a[(size_t)s * n + c] = t;
    }
}

bool oracle_lu(uint32_t n, double *a, uint32_t *pivot)
{
    for (uint32_t k = 0; k < n; k++) {
        pivot[k] = k;
        for (uint32_t r = k + 1; r < n; r++)
            if (fabs(a[(size_t)r * n + k]) > fabs(a[(size_t)pivot[k] * n + k]))
                pivot[k] = r;
        swap_rows(n, a, k, pivot[k]);
        double top = a[(size_t)k * n + k];
        if (!(fabs(top) > 0) || !isfinite(top))
            return false;
        for (uint32_t r = k + 1; r < n; r++) {
            double factor = a[(size_t)r * n + k] /= top;
            for (uint32_t c = k + 1; c < n && factor != 0; c++)
                a[(size_t)r * n + c] -= factor * a[(size_t)k * n + c];
        }
    }
    return true;
}

void oracle_lu_solve(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    for (uint32_t k = 0; k < n; k++) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
    for (uint32_t r = 1; r < n; r++)
        for (uint32_t c = 0; c < r; c++)
            b[r] -= a[(size_t)r * n + c] * b[c];
    for (uint32_t r = n; r-- > 0;) {
        for (uint32_t c = r + 1; c < n; c++)
            b[r] -= a[(size_t)r * n + c] * b[c];
        b[r] /= a[(size_t)r * n + r];
    }
}

static void solve_transposed(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    for (uint32_t r = 0; r < n; r++) {
        for (uint32_t c = 0; c < r; c++)
            b[r] -= a[(size_t)c * n + r] * b[c];
        b[r] /= a[(size_t)r * n + r];
    }
    for (uint32_t r = n; r-- > 0;)
        for (uint32_t c = r + 1; c < n; c++)
            b[r] -= a[(size_t)c * n + r] * b[c];
    for (uint32_t k = n; k-- > 0;) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
}

double oracle_lu_condition(Arena *arena, uint32_t n, const double *a, const uint32_t *pivot,
                           double norm)
{
    double *x = arena_alloc(arena, 2 * (n + 1) * sizeof *x), *s = x + n + 1, estimate = 0;

    for (uint32_t i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int round = 0; round < 5; round++) {
        uint32_t most = 0;
        double sum = 0;
        oracle_lu_solve(n, a, pivot, x);
        for (uint32_t i = 0; i < n; i++) {
            sum += fabs(x[i]);
            s[i] = x[i] < 0 ? -1 : 1;
        }
        if (round > 0 && sum <= estimate)
            break;
        estimate = sum;
        solve_transposed(n, a, pivot, s);
        for (uint32_t i = 0; i < n; i++)
            if (fabs(s[i]) > fabs(s[most]))
                most = i;
        for (uint32_t i = 0; i < n; i++)
            x[i] = i == most;
    }
    return estimate * norm;
}
