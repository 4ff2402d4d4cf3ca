/* distance of a matrix with uncertain entries to a singular one: against closed forms, and against a search for the change */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "numerics/dense_distance.h"

#include <math.h>

static uint64_t drawn = 1;

static double draw_from(double low, double high)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(drawn >> 11) / 9007199254740992.0;
}

static double distance(uint32_t n, const double *a, const double *e)
{
    Mem *mem = mem_open();
    double found = dense_distance(mem, n, a, e);
    mem_close(mem);
    return found;
}

/* Ratios around a circle, x[i] = ratio[i] * x[i + 1], whose product is 1 + off: if each may change by p of itself, they can agree
 * where n * p is about `off`. Units of rows and columns are drawn, too. */
static void circles(void **state)
{
    (void)state;
    enum { MOST = 12 };
    for (int k = 0; k < 500; k++) {
        uint32_t n = 2 + (uint32_t)draw_from(0, MOST - 1.5);
        double a[MOST * MOST] = {0}, e[MOST * MOST] = {0}, product = 1;
        double off = pow(10, draw_from(-9, -4)), unit[MOST];
        for (uint32_t j = 0; j < n; j++)
            unit[j] = pow(10, draw_from(-12, 12));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t next = (i + 1) % n;
            double ratio = i + 1 < n ? draw_from(0.2, 5) : (1 + off) / product;
            double row = pow(10, draw_from(-12, 12));
            product *= ratio;
            a[i * n + i] = row * unit[i];
            a[i * n + next] = -ratio * row * unit[next];
            e[i * n + next] = fabs(a[i * n + next]);
        }
        double found = distance(n, a, e);
        if (!(fabs(found * n / off - 1) < 1e-3))
            fail_msg("%u ratios, off by %g: %g", n, off, found);
    }
}

static double determinant(const double *a)
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* The determinant changes its sign at some corner of what may be as soon as it does anywhere, being linear in each entry. */
static bool may_be_singular(const double *a, const double *e, double part)
{
    double sign = determinant(a);
    for (unsigned corner = 0; corner < 512; corner++) {
        double b[9];
        for (unsigned i = 0; i < 9; i++)
            b[i] = a[i] + (corner >> i & 1 ? part : -part) * e[i];
        if (determinant(b) * sign <= 0)
            return true;
    }
    return false;
}

static void corners(void **state)
{
    (void)state;
    for (int k = 0; k < 300; k++) {
        double a[9], e[9];
        for (int i = 0; i < 9; i++) {
            a[i] = draw_from(-1, 1);
            e[i] = draw_from(0, 1) < 0.3 ? 0 : fabs(a[i]);
        }
        double found = distance(3, a, e);
        if (isinf(found))
            continue;
        assert_false(may_be_singular(a, e, 0.999 * found));
        assert_true(may_be_singular(a, e, 6 * 3 * found));
    }
}

/* Singular as it is; exactly known; uncertain where it does not matter. */
static void ends(void **state)
{
    (void)state;
    const double singular[] = {1, 2, 2, 4}, regular[] = {1, 2, 0, 4};
    const double none[4] = {0}, all[] = {1, 2, 2, 4}, corner[] = {0, 2, 0, 0};
    assert_true(distance(2, singular, all) == 0);
    assert_true(isinf(distance(2, regular, none)));
    assert_true(isinf(distance(2, regular, corner)));
    assert_true(fabs(distance(1, regular, (const double[]){0.25}) - 4) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(circles), cmocka_unit_test(corners),
                                       cmocka_unit_test(ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
