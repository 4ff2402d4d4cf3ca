/* test_linear.c: random linear systems as models: stiff ones by both direct solvers, and loops.
 *
 * The stiff ones have eigenvalues from -1 to -1e6: whatever the linear solver gets wrong costs
 * Newton's iteration its convergence, so dense and sparse factors must need about the same steps.
 * Loops are held against the equations as the test wrote them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/sim/sim.h"
#include "tests/support/sim_lab.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 12 };

typedef struct Random {
    uint64_t state;
} Random;

static double draw(Random *r, double low, double high)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* ---- stiff ---- */

/* a := Q diag(-l) Q', Q from reflections: symmetric, with known eigenvalues. */
static void make_stiff(Random *r, int n, double a[MOST][MOST])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            a[i][k] = i == k ? -pow(10, 6.0 * i / (n - 1)) : 0;
    for (int round = 0; round < 3; round++) {
        double v[MOST], norm = 0, right[MOST], left[MOST];
        for (int i = 0; i < n; i++) {
            v[i] = draw(r, -1, 1);
            norm += v[i] * v[i];
        }
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n; i++) {
                right[i] = 0;
                for (int k = 0; k < n; k++)
                    right[i] += (side ? a[k][i] : a[i][k]) * v[k];
                left[i] = 2 * right[i] / norm;
            }
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++)
                    *(side ? &a[k][i] : &a[i][k]) -= left[i] * v[k];
        }
    }
}

static char *print_stiff(int n, double a[MOST][MOST])
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Stiff\nimplementation:\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  static Real x%d;\n", i);
    for (int i = 0; i < n; i++) {
        fprintf(f, "  derState(x = x%d, start << 1) = sin(time)", i);
        for (int k = 0; k < n; k++)
            fprintf(f, " + (%.17g)*x%d", a[i][k], k);
        fprintf(f, ";\n");
    }
    fprintf(f, "end Stiff;\n");
    fclose(f);
    return text;
}

static uint64_t run_stiff(const char *text, int n, SolLinear linear, double *x)
{
    SolOptions options = {.stop = 1, .steps = 10, .linear = linear, .solver = SOL_SOLVER_IDA};
    SimLab *lab = sim_lab_text(text, &options);
    char path[16];
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "x%d", i);
        x[i] = sim_lab_value(lab, path);
    }
    uint64_t steps = lab->sim->sim->counts.steps;
    sim_lab_close(lab);
    return steps;
}

static void stiff_systems_need_the_same_steps(void **state)
{
    (void)state;
    Soak soak = soak_begin("stiff linear systems", SLOW_BUILD ? 4 : 20, 0.3);
    while (soak_next(&soak)) {
        Random r = {soak.seed};
        int n = 3 + (int)(soak.seed % 6);
        double a[MOST][MOST], dense[MOST], sparse[MOST];
        make_stiff(&r, n, a);
        char *text = print_stiff(n, a);
        uint64_t by_dense = run_stiff(text, n, SOL_LINEAR_DENSE, dense);
        uint64_t by_klu = run_stiff(text, n, SOL_LINEAR_KLU, sparse);
        /* A last bit can change IDA's choice of orders, and with it the number of steps: 3.6 times as
         * many were seen, both with right answers. Wrong factors need hundreds of times as many. */
        if (by_dense > 10 * by_klu)
            fail_msg("%llu steps with dense factors, %llu with KLU\n%s",
                     (unsigned long long)by_dense, (unsigned long long)by_klu, text);
        for (int i = 0; i < n; i++)
            assert_true(fabs(dense[i] - sparse[i]) < 1e-4);
        free(text);
    }
    soak_end(&soak);
}

/* ---- loops ---- */

