/* Which integrator, which linear solver: `auto` finds the cheap one, and all give the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (within %g)", value, expected, tolerance);
}

/* Statistics of a run to its end, and where a variable ended. */
static SolStats run(const char *file, const char *model, SolOptions options, const char *path,
                    double *value)
{
    SolStats stats;
    SimLab *lab = sim_lab_open(file, model, &options);
    assert_int_equal(sim_lab_run(lab, options.stop), SOL_OK);
    sol_stats(lab->sim, &stats);
    *value = sim_lab_value(lab, path);
    sim_lab_close(lab);
    return stats;
}

/* ---- auto ---- */

/* Stiff but for the two jumps in each period. */
static void test_stiff_part_goes_to_ida(void **state)
{
    (void)state;
    double x;
    SolOptions options = {.stop = 2000, .steps = 10, .rtol = 1e-8, .atol = 1e-10, .max_step = 2000};
    SolStats ida = run("stiff.sol", "VanDerPol", options, "x", &x);
    options.solver = SOL_SOLVER_AUTO;
    SolStats automatic = run("stiff.sol", "VanDerPol", options, "x", &x);
    near_to(x, 0.1706167732170469e1, 1e-5 * 1.7);
    assert_true(automatic.method_changes >= 1 && automatic.method_changes <= 20);
    assert_true(automatic.time_ida > 1990 && automatic.time_rk > 0);
    assert_true(automatic.steps < ida.steps && automatic.residuals < 2 * ida.residuals);
    assert_true(automatic.jacobians <= ida.jacobians);
}

static void test_free_part_stays_with_rk(void **state)
{
    (void)state;
    double x[2];
    SolOptions options = {.stop = 20, .steps = 10, .rtol = 1e-8, .max_step = 20};
    options.solver = SOL_SOLVER_RK;
    SolStats rk = run("mechanics.sol", "AnglePendulum", options, "x", &x[0]);
    options.solver = SOL_SOLVER_AUTO;
    SolStats automatic = run("mechanics.sol", "AnglePendulum", options, "x", &x[1]);
    assert_true(automatic.residuals == rk.residuals && x[0] == x[1]);
    assert_true(automatic.time_ida == 0 && automatic.method_changes == 0);
}

/* Two parts, one stiff from 1 to 2: each has its own method, and gets the other one back. */
static const char TWO[] = "model Two\nimplementation:\n"
                          "  static Real a; static Real b; static Real c; static Real k;\n"
                          "  if time < 1 then k << 1; else if time < 2 then k << 1e5;\n"
                          "  else then k << 1; end;\n"
                          "  der(x = a, start << 0) = k*(cos(x = 40*time) - a);\n"
                          "  c = der(x = b, start << 1);\n"
                          "  der(x = c) = -900*b;\n"
                          "end Two;\n";

static void test_each_part_its_own(void **state)
{
    (void)state;
    SolStats stats;
    SimLab *lab = sim_lab_text(
        TWO, &(SolOptions){
                 .stop = 6, .steps = 6, .max_step = 6, .rtol = 1e-7, .solver = SOL_SOLVER_AUTO});
    assert_int_equal(sim_lab_run(lab, 6), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_int_equal(stats.method_changes, 2);
    assert_true(stats.time_ida > 0.9 && stats.time_ida < 4);
    assert_true(stats.time_rk > 8);
    near_to(sim_lab_value(lab, "b"), cos(180), 1e-4);
    sim_lab_close(lab);
}

/* ---- rodas ---- */

static void test_rodas_solves_stiff_equations(void **state)
{
    (void)state;
    double x;
    SolOptions options = {.stop = 2000, .steps = 10, .rtol = 1e-7, .atol = 1e-9, .max_step = 2000};
    options.solver = SOL_SOLVER_RODAS;
    SolStats stats = run("stiff.sol", "VanDerPol", options, "x", &x);
    near_to(x, 0.1706167732170469e1, 1e-4 * 1.7);
    assert_true(stats.steps < 3000 && stats.time_rodas == 2000);
}

/* y is exp(sin(t)). Errors fall with the tolerance, and steps grow as order 4 lets them: ten times as many for 10^-4 of
 * the tolerance. Without the derivative by the clock, or with a wrong coefficient, the order is lower. */
static void test_rodas_has_its_order(void **state)
{
    (void)state;
    static const char text[] = "model Swings\nimplementation:\n  static Real y;\n"
                               "  der(x = y, start << 1) = y*cos(x = time);\nend Swings;\n";
    uint64_t steps[2];
    for (int k = 0; k < 2; k++) {
        double rtol = k ? 1e-9 : 1e-5;
        SolStats stats;
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 10,
                                                       .steps = 1,
                                                       .rtol = rtol,
                                                       .atol = rtol,
                                                       .max_step = 10,
                                                       .solver = SOL_SOLVER_RODAS});
        assert_int_equal(sim_lab_run(lab, 10), SOL_OK);
        near_to(sim_lab_value(lab, "y"), exp(sin(10)), 20 * rtol);
        sol_stats(lab->sim, &stats);
        steps[k] = stats.steps;
        sim_lab_close(lab);
    }

    assert_true(steps[1] <= 14 * steps[0]);
}

