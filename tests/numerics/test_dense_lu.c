/* test_dense_lu.c: dense factors and solutions, against LAPACK and in long double.
 *
 * Random systems of 1 to 60 unknowns: of any sign and size, with rows and columns in units that are
 * up to 300 orders of magnitude apart, nearly singular, exactly singular (integers of a known
 * rank), permuted, triangular, such that elimination lets entries grow. Of each system that is not
 * reported singular the backward error |b - A x| / (|A| |x| + |b|), in the norm of the largest
 * entry, is below n * 1e-15; what is exactly singular is reported, and nothing else whose condition
 * is below 1e12.
 */
#include "numerics/dense_lu.h"
#include "tests/support/soak.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 60 };

/* LAPACK, as Fortran has it. */
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info);

typedef struct Case {
    uint64_t random;
    uint32_t n;
    bool singular; /* exactly */
    const char *kind;
    double a[MOST * MOST], b[MOST]; /* by rows */
} Case;

/* ---- random ---- */

static uint64_t draw(Case *c)
{
    uint64_t z = c->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(Case *c, uint32_t limit)
{
    return (uint32_t)(draw(c) % limit);
}

static double between(Case *c, double low, double high)
{
    return low + (high - low) * (double)(draw(c) >> 11) * 0x1p-53;
}

static double *at(Case *c, uint32_t r, uint32_t k)
{
    return &c->a[(size_t)r * c->n + k];
}

static void fill(Case *c)
{
    for (uint32_t i = 0; i < c->n * c->n; i++)
        c->a[i] = between(c, -1, 1);
}

static void shuffle_rows(Case *c)
{
    for (uint32_t r = c->n; r-- > 1;) {
        uint32_t s = below(c, r + 1);
        for (uint32_t k = 0; k < c->n; k++) {
            double t = *at(c, r, k);
            *at(c, r, k) = *at(c, s, k);
            *at(c, s, k) = t;
        }
    }
}

/* ---- kinds ---- */

static void make_random(Case *c)
{
    fill(c);
}

static void make_scaled(Case *c)
{
    double orders = between(c, 1, 150);
    fill(c);
    for (uint32_t r = 0; r < c->n; r++) {
        double row = pow(10, between(c, -orders, orders));
        double column = pow(10, between(c, -orders, orders));
        for (uint32_t k = 0; k < c->n; k++) {
            *at(c, r, k) *= row;
            *at(c, k, r) *= column;
        }
    }
}

/* One row is a combination of the others, up to a small rest. */
static void make_nearly_singular(Case *c)
{
    double rest = pow(10, between(c, -17, -3));
    fill(c);
    uint32_t last = below(c, c->n);
    for (uint32_t k = 0; k < c->n; k++)
        *at(c, last, k) *= rest;
    for (uint32_t r = 0; r < c->n; r++) {
        double part = r == last ? 0 : between(c, -1, 1);
        for (uint32_t k = 0; k < c->n; k++)
            *at(c, last, k) += part * *at(c, r, k);
    }
}

/* Integers, the product of n x rank and rank x n: no rounding, so it is singular exactly; rows and
 * columns by powers of two stay so. */
static void make_singular(Case *c)
{
    uint32_t rank = below(c, c->n), size = 1 + below(c, 9);
    int left[MOST][MOST], right[MOST][MOST];
    for (uint32_t r = 0; r < c->n; r++)
        for (uint32_t k = 0; k < c->n; k++) {
            left[r][k] = (int)below(c, 2 * size + 1) - (int)size;
            right[r][k] = (int)below(c, 2 * size + 1) - (int)size;
        }
    for (uint32_t r = 0; r < c->n; r++)
        for (uint32_t k = 0; k < c->n; k++) {
            int sum = 0;
            for (uint32_t i = 0; i < rank; i++)
                sum += left[r][i] * right[i][k];
            *at(c, r, k) = sum;
        }
    for (uint32_t r = 0; r < c->n && size % 2; r++) {
        double row = ldexp(1, (int)below(c, 200) - 100);
        double column = ldexp(1, (int)below(c, 200) - 100);
        for (uint32_t k = 0; k < c->n; k++) {
            *at(c, r, k) *= row;
            *at(c, k, r) *= column;
        }
    }
    c->singular = true;
}

/* Kirchhoff's matrix of a network that is grounded nowhere: columns add up to 0 exactly. */
static void make_floating(Case *c)
{
    memset(c->a, 0, sizeof c->a);
    for (uint32_t i = 0; i < 2 * c->n; i++) {
        uint32_t r = below(c, c->n), s = below(c, c->n);
        double g = ldexp(1 + below(c, 1000), (int)below(c, 30) - 15);
        if (r == s)
            continue;
        *at(c, r, r) += g;
        *at(c, s, s) += g;
        *at(c, r, s) -= g;
        *at(c, s, r) -= g;
    }
    c->singular = true;
}

static void make_permuted(Case *c)
{
    memset(c->a, 0, sizeof c->a);
    for (uint32_t r = 0; r < c->n; r++)
        *at(c, r, r) = pow(10, between(c, -9, 9));
    for (uint32_t i = below(c, 3) * c->n; i > 0; i--) {
        uint32_t r = below(c, c->n), k = below(c, c->n);
        if (k > r)
            *at(c, r, k) = between(c, -1, 1);
    }
    shuffle_rows(c);
}

/* Partial pivoting nearly doubles the last column at each step. */
static void make_growing(Case *c)
{
    for (uint32_t r = 0; r < c->n; r++)
        for (uint32_t k = 0; k < c->n; k++)
            *at(c, r, k) = k + 1 == c->n || k == r ? 1 : k < r ? -between(c, 0.9, 1) : 0;
}

/* What a diode that is open and one that is closed leave in a loop. */
static void make_conductances(Case *c)
{
    memset(c->a, 0, sizeof c->a);
    for (uint32_t i = 0; i < 3 * c->n; i++) {
        uint32_t r = below(c, c->n), s = below(c, c->n + 1);
        double g = pow(10, between(c, -9, 3));
        *at(c, r, r) += g;
        if (s == c->n || s == r)
            continue;
        *at(c, s, s) += g;
        *at(c, r, s) -= g;
        *at(c, s, r) -= g;
    }
    for (uint32_t r = 0; r < c->n; r++)
        *at(c, r, r) += 1e-9;
}

typedef struct Kind {
    const char *name;
    void (*make)(Case *c);
} Kind;

static const Kind kinds[] = {{"random", make_random},
                             {"badly scaled", make_scaled},
                             {"nearly singular", make_nearly_singular},
                             {"exactly singular", make_singular},
                             {"floating network", make_floating},
                             {"permuted", make_permuted},
                             {"growing", make_growing},
                             {"conductances", make_conductances}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void make_case(Case *c, uint64_t seed)
{
    *c = (Case){.random = seed};
    const Kind *kind = &kinds[below(c, KINDS)];
    c->n = 1 + below(c, MOST);
    c->kind = kind->name;
    kind->make(c);
    for (uint32_t i = 0; i < c->n; i++)
        c->b[i] = between(c, -1, 1) * pow(10, between(c, -3, 3));
}

/* ---- truth ---- */

static long double backward_error(const Case *c, const double *x)
{
    long double most = 0, matrix = 0, solution = 0, right = 0;
    for (uint32_t r = 0; r < c->n; r++) {
        long double left = c->b[r], sum = 0;
        for (uint32_t k = 0; k < c->n; k++) {
            left -= (long double)c->a[(size_t)r * c->n + k] * x[k];
            sum += fabsl(c->a[(size_t)r * c->n + k]);
        }
        most = fmaxl(most, fabsl(left));
        matrix = fmaxl(matrix, sum);
        solution = fmaxl(solution, fabsl(x[r]));
        right = fmaxl(right, fabsl(c->b[r]));
    }
    return most == 0 ? 0 : most / (matrix * solution + right);
}

/* Solution and condition by LAPACK of the matrix with our scales, whose solution it gives. */
static double by_lapack(const Case *c, const double *factors, double *x)
{
    static double a[MOST * MOST], work[4 * MOST];
    int n = (int)c->n, one = 1, pivot[MOST], places[MOST], info;
    const double *row = factors + (size_t)n * n, *column = row + n;
    double norm = 0, rcond = 0;
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int r = 0; r < n; r++)
            sum += fabs(a[(size_t)k * n + r] = c->a[(size_t)r * n + k] * row[r] * column[k]);
        x[k] = c->b[k] * row[k];
        norm = fmax(norm, sum);
    }
    dgesv_(&n, &one, a, &n, pivot, x, &n, &info);
    assert_true(info >= 0);
    if (info > 0)
        return 0;
    dgecon_("1", &n, a, &n, &norm, &rcond, work, places, &info);
    assert_int_equal(info, 0);
    for (int k = 0; k < n; k++)
        x[k] *= column[k];
    return rcond;
}

