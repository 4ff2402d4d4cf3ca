/* eigenvalues: against closed forms, and against LAPACK's dgeev on drawn matrices. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "numerics/eigenvalues.h"
#include "tests/support/random_x.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info);

enum { MOST = 60 };

/* Each of the first list has one of the second within `bound`, and no two the same one. */
static void match(uint32_t n, const double *re, const double *im, const double *want_re,
                  const double *want_im, double bound)
{
    bool used[MOST] = {false};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = n;
        double least = INFINITY;
        for (uint32_t k = 0; k < n; k++) {
            double off = hypot(re[i] - want_re[k], im[i] - want_im[k]);
            if (!used[k] && off < least) {
                least = off;
                best = k;
            }
        }
        if (!(least <= bound))
            fail_msg("%g %+gi is no eigenvalue: the nearest is %.3g away", re[i], im[i], least);
        used[best] = true;
    }
}

/* -2, 1, 1 on three diagonals: -2 + 2 cos(k pi/(n + 1)). */
static void rod(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    for (uint32_t n = 1; n <= MOST; n += 7) {
        double re[MOST], im[MOST], want[MOST], zero[MOST] = {0};
        memset(a, 0, sizeof a);
        for (uint32_t i = 0; i < n; i++) {
            a[i * n + i] = -2;
            if (i + 1 < n)
                a[i * n + i + 1] = a[(i + 1) * n + i] = 1;
            want[i] = -2 + 2 * cos((i + 1) * acos(-1.0) / (n + 1));
        }
        assert_true(eigenvalues(n, a, re, im));
        match(n, re, im, want, zero, 1e-13);
    }
}

/* A circle of n: the roots of 1. No shift helps at first. */
static void circle(void **state)
{
    (void)state;
    static double a[MOST * MOST];
    for (uint32_t n = 2; n <= 12; n++) {
        double re[MOST], im[MOST], want_re[MOST], want_im[MOST];
        memset(a, 0, sizeof a);
        for (uint32_t i = 0; i < n; i++) {
            a[i * n + (i + 1) % n] = 1;
            want_re[i] = cos(2 * acos(-1.0) * i / n);
            want_im[i] = sin(2 * acos(-1.0) * i / n);
        }
        assert_true(eigenvalues(n, a, re, im));
        match(n, re, im, want_re, want_im, 1e-13);
    }
}

/* Oscillators of all speeds side by side, rows in units of their own: balance. */
static void scales(void **state)
{
    (void)state;
    enum { N = 8 };
    double a[N * N] = {0}, re[N], im[N];
    for (int k = 0; k < N / 2; k++) {
        double w = pow(10, 2 * k), unit = pow(10, 3 - k);
        a[2 * k * N + 2 * k + 1] = unit;
        a[(2 * k + 1) * N + 2 * k] = -w * w * 1.01 / unit;
        a[(2 * k + 1) * N + 2 * k + 1] = -0.2 * w;
    }
    assert_true(eigenvalues(N, a, re, im));
    for (int k = 0; k < N / 2; k++) { /* -0.1 w +- w i, in whatever order */
        double w = pow(10, 2 * k), least = INFINITY;
        for (int i = 0; i < N; i++)
            least = fmin(least, hypot(re[i] + 0.1 * w, fabs(im[i]) - w));
        assert_true(least <= 1e-12 * w);
    }
}

static void no_number(void **state)
{
    (void)state;
    double a[4] = {1, NAN, 0, 1}, re[2], im[2], empty[1];
    assert_false(eigenvalues(2, a, re, im));
    assert_true(eigenvalues(0, empty, re, im));
}

static double norm(uint32_t n, const double *a)
{
    double sum = 0;
    for (uint32_t i = 0; i < n * n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static void drawn(void **state)
{
    (void)state;
    Soak soak = soak_begin("eigenvalues", 200, 1);
    while (soak_next(&soak)) {
        static double a[MOST * MOST], b[MOST * MOST];
        double re[MOST], im[MOST], want_re[MOST], want_im[MOST], work[8 * MOST];
        Rng rng = {soak.seed};
        int n = 1 + (int)rng_below(&rng, MOST), one = 1, room = 8 * MOST, info;
        for (int i = 0; i < n * n; i++)
            a[i] = rng_below(&rng, 3) ? rng_real(&rng, -1, 1) : 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b[j * n + i] = a[i * n + j];
        double size = norm((uint32_t)n, a), square_trace = 0;
        for (int i = 0; i < n * n; i++)
            square_trace += a[i] * b[i];
        dgeev_("N", "N", &n, b, &n, want_re, want_im, NULL, &one, NULL, &one, work, &room, &info);
        assert_int_equal(info, 0);
        assert_true(eigenvalues((uint32_t)n, a, re, im));
        match((uint32_t)n, re, im, want_re, want_im, 1e-4 * size); /* fourfold ones are sensitive */
        double trace = 0, sum = 0, squares = 0;
        for (int i = 0; i < n; i++) { /* sums are not, whatever is manifold */
            sum += re[i];
            squares += re[i] * re[i] - im[i] * im[i];
            trace += want_re[i];
        }
        assert_true(fabs(squares - square_trace) <= 1e-12 * (size * size + 1));
        assert_true(fabs(sum - trace) <= 1e-12 * (size + 1));
    }
    soak_end(&soak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rod), cmocka_unit_test(circle),
                                       cmocka_unit_test(scales), cmocka_unit_test(no_number),
                                       cmocka_unit_test(drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
