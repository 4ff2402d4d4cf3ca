/* eigenvalues.c: a square matrix -> its eigenvalues. See eigenvalues.h. */
#include "numerics/eigenvalues.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* For one eigenvalue; so often another shift is tried; behind so many rounding is measured by the whole matrix. */
enum { MOST_STEPS = 300, ODD_STEPS = 10, PATIENT_STEPS = 20 };

typedef struct Square {
    uint32_t n;
    double *a;
} Square;

static double *at(const Square *m, uint32_t i, uint32_t j)
{
    return &m->a[(size_t)i * m->n + j];
}

/* ---- balance ---- */

static void sums(const Square *m, uint32_t i, double *row, double *column)
{
    *row = *column = 0;
    for (uint32_t j = 0; j < m->n; j++) {
        if (j == i)
            continue;
        *row += fabs(*at(m, i, j));
        *column += fabs(*at(m, j, i));
    }
}

/* Row i over, column i times a power of 2, so that their sums are alike; false: they were. */
static bool balance_one(const Square *m, uint32_t i)
{
    double row, column, factor = 1;
    sums(m, i, &row, &column);
    if (row == 0 || column == 0)
        return false;
    double before = row + column;
    for (; column < row / 2; column *= 4)
        factor *= 2;
    for (; column >= row * 2; column /= 4)
        factor /= 2;
    if (!((column + row) / factor < 0.95 * before))
        return false;
    for (uint32_t j = 0; j < m->n; j++)
        *at(m, i, j) /= factor;
    for (uint32_t j = 0; j < m->n; j++)
        *at(m, j, i) *= factor;
    return true;
}

static void balance(const Square *m)
{
    bool again = true;
    for (int round = 0; round < 100 && again; round++) {
        again = false;
        for (uint32_t i = 0; i < m->n; i++)
            again |= balance_one(m, i);
    }
}

/* ---- reflections ---- */

/* v and the factor of the reflection that takes v to a multiple of its first place; 0: there is nothing to do. */
static double reflection(uint32_t n, double *v)
{
    double most = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    if (most == 0)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        v[i] /= most;
        sum += v[i] * v[i];
    }
    v[0] += v[0] < 0 ? -sqrt(sum) : sqrt(sum);
    double norm = 0;
    for (uint32_t i = 0; i < n; i++)
        norm += v[i] * v[i];
    return 2 / norm;
}

/* Rows first .. first + n - 1, in columns from .. to - 1; then columns, in rows up to `rows` - 1. */
static void reflect_rows(const Square *m, uint32_t first, uint32_t n, const double *v,
                         double factor, uint32_t from, uint32_t to)
{
    for (uint32_t j = from; j < to; j++) {
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += v[i] * *at(m, first + i, j);
        for (uint32_t i = 0; i < n; i++)
            *at(m, first + i, j) -= factor * sum * v[i];
    }
}

static void reflect_columns(const Square *m, uint32_t first, uint32_t n, const double *v,
                            double factor, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++)
            sum += v[j] * *at(m, i, first + j);
        for (uint32_t j = 0; j < n; j++)
            *at(m, i, first + j) -= factor * sum * v[j];
    }
}

/* Zeros below the first subdiagonal; v: [n]. */
static void make_hessenberg(const Square *m, double *v)
{
    for (uint32_t k = 0; k + 2 < m->n; k++) {
        uint32_t n = m->n - k - 1;
        for (uint32_t i = 0; i < n; i++)
            v[i] = *at(m, k + 1 + i, k);
        double factor = reflection(n, v);
        reflect_rows(m, k + 1, n, v, factor, k, m->n);
        reflect_columns(m, k + 1, n, v, factor, 0, m->n);
        for (uint32_t i = k + 2; i < m->n; i++)
            *at(m, i, k) = 0;
    }
}

/* ---- QR steps ---- */

