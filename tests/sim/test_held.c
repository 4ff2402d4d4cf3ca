/* test_held.c: sign, floor, ceil, round and mod in dynamics -> integrals that are known, and as
 * many events as there are jumps.
 *
 * Arguments are chosen first: c*sin(w*t + p) + d*t + e, its sine from an oscillator or its line
 * from the clock. Where they cross boundaries is found by a scan in small steps and by bisection.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIGN, FLOOR, CEIL, ROUND, MOD, KINDS };
static const char *const names[] = {"sign(", "floor(", "ceil(", "round(", "mod("};

typedef struct Case {
    int kind;
    double c, w, p, d, e, b, stop;
} Case;

static double argument(const Case *q, double t)
{
    return q->c * sin(q->w * t + q->p) + q->d * t + q->e;
}

/* Constant between jumps. */
static double piece(const Case *q, double t)
{
    double a = argument(q, t);
    switch (q->kind) {
    case SIGN:
        return a > 0 ? 1 : -1;
    case CEIL:
        return ceil(a);
    case ROUND:
        return floor(a + 0.5);
    case MOD:
        return floor(a / q->b);
    default:
        return floor(a);
    }
}

static double jump_between(const Case *q, double lo, double hi)
{
    for (double mid = (lo + hi) / 2; mid > lo && mid < hi; mid = (lo + hi) / 2)
        *(piece(q, mid) == piece(q, lo) ? &lo : &hi) = mid;
    return hi;
}

/* The integral over the whole time, and the number of jumps. */
static double integral(const Case *q, uint32_t *jumps)
{
    enum { SCAN = 40000 };
    double sum = 0, from = 0, before = 0, T = q->stop;
    *jumps = 0;
    for (int i = 1; i <= SCAN; i++) {
        double t = T * i / SCAN;
        if (piece(q, t) != piece(q, before)) {
            double at = jump_between(q, before, t);
            sum += piece(q, before) * (at - from);
            from = at;
            ++*jumps;
        }
        before = t;
    }
    sum += piece(q, before) * (T - from);
    if (q->kind != MOD)
        return sum;
    double whole = q->c / q->w * (cos(q->p) - cos(q->w * T + q->p)) + q->d * T * T / 2 + q->e * T;
    return whole - q->b * sum;
}

static uint32_t below(uint64_t *random, uint32_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % n;
}

static double between(uint64_t *random, double lo, double hi)
{
    return lo + (hi - lo) * below(random, 1000003) / 1000003.0;
}

static Case random_case(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
    Case q = {.kind = (int)below(&random, KINDS), .stop = between(&random, 2, 12)};
    q.c = below(&random, 3) ? between(&random, 0.3, 3) : 0;
    q.w = between(&random, 0.5, 4);
    q.p = between(&random, 0, 6);
    q.d = below(&random, 2) || q.c == 0 ? between(&random, -2, 2) : 0;
    q.e = between(&random, -1, 1);
    q.b = between(&random, 0.2, 2) * (below(&random, 4) ? 1 : -1);
    return q;
}

static void write_model(const Case *q, char *text, size_t size)
{
    char a[200];
    snprintf(a, sizeof a, "x + (%.17g)*time + (%.17g)", q->d, q->e);
    if (q->c == 0)
        snprintf(a, sizeof a, "(%.17g)*time + (%.17g)", q->d, q->e);
    int n = snprintf(text, size,
                     "model M\ninterface:\n  static Real x; static Real v; static Real y;\n"
                     "implementation:\n  v = der(x = x, start << %.17g);\n"
                     "  der(x = v, start << %.17g) = -%.17g*x;\n",
                     q->c * sin(q->p), q->c * q->w * cos(q->p), q->w * q->w);
    if (q->kind == MOD)
        n += snprintf(text + n, size - (size_t)n, "  der(x = y, start << 0) = mod(%s, %.17g);\n", a,
                      q->b);
    else
        n += snprintf(text + n, size - (size_t)n, "  der(x = y, start << 0) = %s%s);\n",
                      names[q->kind], a);
    snprintf(text + n, size - (size_t)n, "end M;\n");
}