/* n unknowns; the drive is a state, so that the loop belongs to the dynamics. */
static char *print_loop(Random *r, int n, double a[MOST][MOST], double b[MOST])
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Loop\nimplementation:\n  static Real drive;\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  static Real z%d;\n", i);
    fprintf(f, "  derState(x = drive, start << 1) = -drive + 1e-3*z0/(1 + z0^2);\n");
    for (int i = 0; i < n; i++) {
        b[i] = draw(r, -1, 1);
        fprintf(f, "  ");
        for (int k = 0; k < n; k++) {
            a[i][k] = draw(r, 0, 1) < 0.7 || i == k ? draw(r, -1, 1) : 0;
            if (a[i][k] != 0)
                fprintf(f, "%s(%.17g)*z%d", k ? " + " : "", a[i][k], k);
            else
                fprintf(f, "%s0", k ? " + " : "");
        }
        fprintf(f, " = (%.17g)*drive;\n", b[i]);
    }
    fprintf(f, "end Loop;\n");
    fclose(f);
    return text;
}

static double value(SimLab *lab, int i)
{
    char path[16];
    snprintf(path, sizeof path, "z%d", i);
    return sim_lab_value(lab, path);
}

static double loop_violation(SimLab *lab, int n, double a[MOST][MOST], const double *b)
{
    double most = 0, drive = sim_lab_value(lab, "drive");
    for (int i = 0; i < n; i++) {
        double left = -b[i] * drive, terms = fabs(b[i] * drive);
        for (int k = 0; k < n; k++) {
            left += a[i][k] * value(lab, k);
            terms += fabs(a[i][k] * value(lab, k));
        }
        most = fmax(most, fabs(left) / terms);
    }
    return most;
}

static void loops_are_solved(void **state)
{
    (void)state;
    Soak soak = soak_begin("linear loops", SLOW_BUILD ? 20 : 200, 0.7);
    while (soak_next(&soak)) {
        Random r = {soak.seed};
        int n = 2 + (int)(soak.seed % (MOST - 1));
        double a[MOST][MOST], b[MOST];
        char *text = print_loop(&r, n, a, b);
        SolOptions options = {.stop = 1, .steps = 10, .engine = SOL_ENGINE_INTERP};
        SimLab *lab = sim_lab_text(text, &options);
        for (int k = 0; k <= 4; k++) {
            assert_int_equal(sim_lab_run(lab, 0.25 * k), SOL_OK);
            double missed = loop_violation(lab, n, a, b);
            if (!(missed < 1e-11))
                fail_msg("time %g: the equations are missed by %g\n%s", 0.25 * k, missed, text);
        }
        sim_lab_close(lab);
        free(text);
    }
    soak_end(&soak);
}

/* ---- what the DDP hands over whole ---- */

/* A ladder of resistors, torn in one variable, would grow 2.6 times with each of its sections. */
static char *print_ladder(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Ladder\nimplementation:\n  static Real drive;\n");
    for (int i = 0; i <= n; i++)
        fprintf(f, "  static Real u%d;\n", i);
    fprintf(f, "  derState(x = drive, start << 1) = -u1;\n  u0 = drive;\n  u%d = u%d/2;\n", n,
            n - 1);
    for (int i = 1; i < n; i++)
        fprintf(f, "  u%d + u%d - 3*u%d = 0;\n", i - 1, i + 1, i);
    fprintf(f, "end Ladder;\n");
    fclose(f);
    return text;
}

static void what_is_handed_over_whole_is_solved_whole(void **state)
{
    (void)state;
    char *text = print_ladder(50);
    uint32_t untorn = 0;
    SimLab *lab = sim_lab_text(text, NULL);
    assert_int_equal(sim_lab_run(lab, 0.5), SOL_OK);
    const Sim *sim = lab->sim->sim;
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n)) {
        DdpNodeView view = ddp_node(sim->ddp, n);
        if (!view.loop || !view.untorn)
            continue;
        untorn++;
        assert_true(sim->nodes.at[n].untorn);
    }
    assert_true(untorn > 0);
    double u = 1, before = 2; /* from the end, where the current stops: u49 = 2*u50 */
    for (int i = 49; i > 0; i--) {
        double next = 3 * before - u;
        u = before;
        before = next;
    }
    double ratio = sim_lab_value(lab, "u1") / sim_lab_value(lab, "u0");
    assert_true(fabs(ratio - u / before) < 1e-13);
    sim_lab_close(lab);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_systems_need_the_same_steps),
        cmocka_unit_test(loops_are_solved),
        cmocka_unit_test(what_is_handed_over_whole_is_solved_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