/* One step with shifts of this sum and product, on rows and columns low .. high. */
static void francis_step(const Square *m, uint32_t low, uint32_t high, double sum, double product)
{
    double a = *at(m, low, low), b = *at(m, low + 1, low);
    double v[3] = {a * a + *at(m, low, low + 1) * b - sum * a + product,
                   b * (a + *at(m, low + 1, low + 1) - sum), b * *at(m, low + 2, low + 1)};
    for (uint32_t k = low; k < high; k++) {
        uint32_t n = k + 2 <= high ? 3 : 2;
        double factor = reflection(n, v);
        reflect_rows(m, k, n, v, factor, k > low ? k - 1 : low, high + 1);
        reflect_columns(m, k, n, v, factor, low, k + 3 < high ? k + 4 : high + 1);
        for (uint32_t i = 0; i < 3 && k + 1 < high; i++)
            v[i] = k + 1 + i <= high ? *at(m, k + 1 + i, k) : 0;
    }
    for (uint32_t i = low + 2; i <= high; i++)
        for (uint32_t j = low; j + 1 < i; j++)
            *at(m, i, j) = 0;
}

static double largest(const Square *m)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)m->n * m->n; i++)
        most = fmax(most, fabs(m->a[i]));
    return most;
}

/* Where the lowest block that hangs together begins; entries that are rounding become 0. They are measured by their
 * neighbours, so that small eigenvalues keep their digits, and by `least` where that is more: several eigenvalues that are 0
 * have no neighbours to be measured by. */
static uint32_t block_begin(const Square *m, uint32_t high, double least)
{
    uint32_t low = high;
    for (; low > 0; low--) {
        double size = fmax(fabs(*at(m, low, low)) + fabs(*at(m, low - 1, low - 1)), least);
        if (fabs(*at(m, low, low - 1)) <= DBL_EPSILON * size ||
            fabs(*at(m, low, low - 1)) < DBL_MIN)
            break;
    }
    if (low > 0)
        *at(m, low, low - 1) = 0;
    return low;
}

/* Of the two by two block whose last row is `high`. */
static void solve_pair(const Square *m, uint32_t high, double *re, double *im)
{
    double a = *at(m, high - 1, high - 1), d = *at(m, high, high);
    double product = *at(m, high - 1, high) * *at(m, high, high - 1), half = (a - d) / 2;
    double square = half * half + product;
    if (square < 0) {
        re[high - 1] = re[high] = d + half;
        im[high - 1] = sqrt(-square);
        im[high] = -im[high - 1];
        return;
    }
    double far = half + (half < 0 ? -sqrt(square) : sqrt(square));
    re[high - 1] = d + far;
    re[high] = far != 0 ? d - product / far : d;
    im[high - 1] = im[high] = 0;
}

/* A pair of shifts that no eigenvalue suggests, of the size of what is below the diagonal from row `first` on. */
static void other_shifts(const Square *m, uint32_t first, double *sum, double *product)
{
    double size = fabs(*at(m, first + 1, first)) + fabs(*at(m, first + 2, first + 1));
    double centre = 0.75 * size + *at(m, first, first);
    *sum = 2 * centre;
    *product = centre * centre + 0.4375 * size * size;
}

static bool take_apart(const Square *m, double *re, double *im)
{
    uint32_t left = m->n;
    double size_of_all = largest(m);
    int steps = 0;
    while (left > 0) {
        uint32_t high = left - 1;
        uint32_t low = block_begin(m, high, steps > PATIENT_STEPS ? size_of_all : 0);
        if (low + 1 >= high) {
            if (low == high) {
                re[high] = *at(m, high, high);
                im[high] = 0;
            } else {
                solve_pair(m, high, re, im);
            }
            left = low;
            steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS)
            return false;
        double a = *at(m, high - 1, high - 1), d = *at(m, high, high);
        double sum = a + d, product = a * d - *at(m, high - 1, high) * *at(m, high, high - 1);
        if (steps % ODD_STEPS == 0) /* it goes in a circle */
            other_shifts(m, steps / ODD_STEPS % 2 ? low : high - 2, &sum, &product);
        francis_step(m, low, high, sum, product);
    }
    return true;
}

bool eigenvalues(uint32_t n, double *a, double *re, double *im)
{
    Square m = {n, a};
    for (size_t i = 0; i < (size_t)n * n; i++)
        if (!isfinite(a[i]))
            return false;
    balance(&m);
    make_hessenberg(&m, re);
    return take_apart(&m, re, im);
}