static double distance(uint32_t n, const double *x, const double *y)
{
    double most = 0, size = 0;
    for (uint32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return size > 0 ? most / size : most;
}

/* ---- one system ---- */

static void tell(const Case *c, uint64_t seed, const char *what, double number)
{
    printf("seed %llu: %s, n = %u: %s %g\n", (unsigned long long)seed, c->kind, c->n, what, number);
}

static void transposed_agrees(Case *c, const double *f, const uint32_t *pivot, uint64_t seed)
{
    double x[MOST], y[MOST], left = 0, right = 0, size = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        x[i] = c->b[i];
        y[i] = between(c, -1, 1);
    }
    double other[MOST];
    memcpy(other, y, sizeof other);
    dense_lu_solve(c->n, f, pivot, x);
    dense_lu_solve_transposed(c->n, f, pivot, other);
    for (uint32_t i = 0; i < c->n; i++) { /* y' inv(A) b both ways */
        left += y[i] * x[i];
        right += other[i] * c->b[i];
        size += fabs(y[i] * x[i]) + fabs(other[i] * c->b[i]);
    }
    if (!(fabs(left - right) <= 1e-9 * size))
        tell(c, seed, "transposed is off by", left - right);
    assert_true(fabs(left - right) <= 1e-9 * size);
}

