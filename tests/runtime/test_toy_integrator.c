/* A method of one's own is one file and one row: the classical Runge-Kutta method with steps of one length, put into the
 * table in the place of Dormand and Prince's pair, integrates models with events and changing structure. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/solve/integrators.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <string.h>

/* ---- the method ---- */

enum { STAGES = 4 };

static const double LENGTH = 1e-3;

/* At Part.driver: n states and slopes at the begin and at the end of the last step, then room. */
typedef struct Toy {
    uint32_t n;
    double *begin, *end, *begin_slope, *end_slope, *trial, *k[STAGES];
} Toy;

static uint32_t toy_steps, toy_starts; /* in all parts, for the tests */

static Toy *toy_of(const Part *part)
{
    return part->driver[PART_RK];
}

static void toy_close(Part *part)
{
    mem_free(part->sim->mem, toy_of(part)->begin);
    mem_free(part->sim->mem, toy_of(part));
    part->driver[PART_RK] = NULL;
}

static SolStatus toy_start(Part *part)
{
    Sim *sim = part->sim;
    uint32_t n = part->n;
    if (toy_of(part))
        toy_close(part);
    Toy *toy = part->driver[PART_RK] = mem_alloc(sim->mem, sizeof *toy);
    double *at = toy->begin = mem_alloc(sim->mem, (5 + STAGES) * (size_t)n * sizeof *at);
    toy->n = n;
    toy->end = at + n;
    toy->begin_slope = at + 2 * n;
    toy->end_slope = at + 3 * n;
    toy->trial = at + 4 * n;
    for (int i = 0; i < STAGES; i++)
        toy->k[i] = at + (5 + (size_t)i) * n;
    for (uint32_t i = 0; i < n; i++) {
        toy->end[i] = sim->value[part->states.at[i].var];
        toy->end_slope[i] = sim->value[part->states.at[i].slope];
    }
    toy_starts++;
    return SOL_OK;
}

static SolStatus toy_step(Part *part, double limit)
{
    static const double way[STAGES] = {0, 0.5, 0.5, 1};
    Toy *toy = toy_of(part);
    double h = fmin(LENGTH, limit - part->now);
    memcpy(toy->begin, toy->end, toy->n * sizeof *toy->begin);
    memcpy(toy->begin_slope, toy->end_slope, toy->n * sizeof *toy->begin_slope);
    for (int s = 0; s < STAGES; s++) {
        for (uint32_t i = 0; i < toy->n; i++)
            toy->trial[i] = toy->begin[i] + (s ? way[s] * h * toy->k[s - 1][i] : 0);
        if (part_slopes(part, part->now + way[s] * h, toy->trial, toy->k[s], NULL) != 0)
            return SOL_NUMERICS;
    }
    for (uint32_t i = 0; i < toy->n; i++)
        toy->end[i] = toy->begin[i] +
                      h / 6 * (toy->k[0][i] + 2 * toy->k[1][i] + 2 * toy->k[2][i] + toy->k[3][i]);
    part->back = part->now;
    part->now += h;
    toy_steps++;
    return part_slopes(part, part->now, toy->end, toy->end_slope, NULL) ? SOL_NUMERICS : SOL_OK;
}

static SolStatus toy_explain(Part *part)
{
    diag_error(part->sim->diags, 0, "no values at time %.10g", part->now);
    return SOL_NUMERICS;
}

/* Hermite's cubic between the ends of the step. */
static void toy_at(Part *part, double time)
{
    const Toy *toy = toy_of(part);
    double h = part->now - part->back, s = h > 0 ? (time - part->back) / h : 1;
    double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * s * (3 - 2 * s);
    double c = h * s * (1 - s) * (1 - s), d = h * s * s * (s - 1);
    for (uint32_t i = 0; i < toy->n; i++)
        part->sim->value[part->states.at[i].var] = s == 1 ? toy->end[i]
                                                          : a * toy->begin[i] + b * toy->end[i] +
                                                                c * toy->begin_slope[i] +
                                                                d * toy->end_slope[i];
}

static const double *toy_unknowns(Part *part, double time)
{
    toy_at(part, time);
    return NULL;
}

static const Integrator toy_integrator = {.name = "toy",
                                          .start = toy_start,
                                          .step = toy_step,
                                          .explain = toy_explain,
                                          .at = toy_at,
                                          .unknowns = toy_unknowns,
                                          .close = toy_close};

/* ---- models ---- */

static const Integrator *const rows[PART_METHODS] = {
    [PART_CLOCK] = &clock_integrator, [PART_IDA] = &ida_integrator,
    [PART_RK] = &toy_integrator,      [PART_EULER] = &euler_integrator,
    [PART_RODAS] = &rodas_integrator, [PART_INLINE] = &inline_integrator,
    [PART_DAE] = &dae_integrator};

static SimLab *open_with_toy(const char *text, double stop)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .solver = SOL_SOLVER_RK});
    lab->sim->sim->loop.integrators = rows;
    toy_steps = toy_starts = 0;
    return lab;
}

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (within %g)", value, expected, tolerance);
}

static void test_smooth(void **state)
{
    (void)state;
    SimLab *lab = open_with_toy("model M interface: static Real x; implementation: static Real v;\n"
                                "    v = der(x = x, start << 0);\n"
                                "    der(x = v, start << 1) = -x; end M;\n",
                                2);
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    near_to(sim_lab_value(lab, "x"), sin(2), 1e-11);
    assert_int_equal(toy_starts, 1);
    assert_in_range(toy_steps, 2000, 2001);
    sim_lab_close(lab);
}

/* Falls from 1 in sqrt(2/g), comes back with half the speed. The `when` takes one equation away and gives it back. */
static void test_events(void **state)
{
    (void)state;
    SimLab *lab =
        open_with_toy("model M interface: static Real h; static Integer bounces;\n"
                      "implementation: static Real v; static Real after;\n"
                      "    v = der(x = h, start << 1);\n"
                      "    when h < 0 then after << -0.5*pre(v); bounces << pre(bounces) + 1;\n"
                      "    else then der(x = v, start << after) = -9.81; end when;\n"
                      "end M;\n",
                      1);
    double fall = sqrt(2 / 9.81), up = 9.81 * fall / 2, t = 1 - fall - 2 * up / 9.81;
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    near_to(sim_lab_value(lab, "bounces"), 2, 0);
    near_to(sim_lab_value(lab, "h"), up / 2 * t - 9.81 / 2 * t * t, 1e-8);
    assert_true(toy_starts >= 3);
    sim_lab_close(lab);
}

/* Two parts, one of which gets another state half way. */
static void test_structure(void **state)
{
    (void)state;
    SimLab *lab = open_with_toy(
        "model M interface: static Real x; static Real y; static Real z;\n"
        "implementation: der(x = x, start << 1) = -x;\n"
        "    der(x = y, start << 0) = 1;\n"
        "    if y < 0.5 then z = y; else then der(x = z, start << 3) = -2*z; end if;\n"
        "end M;\n",
        1);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    near_to(sim_lab_value(lab, "x"), exp(-1), 1e-11);
    near_to(sim_lab_value(lab, "z"), 3 * exp(-1), 1e-9);
    assert_true(toy_starts >= 3);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_structure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
