/* Large and awkward loops: grids that cannot be torn, steps that amplify rounding, hard starts. */
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

/* ---- grids ---- */

/* What the grid's potentials are to be: harmonic on the grid too. */
static double harmonic(int i, int k, int n)
{
    double x = (double)i / n, y = (double)k / n;
    return x * x - y * y + x;
}

static void print_point(FILE *f, int i, int k, double cubic, double u)
{
    fprintf(f, "  u%d_%d + u%d_%d + u%d_%d + u%d_%d - 4*u%d_%d = ", i - 1, k, i + 1, k, i, k - 1, i,
            k + 1, i, k);
    if (cubic != 0)
        fprintf(f, "%g*(u%d_%d^3 - %.17g*drive^3);\n", cubic, i, k, u * u * u);
    else
        fprintf(f, "0;\n");
}

/* n x n inner points, each joined to its four neighbours; the border is given. With a cubic
 * conductance to ground, fed by the current that makes the same potentials the solution. `drive`
 * is a state that the border follows. */
static char *grid_model(int n, double cubic)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Grid\nimplementation:\n  static Real drive;\n");
    for (int i = 0; i <= n + 1; i++)
        for (int k = 0; k <= n + 1; k++)
            fprintf(f, "  static Real u%d_%d;\n", i, k);
    fprintf(f, "  der(x = drive, start << 1) = -u1_1/%.17g;\n", harmonic(1, 1, n));
    for (int i = 0; i <= n + 1; i++)
        for (int k = 0; k <= n + 1; k++) {
            double u = harmonic(i, k, n);
            if (i == 0 || k == 0 || i == n + 1 || k == n + 1)
                fprintf(f, "  u%d_%d = %.17g*drive;\n", i, k, u);
            else
                print_point(f, i, k, cubic, u);
        }
    fprintf(f, "end Grid;\n");
    fclose(f);
    return text;
}

static void check_grid(int n, double cubic, SolSolver solver, SolLinear linear)
{
    char *model = grid_model(n, cubic), path[40];
    SimLab *lab = sim_lab_text(
        model,
        &(SolOptions){.stop = 0.1, .steps = 2, .rtol = 1e-6, .solver = solver, .linear = linear});
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    for (int pass = 0; pass < 2; pass++) {
        double drive = exp(-0.1 * pass);
        near_to(sim_lab_value(lab, "drive"), drive, 1e-6);
        drive = sim_lab_value(lab, "drive");
        for (int i = 1; i <= n; i += 7)
            for (int k = 1; k <= n; k += 5) {
                snprintf(path, sizeof path, "u%d_%d", i, k);
                near_to(sim_lab_value(lab, path), harmonic(i, k, n) * drive, 1e-9);
            }
        assert_int_equal(sim_lab_run(lab, 0.1), SOL_OK);
    }
    sim_lab_close(lab);
    free(model);
}

static void test_linear_grid(void **state)
{
    (void)state;
    check_grid(80, 0, SOL_SOLVER_IDA, SOL_LINEAR_AUTO);
}

static void test_nonlinear_grid(void **state)
{
    (void)state;
    check_grid(50, 0.5, SOL_SOLVER_RK, SOL_LINEAR_AUTO);
}

static void test_middling_grid(void **state)
{
    (void)state;
    check_grid(20, 0.5, SOL_SOLVER_IDA, SOL_LINEAR_AUTO);
    check_grid(10, 0.5, SOL_SOLVER_IDA, SOL_LINEAR_KRYLOV);
    check_grid(20, 0, SOL_SOLVER_RK, SOL_LINEAR_AUTO);
}

/* ---- copies, as connections make them ---- */

/* A bar of n cells with cubic conductance between them. With copies each neighbour sees another copy of a potential, and flows
 * are opposite at the two ends; without, the same in fewer variables. */
static char *bar_model(int n, bool copies)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    const char *left = copies ? "b" : "u", *right = copies ? "-a" : "u",
               *flow = copies ? "-j" : "i";
    fprintf(f,
            "model Bar\nimplementation:\n  static Real u0; static Real i0; static Real %s0; static "
            "Real %s%d;\n  u0 = 2 + time; %s0 = u0; %s%d = %s1;\n",
            copies ? "b" : "v", copies ? "a" : "v", n + 1, copies ? "b" : "v", copies ? "a" : "v",
            n + 1, copies ? "" : "-");
    if (!copies)
        fprintf(f, "  static Real u%d; u%d = v%d;\n", n + 1, n + 1, n + 1);
    for (int k = 0; k <= n; k++) {
        if (k)
            fprintf(f, "  static Real u%d; static Real i%d;\n", k, k);
        if (k && copies)
            fprintf(f, "  static Real a%d; static Real b%d;\n  a%d = -u%d;\n  b%d + a%d = 0;\n", k,
                    k, k, k, k, k);
        if (copies)
            fprintf(f, "  static Real j%d;\n  i%d + j%d = 0;\n", k, k, k);
        fprintf(f, "  i%d = 3*(%s%d - (%s%d)) + (%s%d - (%s%d))^3;\n", k, left, k, right, k + 1,
                left, k, right, k + 1);
        if (k)
            fprintf(f,
                    copies ? "  %s%d - i%d = 0.1*%d*(u%d + 0.5*b%d + 0.5*a%d);\n"
                           : "  %s%d - i%d = 0.1*%d*u%d;\n",
                    flow, k - 1, k, k, k, k, k);
    }
    fprintf(f, "end Bar;\n");
    fclose(f);
    return text;
}