static void check_solution(Case *c, uint64_t seed, const double *f, const uint32_t *pivot)
{
    double x[MOST], theirs[MOST], refined[MOST], work[2 * MOST];
    memcpy(x, c->b, sizeof x);
    dense_lu_solve(c->n, f, pivot, x);
    memcpy(refined, x, sizeof refined);
    double error = (double)backward_error(c, x), rcond = by_lapack(c, f, theirs);
    double ours = dense_lu_rcond(c->n, f, pivot, work);
    for (int i = 0; i < 2; i++)
        dense_lu_refine(c->n, c->a, f, pivot, c->b, refined, work);
    if (!(error < c->n * 1e-15))
        tell(c, seed, "backward error", error);
    assert_true(error < c->n * 1e-15);
    assert_true((double)backward_error(c, refined) < c->n * 1e-15);
    bool grows = !strcmp(c->kind, "growing"); /* LAPACK's factors have lost it */
    bool close = grows || rcond == 0 || (ours < 10 * rcond && ours > rcond / 10) ||
                 fmin(ours, rcond) < 1e-13;
    if (!close)
        tell(c, seed, "condition against LAPACK's", ours / rcond);
    assert_true(close);
    /* of badly scaled ones the largest of x says nothing of the others */
    if (grows || !strcmp(c->kind, "badly scaled"))
        return;
    bool same = distance(c->n, x, theirs) <= 1e-12 + 10 * c->n * DBL_EPSILON / rcond;
    if (rcond > 1e-12 && !same)
        tell(c, seed, "not LAPACK's solution, by", distance(c->n, x, theirs));
    assert_true(rcond <= 1e-12 || same);
    if (rcond > 1e-7)
        transposed_agrees(c, f, pivot, seed);
}

/* Returns whether it was reported singular. */
static bool check_case(Case *c, uint64_t seed)
{
    static double f[MOST * MOST + 2 * MOST + 1];
    uint32_t pivot[2 * MOST];
    double work[2 * MOST], x[MOST];
    make_case(c, seed);
    memcpy(f, c->a, (size_t)c->n * c->n * sizeof *f);
    bool reported = !dense_lu_factor(c->n, f, pivot);
    if (!reported && dense_lu_singular(c->n, f, pivot, work)) {
        reported = true;
        if (!c->singular) {
            double rcond = by_lapack(c, f, x);
            if (!(rcond < 1e-12))
                tell(c, seed, "reported singular with rcond", rcond);
            assert_true(rcond < 1e-12);
        }
    }
    if (c->singular && !reported)
        tell(c, seed, "not reported singular, rcond", dense_lu_rcond(c->n, f, pivot, work));
    assert_true(reported || !c->singular);
    if (!reported)
        check_solution(c, seed, f, pivot);
    return reported;
}

static void random_systems(void **state)
{
    (void)state;
    static Case c;
    uint32_t all[KINDS] = {0}, reported[KINDS] = {0};
    Soak soak = soak_begin("linear systems", 5000, 1);
    while (soak_next(&soak)) {
        bool singular = check_case(&c, soak.seed);
        for (uint32_t k = 0; k < KINDS; k++)
            if (!strcmp(c.kind, kinds[k].name)) {
                all[k]++;
                reported[k] += singular;
            }
    }
    soak_end(&soak);
    for (uint32_t k = 0; k < KINDS; k++)
        printf("%-18s %7u, reported singular %u\n", kinds[k].name, all[k], reported[k]);
}

/* ---- cases by hand ---- */

static void exchanges_of_rows_in_the_middle(void **state)
{
    (void)state;
    double a[4 * 4 + 2 * 4 + 1] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 1, 1, 1, 1, 7, 1, 2};
    double x[] = {1 + 4 + 9 + 16, 1 + 4 + 15 + 4, 2 + 2 + 3 + 4, 1 + 14 + 3 + 8};
    uint32_t pivot[8];
    assert_true(dense_lu_factor(4, a, pivot));
    dense_lu_solve(4, a, pivot, x);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(fabs(x[i] - (i + 1)) < 1e-14);
}

static void no_numbers_are_refused(void **state)
{
    (void)state;
    uint32_t pivot[4];
    double a[9] = {1, 2, NAN, 4}, b[9] = {1, INFINITY, 2, 3}, c[9] = {0};
    assert_false(dense_lu_factor(2, a, pivot));
    assert_false(dense_lu_factor(2, b, pivot));
    assert_false(dense_lu_factor(2, c, pivot));
}

static void scales_are_powers_of_two(void **state)
{
    (void)state;
    double a[9] = {3e200, 5e-100, 7e90, 1e-200};
    uint32_t pivot[4];
    int exponent;
    assert_true(dense_lu_factor(2, a, pivot));
    for (int i = 4; i < 8; i++)
        assert_true(frexp(a[i], &exponent) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_of_rows_in_the_middle),
        cmocka_unit_test(no_numbers_are_refused),
        cmocka_unit_test(scales_are_powers_of_two),
        cmocka_unit_test(random_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