static bool check_seed(uint64_t seed, uint64_t *jumps_seen)
{
    char text[2000];
    uint32_t jumps;
    Case q = random_case(seed);
    double expected = integral(&q, &jumps);
    write_model(&q, text, sizeof text);
    SolOptions options = {.stop = q.stop,
                          .steps = 1 + (uint32_t)(seed % 50),
                          .rtol = 1e-10,
                          .atol = 1e-12,
                          .solver = seed % 2 ? SOL_SOLVER_IDA : SOL_SOLVER_RK,
                          .engine = SOL_ENGINE_INTERP,
                          .cache = "off"};
    SimLab *lab = sim_lab_text(text, &options);
    SolStatus status = sim_lab_run(lab, q.stop);
    double y = sim_lab_value(lab, "y"), bound = 1e-6 * (1 + fabs(expected) + q.stop);
    bool right = status == SOL_OK && fabs(y - expected) < bound && lab->n_events == jumps;
    if (!right)
        print_error("seed %llu: status %d, y = %.12g instead of %.12g, %u events instead of %u\n%s",
                    (unsigned long long)seed, status, y, expected, lab->n_events, jumps, text);
    *jumps_seen += jumps;
    sim_lab_close(lab);
    return right;
}

static void integrals(void **state)
{
    uint64_t jumps = 0, wrong = 0;
    (void)state;
    Soak soak = soak_begin("integrals of functions that jump", SLOW_BUILD ? 20 : 200, 0.5);
    while (soak_next(&soak))
        if (!check_seed(soak.seed, &jumps)) {
            soak_failed(&soak);
            wrong++;
        }
    soak_end(&soak);
    assert_true(wrong == 0 && jumps > 0);
}

/* The argument is whole at the start, and leaves there. */
static void whole_at_the_start(void **state)
{
    static const char text[] =
        "model M\ninterface:\n  static Real a; static Real b; static Real c; static Real d;\n"
        "  static Real e;\n"
        "implementation:\n  der(x = a, start << 0) = 1;\n  der(x = b, start << 0) = ceil(a);\n"
        "  der(x = c, start << 0) = floor(-a);\n  der(x = d, start << 0) = round(0.5 - a);\n"
        "  der(x = e, start << 0) = sign(a) + mod(-a, 1);\nend M;\n";
    (void)state;
    for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
        SolOptions options = {.stop = 3, .steps = 60, .solver = (SolSolver)solver, .cache = "off"};
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
        assert_true(fabs(sim_lab_value(lab, "b") - 6) < 1e-9);
        assert_true(fabs(sim_lab_value(lab, "c") + 6) < 1e-9);
        assert_true(fabs(sim_lab_value(lab, "d") + 3) < 1e-9);
        assert_true(fabs(sim_lab_value(lab, "e") - 4.5) < 1e-5);
        sim_lab_close(lab);
    }
}

static void check_times(const char *text, uint32_t n, const double *times)
{
    SolOptions options = {.stop = 300, .steps = 7, .cache = "off"};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 300), SOL_OK);
    assert_int_equal(lab->n_events, n);
    for (uint32_t i = 0; i < n; i++)
        assert_true(fabs(lab->event_time[i] - times[i]) <= 4e-16 * times[i]);
    sim_lab_close(lab);
}

/* A traffic light with a period of 120: in one expression exactly, through a variable to rounding.
 */
static void times_of_mod(void **state)
{
    static const double times[] = {50, 120, 170, 240, 290};
    (void)state;
    check_times("model M\ninterface:\n  static Real u;\nimplementation:\n"
                "  if mod(time, 120) < 50 then u = 0; else then u = 1; end if;\nend M;\n",
                5, times);
    check_times("model M\ninterface:\n  static Real m; static Real u; static Real x;\n"
                "implementation:\n  m = mod(a = time, b = 120);\n"
                "  if m < 50 then u = 0; else then u = m - 50; end if;\n"
                "  der(x = x, start << 0) = u - x;\nend M;\n",
                5, times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals),
        cmocka_unit_test(whole_at_the_start),
        cmocka_unit_test(times_of_mod),
    };
    return cmocka_run_group_tests_name("functions that jump", tests, NULL, NULL);
}