static void test_copies(void **state)
{
    (void)state;
    enum { N = 80 };
    SimLab *lab[2];
    char *model[2], path[20];
    for (int i = 0; i < 2; i++) {
        model[i] = bar_model(N, i);
        lab[i] = sim_lab_text(model[i], &(SolOptions){.stop = 1, .steps = 2});
        assert_int_equal(sim_lab_run(lab[i], 1), SOL_OK);
    }
    for (int k = 1; k <= N; k++) {
        double u = sim_lab_value(lab[1], (snprintf(path, sizeof path, "u%d", k), path));
        near_to(u, sim_lab_value(lab[0], path), 1e-11);
        near_to(sim_lab_value(lab[1], (snprintf(path, sizeof path, "a%d", k), path)), -u, 0);
        near_to(sim_lab_value(lab[1], (snprintf(path, sizeof path, "b%d", k), path)), u, 0);
        double i = sim_lab_value(lab[1], (snprintf(path, sizeof path, "i%d", k), path));
        near_to(sim_lab_value(lab[1], (snprintf(path, sizeof path, "j%d", k), path)), -i, 0);
    }
    for (int i = 0; i < 2; i++) {
        sim_lab_close(lab[i]);
        free(model[i]);
    }
}

/* ---- hard starts: all from zero, no start values ---- */

static SimLab *init(const char *text)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 1});
    SolStatus status = sol_init(lab->sim);
    if (status != SOL_OK)
        sol_print_messages(lab->model, 0, stderr, false);
    assert_int_equal(status, SOL_OK);
    return lab;
}

static double diode(double u)
{
    return 1e-14 * (exp(u / 0.026) - 1);
}

/* 40 V behind 10 Ohm, and over a ladder of twelve of them. */
static void test_diodes(void **state)
{
    (void)state;
    SimLab *lab = init("model Diodes\nimplementation:\n  static Real u; static Real i;\n"
                       "  i = 1e-14*(exp(x = u/0.026) - 1);\n  40 - u = 10*i;\nend Diodes;\n");
    double u = sim_lab_value(lab, "u");
    near_to(10 * diode(u), 40 - u, 1e-9);
    sim_lab_close(lab);
    char *text = NULL, path[20];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Ladder\nimplementation:\n  static Real u0; static Real u13;\n"
               "  u0 = 40;\n  u13 = u12;\n");
    for (int k = 1; k <= 12; k++)
        fprintf(f,
                "  static Real u%d;\n  (u%d - u%d)/10 - (u%d - u%d)/10 = "
                "1e-14*(exp(x = u%d/0.026) - 1);\n",
                k, k - 1, k, k, k + 1, k);
    fprintf(f, "end Ladder;\n");
    fclose(f);
    lab = init(text);
    double v[14];
    for (int k = 0; k < 14; k++) {
        snprintf(path, sizeof path, "u%d", k);
        v[k] = sim_lab_value(lab, path);
    }
    for (int k = 1; k <= 12; k++)
        near_to((v[k - 1] - v[k]) / 10 - (v[k] - v[k + 1]) / 10, diode(v[k]), 1e-9);
    sim_lab_close(lab);
    free(text);
}

/* Twenty in a row: from zero the first exponent is 1,500, and every guess that does not know of the
 * 40 V overflows. */
static void test_row_of_diodes(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Row\nimplementation:\n  static Real i; static Real u0;\n  u0 = 40;\n"
               "  u20 = 5*i;\n");
    for (int k = 1; k <= 20; k++)
        fprintf(f,
                "  static Real u%d;\n  i = 1e-14*(exp(x = (u%d - u%d)/0.026) - 1) + "
                "(u%d - u%d)/1e9;\n",
                k, k - 1, k, k - 1, k);
    fprintf(f, "end Row;\n");
    fclose(f);
    SimLab *lab = init(text);
    double i = sim_lab_value(lab, "i"), u = (40 - 5 * i) / 20;
    near_to(diode(u) + u / 1e9, i, 1e-9);
    near_to(sim_lab_value(lab, "u7"), 40 - 7 * u, 1e-9);
    sim_lab_close(lab);
    free(text);
}

