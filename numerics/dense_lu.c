/* dense_lu.c: a square matrix -> factors -> solutions, how far it is from a singular one.
 *
 * Rows and then columns are scaled by powers of two, which rounds nothing, so that the largest
 * entry of each lies between 1 and 2: pivots are chosen by what entries mean and not by their
 * units. Elimination takes the largest entry of the column. That is stable but for few matrices, in
 * which entries double at each step; as soon as a row of U has grown beyond GROWTH the pivot is the
 * largest entry of all that is left, which ends it.
 *
 * The condition estimate is Hager's (SIAM J. Sci. Stat. Comput. 5, 1984) with Higham's second
 * guess (ACM TOMS 14, 1988).
 */
#include "numerics/dense_lu.h"
#include "numerics/scale.h"

#include <float.h>
#include <math.h>

static const double GROWTH = 16;

/* ---- scales ---- */

static double *row_scale(uint32_t n, double *a)
{
    return a + (size_t)n * n;
}

static double *column_scale(uint32_t n, double *a)
{
    return a + (size_t)n * n + n;
}

static double *norm_of(uint32_t n, double *a)
{
    return a + (size_t)n * n + 2 * (size_t)n;
}

/* The largest of `count` numbers by size, each `stride` from the one before. NaN: one is none. */
static double largest(const double *x, size_t count, size_t stride)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(x[i * stride]);
        if (!(size <= most))
            most = size;
        if (most != most)
            break;
    }
    return most;
}

/* False: a row or a column has no entry but 0, or something is no number. */
static bool scale_rows(uint32_t n, double *a)
{
    for (uint32_t r = 0; r < n; r++) {
        double *row = a + (size_t)r * n, most = largest(row, n, 1);
        if (!(most > 0) || !isfinite(most))
            return false;
        double scale = scale_for(most);
        row_scale(n, a)[r] = scale;
        for (uint32_t c = 0; c < n; c++)
            row[c] *= scale;
    }
    return true;
}

static bool scale_columns(uint32_t n, double *a)
{
    double norm = 0;
    for (uint32_t c = 0; c < n; c++) {
        double most = largest(a + c, n, n), sum = 0;
        if (!(most > 0))
            return false;
        double scale = scale_for(most);
        column_scale(n, a)[c] = scale;
        for (uint32_t r = 0; r < n; r++)
            sum += fabs(a[(size_t)r * n + c] *= scale);
        norm = fmax(norm, sum);
    }
    *norm_of(n, a) = norm;
    return true;
}

/* ---- factors ---- */

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

static void swap_rows(uint32_t n, double *a, uint32_t r, uint32_t s)
{
    for (uint32_t c = 0; c < n && r != s; c++)
        swap(&a[(size_t)r * n + c], &a[(size_t)s * n + c]);
}

static void swap_columns(uint32_t n, double *a, uint32_t c, uint32_t d)
{
    for (uint32_t r = 0; r < n && c != d; r++)
        swap(&a[(size_t)r * n + c], &a[(size_t)r * n + d]);
}

/* The largest entry of column k from row k on, or of all columns from there. */
static void choose_pivot(uint32_t n, const double *a, uint32_t k, bool all, uint32_t *pivot)
{
    double most = -1;
    uint32_t end = all ? n : k + 1;
    pivot[k] = pivot[n + k] = k;
    for (uint32_t r = k; r < n; r++)
        for (uint32_t c = k; c < end; c++)
            if (fabs(a[(size_t)r * n + c]) > most) {
                most = fabs(a[(size_t)r * n + c]);
                pivot[k] = r;
                pivot[n + k] = c;
            }
}

static void eliminate(uint32_t n, double *a, uint32_t k)
{
    const double *up = a + (size_t)k * n;
    for (uint32_t r = k + 1; r < n; r++) {
        double *row = a + (size_t)r * n, factor = row[k] /= up[k];
        if (factor != 0)
            for (uint32_t c = k + 1; c < n; c++)
                row[c] -= factor * up[c];
    }
}

bool dense_lu_factor(uint32_t n, double *a, uint32_t *pivot)
{
    bool all = false;
    if (!scale_rows(n, a) || !scale_columns(n, a))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        choose_pivot(n, a, k, all, pivot);
        swap_rows(n, a, k, pivot[k]);
        swap_columns(n, a, k, pivot[n + k]);
        double top = a[(size_t)k * n + k];
        if (!(fabs(top) > 0) || !isfinite(top))
            return false;
        all = all || largest(a + (size_t)k * n + k, n - k, 1) > GROWTH;
        eliminate(n, a, k);
    }
    return true;
}

/* ---- solutions ---- */

static void exchange(uint32_t n, const uint32_t *pivot, double *b)
{
    for (uint32_t k = 0; k < n; k++)
        swap(&b[k], &b[pivot[k]]);
}

static void exchange_back(uint32_t n, const uint32_t *pivot, double *b)
{
    for (uint32_t k = n; k-- > 0;)
        swap(&b[k], &b[pivot[k]]);
}

static void times(uint32_t n, const double *scale, double *b)
{
    for (uint32_t i = 0; i < n; i++)
        b[i] *= scale[i];
}