/* x follows g, which is 1 and 0 in turn for 5 ms each, at once; y follows x slowly. */
enum { STIFFNESS = 100000, HALVES = 200 };
static const char TOGGLED[] =
    "model Toggled\nimplementation:\n  static Real x; static Real y; static Boolean on;\n"
    "  on << mod(100*time, 1) < 0.5;\n"
    "  static Real v;\n  der(x = x, start << 0) = v;\n"
    "  if on then v = 100000*(1 - x); else then v = -100000*x; end if;\n"
    "  der(x = y, start << 0) = x - y;\nend Toggled;\n";

/* Both equations are linear: what HALVES halves of a period make of x and y. */
static void toggled_exact(double *x, double *y)
{
    const double k = STIFFNESS, h = 0.005;
    *x = *y = 0;
    for (int i = 0; i < HALVES; i++) {
        double g = i % 2 == 0, a = (*x - g) / (1 - k);
        *y = g + a * exp(-k * h) + (*y - g - a) * exp(-h);
        *x = g + (*x - g) * exp(-k * h);
    }
}

static void test_many_events_of_a_stiff_part(void **state)
{
    (void)state;
    double x, y;
    SolStats stats[2];
    toggled_exact(&x, &y);
    for (int k = 0; k < 2; k++) {
        SimLab *lab =
            sim_lab_text(TOGGLED, &(SolOptions){.stop = 1,
                                                .steps = 1,
                                                .max_step = 1,
                                                .rtol = 1e-7,
                                                .solver = k ? SOL_SOLVER_AUTO : SOL_SOLVER_IDA});
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        near_to(sim_lab_value(lab, "y"), y, 1e-6);
        near_to(sim_lab_value(lab, "x"), x, 1e-6);
        sol_stats(lab->sim, &stats[k]);
        sim_lab_close(lab);
    }
    assert_true(stats[1].time_rodas > 0.9 && stats[0].time_rodas == 0);
    assert_true(stats[1].steps < stats[0].steps);
}

/* ---- linear solvers ---- */

/* Conductances between 1 and 10^5 from place to place: stiff, and nothing a diagonal could solve.
 */
static char *ladder(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Ladder\nimplementation:\n");
    for (int i = 0; i <= n + 1; i++)
        fprintf(f, "  static Real u%d;\n", i);
    fprintf(f, "  u0 = sin(x = 5*time);\n  u%d = 0;\n", n + 1);
    for (int i = 1; i <= n; i++) {
        double left = pow(10, (i * 7) % 6), right = pow(10, ((i + 1) * 7) % 6);
        fprintf(f, "  der(x = u%d, start << 1) = %g*(u%d - u%d) + %g*(u%d - u%d) - u%d^3;\n", i,
                left, i - 1, i, right, i + 1, i, i);
    }
    fprintf(f, "end Ladder;\n");
    fclose(f);
    return text;
}

