/* ways between equations that turn round, pass near others, and lead nowhere: where way_follow() comes to, by closed forms. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "numerics/dense_lu.h"
#include "numerics/way.h"

#include <math.h>
#include <string.h>

enum { MOST = 6 };

/* f(x, t) and its derivatives by x, of n unknowns. */
typedef void Equations(uint32_t n, const double *x, double t, double *f, double *jacobian);

typedef struct Place {
    Equations *equations;
    uint32_t n, pivot[2 * MOST + 2];
    double jacobian[MOST * MOST], lu[4 * MOST * MOST + 8 * MOST];
} Place;

static bool value(void *context, const double *x, double t, double *f)
{
    Place *p = context;
    p->equations(p->n, x, t, f, p->jacobian);
    return true;
}

static bool factor(void *context)
{
    Place *p = context;
    memcpy(p->lu, p->jacobian, p->n * p->n * sizeof *p->lu);
    return dense_lu_factor(p->n, p->lu, p->pivot);
}

static void solve(void *context, double *b)
{
    Place *p = context;
    dense_lu_solve(p->n, p->lu, p->pivot, b);
}

static bool follow(Equations *equations, uint32_t n, double *x, const double *unit)
{
    Place p = {.equations = equations, .n = n};
    assert_true(dense_lu_room(n) <= sizeof p.lu / sizeof *p.lu);
    assert_true(dense_lu_pivots(n) <= sizeof p.pivot / sizeof *p.pivot);
    WaySystem way = {n, &p, unit, value, factor, solve};
    Mem *mem = mem_open();
    bool fine = way_follow(mem, &way, x);
    mem_close(mem);
    return fine;
}

static const double ones[MOST] = {1, 1, 1, 1, 1, 1};

/* x^3 - 3 x = 8 t - 4: at t = 1/4 and 3/4 the way turns round; it begins at x^3 - 3 x = -4 and ends at its opposite. */
static void turns(uint32_t n, const double *x, double t, double *f, double *jacobian)
{
    (void)n;
    f[0] = x[0] * x[0] * x[0] - 3 * x[0] - (8 * t - 4);
    jacobian[0] = 3 * x[0] * x[0] - 3;
}

static const double ROOT = 2.195823345445647; /* of x^3 - 3 x = 4 */

static void goes_around_turns(void **state)
{
    (void)state;
    double x = -ROOT;
    assert_true(fabs(ROOT * ROOT * ROOT - 3 * ROOT - 4) < 1e-12);
    assert_true(follow(turns, 1, &x, ones));
    assert_true(fabs(x - ROOT) < 0.02);
}

/* The same for 1000 y = x and in a plane that is turned: units and directions do not matter. */
static void turned(uint32_t n, const double *x, double t, double *f, double *jacobian)
{
    (void)n;
    double u = (0.6 * x[0] + 0.8 * x[1]) / 1000, v = (-0.8 * x[0] + 0.6 * x[1]) / 1000, slope;
    turns(1, &u, t, f, &slope);
    f[1] = v - 2 * t;
    jacobian[0] = 0.6 * slope / 1000;
    jacobian[1] = 0.8 * slope / 1000;
    jacobian[2] = -0.8 / 1000;
    jacobian[3] = 0.6 / 1000;
}

static void knows_units(void **state)
{
    (void)state;
    const double unit[2] = {1000, 1000};
    double x[2] = {-600 * ROOT, -800 * ROOT};
    assert_true(follow(turned, 2, x, unit));
    assert_true(fabs(x[0] - 1000 * (0.6 * ROOT - 0.8 * 2)) < 20);
    assert_true(fabs(x[1] - 1000 * (0.8 * ROOT + 0.6 * 2)) < 20);
}

/* Two ways that nearly meet: (x - t)(x + t - 1) = 0.01, with x > 1/2 on one and x < 1/2 on the other. From x = 1 at t = 0 it
 * goes down to the middle and up again. */
static void near_others(uint32_t n, const double *x, double t, double *f, double *jacobian)
{
    (void)n;
    f[0] = (x[0] - t) * (x[0] + t - 1) - 1e-2;
    jacobian[0] = 2 * x[0] - 1;
}

static void stays_on_its_way(void **state)
{
    (void)state;
    double end = 0.5 + sqrt(0.25 + 1e-2), x = end; /* x (x - 1) = 0.01, at both ends */
    assert_true(follow(near_others, 1, &x, ones));
    assert_true(fabs(x - end) < 0.02);
    x = 1 - end;
    assert_true(follow(near_others, 1, &x, ones));
    assert_true(fabs(x - (1 - end)) < 0.02);
}

/* x^2 = 1/2 - t has no solution behind 1/2: the way comes back on the other side, for ever. */
static void leads_back(uint32_t n, const double *x, double t, double *f, double *jacobian)
{
    (void)n;
    f[0] = x[0] * x[0] + t - 0.5;
    jacobian[0] = 2 * x[0];
}

/* (1 - t) x = 1: no solution at 1. */
static void leads_away(uint32_t n, const double *x, double t, double *f, double *jacobian)
{
    (void)n;
    f[0] = (1 - t) * x[0] - 1;
    jacobian[0] = 1 - t;
}

static void tells_the_end(void **state)
{
    (void)state;
    double x = sqrt(0.5);
    assert_false(follow(leads_back, 1, &x, ones));
    assert_true(x == sqrt(0.5));
    x = 1;
    assert_false(follow(leads_away, 1, &x, ones));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_around_turns), cmocka_unit_test(knows_units),
        cmocka_unit_test(stays_on_its_way), cmocka_unit_test(tells_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