/* The same for the scaled matrix: without scales. */
static void solve_scaled(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    exchange(n, pivot, b);
    for (uint32_t r = 1; r < n; r++) {
        double sum = b[r];
        for (uint32_t c = 0; c < r; c++)
            sum -= a[(size_t)r * n + c] * b[c];
        b[r] = sum;
    }
    for (uint32_t r = n; r-- > 0;) {
        double sum = b[r];
        for (uint32_t c = r + 1; c < n; c++)
            sum -= a[(size_t)r * n + c] * b[c];
        b[r] = sum / a[(size_t)r * n + r];
    }
    exchange_back(n, pivot + n, b);
}

/* Transposed factors go by rows of the stored ones: each entry of b, once known, is taken out of
 * those that follow. */
static void solve_scaled_transposed(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    exchange(n, pivot + n, b);
    for (uint32_t r = 0; r < n; r++) {
        b[r] /= a[(size_t)r * n + r];
        for (uint32_t c = r + 1; c < n; c++)
            b[c] -= a[(size_t)r * n + c] * b[r];
    }
    for (uint32_t r = n; r-- > 0;)
        for (uint32_t c = 0; c < r; c++)
            b[c] -= a[(size_t)r * n + c] * b[r];
    exchange_back(n, pivot, b);
}

void dense_lu_solve(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    times(n, a + (size_t)n * n, b);
    solve_scaled(n, a, pivot, b);
    times(n, a + (size_t)n * n + n, b);
}

void dense_lu_solve_transposed(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    times(n, a + (size_t)n * n + n, b);
    solve_scaled_transposed(n, a, pivot, b);
    times(n, a + (size_t)n * n, b);
}

double dense_lu_refine(uint32_t n, const double *matrix, const double *a, const uint32_t *pivot,
                       const double *b, double *x, double *work)
{
    double error = 0;
    for (uint32_t r = 0; r < n; r++) {
        double left = b[r], size = fabs(b[r]);
        for (uint32_t c = 0; c < n; c++) {
            double term = matrix[(size_t)r * n + c] * x[c];
            left -= term;
            size += fabs(term);
        }
        work[r] = left;
        if (size > 0 && !(fabs(left) / size <= error))
            error = fabs(left) / size;
    }
    dense_lu_solve(n, a, pivot, work);
    for (uint32_t i = 0; i < n; i++)
        x[i] += work[i];
    return error;
}

/* ---- condition ---- */

static double sum_of_sizes(uint32_t n, const double *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

static uint32_t place_of_largest(uint32_t n, const double *x)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[most]))
            most = i;
    return most;
}

/* A matrix that can be solved with: the scaled one, or as it was given. */
typedef struct Inverse {
    uint32_t n;
    const double *a;
    const uint32_t *pivot;
    void (*solve)(uint32_t n, const double *a, const uint32_t *pivot, double *b);
    void (*solve_transposed)(uint32_t n, const double *a, const uint32_t *pivot, double *b);
} Inverse;

/* From a column of the inverse to one that is larger, as long as there is one. */
static double climb(const Inverse *inverse, double *x, double *s)
{
    uint32_t n = inverse->n;
    double estimate = 0;
    for (uint32_t i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int round = 0; round < 5; round++) {
        inverse->solve(n, inverse->a, inverse->pivot, x);
        double sum = sum_of_sizes(n, x);
        if (!(sum > estimate))
            break;
        estimate = sum;
        for (uint32_t i = 0; i < n; i++)
            s[i] = x[i] < 0 ? -1 : 1;
        inverse->solve_transposed(n, inverse->a, inverse->pivot, s);
        uint32_t most = place_of_largest(n, s);
        for (uint32_t i = 0; i < n; i++)
            x[i] = i == most;
    }
    return estimate;
}

/* A second guess that finds much of what the first one misses. */
static double alternate(const Inverse *inverse, double *x)
{
    uint32_t n = inverse->n;
    for (uint32_t i = 0; i < n; i++)
        x[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
    inverse->solve(n, inverse->a, inverse->pivot, x);
    return 2 * sum_of_sizes(n, x) / (3.0 * n);
}

static double norm_of_inverse(const Inverse *inverse, double *work)
{
    double size = climb(inverse, work, work + inverse->n);
    return fmax(size, alternate(inverse, work));
}

double dense_lu_norm(uint32_t n, const double *matrix)
{
    double most = 0;
    for (uint32_t c = 0; c < n; c++) {
        double sum = 0;
        for (uint32_t r = 0; r < n; r++)
            sum += fabs(matrix[(size_t)r * n + c]);
        if (!(sum <= most))
            most = sum;
    }
    return most;
}

double dense_lu_inverse_norm(uint32_t n, const double *a, const uint32_t *pivot, double *work)
{
    Inverse inverse = {n, a, pivot, dense_lu_solve, dense_lu_solve_transposed};
    return norm_of_inverse(&inverse, work);
}

double dense_lu_rcond(uint32_t n, const double *a, const uint32_t *pivot, double *work)
{
    Inverse inverse = {n, a, pivot, solve_scaled, solve_scaled_transposed};
    double size = norm_of_inverse(&inverse, work), norm = a[(size_t)n * n + 2 * (size_t)n];
    return n == 0 ? 1 : isfinite(size) && size > 0 ? 1 / (norm * size) : 0;
}

/* The pivots tell at once of most matrices that they are far from it. */
bool dense_lu_singular(uint32_t n, const double *a, const uint32_t *pivot, double *work)
{
    double least = INFINITY;
    for (uint32_t k = 0; k < n; k++)
        least = fmin(least, fabs(a[(size_t)k * n + k]));
    return least < 1e-4 && !(dense_lu_rcond(n, a, pivot, work) > n * DBL_EPSILON);
}