static void test_linear_solvers_agree(void **state)
{
    (void)state;
    enum { N = 150 };
    char *text = ladder(N), path[20];
    double expected[N + 1];
    SolLinear kinds[] = {SOL_LINEAR_KLU, SOL_LINEAR_DENSE, SOL_LINEAR_KRYLOV};
    uint64_t steps = 0;
    for (int k = 0; k < 3; k++) {
        SimLab *lab = sim_lab_text(
            text, &(SolOptions){.stop = 1, .steps = 4, .rtol = 1e-7, .linear = kinds[k]});
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        for (int i = 1; i <= N; i++) {
            snprintf(path, sizeof path, "u%d", i);
            double value = sim_lab_value(lab, path);
            if (k == 0)
                expected[i] = value;
            near_to(value, expected[i], 1e-6);
        }
        SolStats stats;
        sol_stats(lab->sim, &stats);
        steps = k == 0 ? stats.steps : steps;
        assert_true(stats.steps < 1.3 * (double)steps && stats.steps > 0.7 * (double)steps);
        sim_lab_close(lab);
    }
    free(text);
}

/* A loop in which each of twelve reads all: its tearing variables are unknowns of IDA, and leave no
 * diagonal for incomplete factors. */
static char *meshed(void)
{
    enum { N = 12 };
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Meshed\nimplementation:\n  static Real s;\n");
    for (int i = 0; i < N; i++)
        fprintf(f, "  static Real x%d;\n", i);
    fprintf(f, "  der(x = s, start << 1) = x0 - 2*s;\n");
    for (int i = 0; i < N; i++) {
        fprintf(f, "  x%d*(2 + %d*s) + x%d^3 = cos(x = %d*s)", i, i, i, i);
        for (int k = 0; k < N; k++)
            fprintf(f, " + 0.1*sin(x = x%d*x%d + %d)", k, (k + i) % N, k);
        fprintf(f, ";\n");
    }
    fprintf(f, "end Meshed;\n");
    fclose(f);
    return text;
}

static void test_linear_solvers_with_loops(void **state)
{
    (void)state;
    char *text = meshed();
    SolLinear kinds[] = {SOL_LINEAR_DENSE, SOL_LINEAR_KLU, SOL_LINEAR_KRYLOV};
    double s[3], x[3];
    for (int k = 0; k < 3; k++) {
        SimLab *lab = sim_lab_text(
            text, &(SolOptions){.stop = 2, .steps = 4, .rtol = 1e-8, .linear = kinds[k]});
        assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
        s[k] = sim_lab_value(lab, "s");
        x[k] = sim_lab_value(lab, "x7");
        near_to(s[k], s[0], 1e-7);
        near_to(x[k], x[0], 1e-7);
        sim_lab_close(lab);
    }
    free(text);
}

/* Diffusion in a cube of n^3, the factors of which fill: what Krylov is for. */
static char *cube(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    static const int step[6][3] = {{1}, {-1}, {0, 1}, {0, -1}, {0, 0, 1}, {0, 0, -1}};
    fprintf(f, "model Cube\nimplementation:\n");
    for (int i = 0; i < n * n * n; i++)
        fprintf(f, "  static Real u%d;\n", i);
    for (int i = 0; i < n * n * n; i++) {
        int at[3] = {i % n, i / n % n, i / n / n};
        fprintf(f, "  der(x = u%d, start << %g) = -u%d^3", i, i % 3 ? 0.5 : 0.1, i);
        for (int k = 0; k < 6; k++) {
            int x = at[0] + step[k][0], y = at[1] + step[k][1], z = at[2] + step[k][2];
            if (x >= 0 && x < n && y >= 0 && y < n && z >= 0 && z < n)
                fprintf(f, " + %d*(u%d - u%d)", n * n, x + n * (y + n * z), i);
        }
        fprintf(f, ";\n");
    }
    fprintf(f, "end Cube;\n");
    fclose(f);
    return text;
}

static void test_what_fills_is_left_to_krylov(void **state)
{
    (void)state;
    char *text = cube(14);
    SolLinear kinds[] = {SOL_LINEAR_KRYLOV, SOL_LINEAR_AUTO, SOL_LINEAR_KLU};
    uint64_t hash[3];
    double value[3];
    for (int k = 0; k < 3; k++) {
        SimLab *lab =
            sim_lab_text(text, &(SolOptions){.stop = 0.1, .steps = 2, .linear = kinds[k]});
        assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
        hash[k] = lab->hash;
        value[k] = sim_lab_value(lab, "u0");
        near_to(value[k], value[0], 1e-5);
        sim_lab_close(lab);
    }
    assert_true(hash[0] == hash[1] && hash[0] != hash[2]); /* which one it was shows in the bits */
    free(text);
}