/* The operating point of two transistors (Ebers-Moll), directly coupled. */
static void test_amplifier_at_rest(void **state)
{
    (void)state;
    SimLab *lab =
        init("model Amplifier\nimplementation:\n"
             "  static Real b; static Real c; static Real e; static Real c2; static Real e2;\n"
             "  static Real f; static Real r; static Real f2; static Real r2;\n"
             "  f = 1e-14*(exp(x = (b - e)/0.026) - 1);\n"
             "  r = 1e-14*(exp(x = (b - c)/0.026) - 1);\n"
             "  f2 = 1e-14*(exp(x = (c - e2)/0.026) - 1);\n"
             "  r2 = 1e-14*(exp(x = (c - c2)/0.026) - 1);\n"
             "  (12 - b)/47000 - b/10000 = f/100 + r/2;\n"
             "  (12 - c)/4700 = f - 1.5*r + f2/100 + r2/2;\n"
             "  e/1000 = 1.01*f - r;\n"
             "  (12 - c2)/2200 = f2 - 1.5*r2;\n"
             "  e2/1000 = 1.01*f2 - r2;\n"
             "end Amplifier;\n");
    double b = sim_lab_value(lab, "b"), c = sim_lab_value(lab, "c"), e = sim_lab_value(lab, "e");
    double c2 = sim_lab_value(lab, "c2"), e2 = sim_lab_value(lab, "e2");
    near_to((12 - b) / 47000 - b / 10000, diode(b - e) / 100 + diode(b - c) / 2, 1e-12);
    near_to((12 - c) / 4700,
            diode(b - e) - 1.5 * diode(b - c) + diode(c - e2) / 100 + diode(c - c2) / 2, 1e-12);
    near_to(e2 / 1000, 1.01 * diode(c - e2) - diode(c - c2), 1e-12);
    near_to((12 - c2) / 2200, diode(c - e2) - 1.5 * diode(c - c2), 1e-12);
    assert_true(b - e > 0.6 && b - e < 0.75 && c > e);
    sim_lab_close(lab);
}

/* Newton alone goes to and fro between 0 and 1. */
static void test_newton_in_circles(void **state)
{
    (void)state;
    SimLab *lab = init("model Circles\nimplementation:\n  static Real x; static Real y;\n"
                       "  x^3 - 2*x + 2 + y = 0;\n  y = 0*x;\nend Circles;\n");
    near_to(sim_lab_value(lab, "x"), -1.7692923542386314, 1e-9);
    sim_lab_close(lab);
}

/* At the guess both equations are infinite: no measure of rounding makes a solution of that. */
static void test_guess_that_overflows(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text("model Far\ninterface:\n  static Real x {start << 3000};\n"
                               "  static Real y {start << -5};\nimplementation:\n"
                               "  0 = 1 + exp(x/2) - y^3;\n  0 = exp(x/2) + y^2 - 5;\nend Far;\n",
                               &(SolOptions){.stop = 1});
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    double y = sim_lab_value(lab, "y");
    near_to(y * y * y + y * y, 6, 1e-9);
    near_to(sim_lab_value(lab, "x"), 2 * log(5 - y * y), 1e-9);
    sim_lab_close(lab);
    lab = sim_lab_text("model Never\ninterface:\n  static Real x {start << 3000};\n"
                       "  static Real y {start << -5};\nimplementation:\n"
                       "  0 = 1 + exp(x/2) + y;\n  0 = exp(x/2) + 2 - y;\nend Never;\n",
                       &(SolOptions){.stop = 1});
    assert_int_equal(sol_init(lab->sim), SOL_NUMERICS);
    sim_lab_close(lab);
}

/* What has no solution says so, with the equation that is off and its values. */
static void test_no_solution(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text("model No\nimplementation:\n  static Real x; static Real y;\n"
                               "  x^2 + y^2 = -1;\n  x - y = sin(x = x*y);\nend No;\n",
                               &(SolOptions){.stop = 1});
    assert_int_equal(sol_init(lab->sim), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "at time 0, 2 equations that depend on each other could not"));
    assert_true(sim_lab_said(lab, "is off by"));
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_middling_grid),
        cmocka_unit_test(test_linear_grid),
        cmocka_unit_test(test_nonlinear_grid),
        cmocka_unit_test(test_diodes),
        cmocka_unit_test(test_row_of_diodes),
        cmocka_unit_test(test_amplifier_at_rest),
        cmocka_unit_test(test_newton_in_circles),
        cmocka_unit_test(test_guess_that_overflows),
        cmocka_unit_test(test_no_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