/* n things that read a mean of all of them: a tree of sums, a hub, and back. As `implicit` the hub
 * is the solution of a loop. */
static char *hub(int n, bool implicit)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "model Some\ninterface:\n  parameter Integer first; parameter Integer n;\n"
            "  static Real mean; static Real sum;\nimplementation:\n"
            "  if n > 1 then\n"
            "    static Some left{first << first, n << floor(n/2)};\n"
            "    static Some right{first << first + floor(n/2), n << n - floor(n/2)};\n"
            "    left.mean = mean; right.mean = mean; sum = left.sum + right.sum;\n"
            "  else then\n    static Real x;\n"
            "    der(x = x, start << 1 + first/%d) = 3*mean - x*x*(1 + first/%d);\n"
            "    sum = x;\n  end if;\nend Some;\n"
            "model Hub\nimplementation:\n  static Real mean;\n"
            "  static Some some{first << 0, n << %d};\n  some.mean = mean;\n  %s;\nend Hub;\n",
            n, n, n,
            implicit ? "mean + mean^3 + mean^5 = 3*some.sum/some.n" : "mean = some.sum/some.n");
    fclose(f);
    return text;
}

static SolStats run_hub(int n, bool implicit, SolLinear linear, double *mean)
{
    char *text = hub(n, implicit);
    SolStats stats;
    SimLab *lab = sim_lab_text(
        text,
        &(SolOptions){.stop = 10, .steps = 2, .rtol = 1e-7, .max_step = 10, .linear = linear});
    assert_int_equal(sim_lab_run(lab, 10), SOL_OK);
    sol_stats(lab->sim, &stats);
    *mean = sim_lab_value(lab, "mean");
    sim_lab_close(lab);
    free(text);
    return stats;
}

/* The same with the hub as a column of its own (KLU, Krylov) as without (dense). */
static void test_hubs_give_the_same(void **state)
{
    (void)state;
    for (int implicit = 0; implicit < 2; implicit++) {
        double dense, klu, krylov;
        SolStats a = run_hub(60, implicit, SOL_LINEAR_DENSE, &dense);
        SolStats b = run_hub(60, implicit, SOL_LINEAR_KLU, &klu);
        run_hub(60, implicit, SOL_LINEAR_KRYLOV, &krylov);
        near_to(klu, dense, 1e-9);
        near_to(krylov, dense, 1e-5);
        assert_true(fabs((double)a.steps - (double)b.steps) <= 0.02 * (double)a.steps);
        assert_int_equal(a.jacobians, b.jacobians);
        assert_int_equal(a.tangent_sweeps, 60 * a.jacobians);
        assert_true(b.tangent_sweeps <= 30 * b.jacobians);
    }
}

/* Sweeps for one Jacobian do not grow with the number of things at the hub. */
static void test_hubs_take_few_sweeps(void **state)
{
    (void)state;
    double mean;
    SolStats small = run_hub(100, false, SOL_LINEAR_AUTO, &mean);
    SolStats large = run_hub(1000, false, SOL_LINEAR_AUTO, &mean);
    assert_true(small.tangent_sweeps <= 40 * small.jacobians);
    assert_true(large.tangent_sweeps <= 40 * large.jacobians);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff_part_goes_to_ida),
        cmocka_unit_test(test_free_part_stays_with_rk),
        cmocka_unit_test(test_each_part_its_own),
        cmocka_unit_test(test_rodas_solves_stiff_equations),
        cmocka_unit_test(test_rodas_has_its_order),
        cmocka_unit_test(test_many_events_of_a_stiff_part),
        cmocka_unit_test(test_linear_solvers_agree),
        cmocka_unit_test(test_linear_solvers_with_loops),
        cmocka_unit_test(test_what_fills_is_left_to_krylov),
        cmocka_unit_test(test_hubs_give_the_same),
        cmocka_unit_test(test_hubs_take_few_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
