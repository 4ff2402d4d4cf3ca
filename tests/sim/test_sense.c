/* derivatives by parameters against programs of their own, in complex numbers: a parameter with an imaginary part of 1e-30 has
 * its derivative in that of the result, without any difference, and event times are complex, too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double complex C;

enum { MOST = 6 };

/* values at `time` from parameters */
typedef void Truth(double time, const C *parameter, C *value);

typedef struct Case {
    const char *model;
    double time;
    Truth *truth;
    const char *parameter[4]; /* their values are those of the model */
    double value[4];
    const char *shown[MOST];
} Case;

/* ---- a program of its own: Runge and Kutta's method with complex times ---- */

typedef void Slopes(C time, const C *x, const C *parameter, int mode, C *slope);

static void rk4(Slopes *slopes, int n, C time, C h, const C *parameter, int mode, C *x)
{
    C k[4][4], at[4];
    for (int s = 0; s < 4; s++) {
        C part = s == 0 ? 0 : s == 3 ? h : h / 2;
        for (int i = 0; i < n; i++)
            at[i] = x[i] + (s ? part * k[s - 1][i] : 0);
        slopes(time + part, at, parameter, mode, k[s]);
    }
    for (int i = 0; i < n; i++)
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

typedef C Border(C time, const C *x, const C *parameter, int mode);

typedef struct Hybrid {
    Slopes *slopes;
    Border *border;                                           /* positive: the event has come */
    int (*enter)(C time, C *x, const C *parameter, int mode); /* -> the next mode */
    int n;
    double step;
} Hybrid;

/* The complex step to where the border is 0, by secants. */
static C step_to_border(const Hybrid *model, C time, double h, const C *parameter, int mode,
                        const C *from)
{
    C a = 0, b = h, x[4], of_a = model->border(time, from, parameter, mode);
    for (int round = 0; round < 60; round++) {
        memcpy(x, from, sizeof x);
        rk4(model->slopes, model->n, time, b, parameter, mode, x);
        C of_b = model->border(time + b, x, parameter, mode);
        if (fabs(creal(b - a)) < 1e-11 * h) /* the imaginary part is there as well */
            break;
        C next = b - of_b * (b - a) / (of_b - of_a);
        a = b, of_a = of_b, b = next;
    }
    return b;
}

static void simulate(const Hybrid *model, double stop, const C *parameter, int mode, C *x)
{
    C time = 0;
    while (creal(time) < stop) {
        bool last = creal(time) + model->step >= stop;
        C h = last ? stop - time : model->step, from[4] = {0};
        memcpy(from, x, (size_t)model->n * sizeof *x);
        rk4(model->slopes, model->n, time, h, parameter, mode, x);
        if (creal(model->border(time + h, x, parameter, mode)) > 0) {
            h = step_to_border(model, time, creal(h), parameter, mode, from);
            memcpy(x, from, (size_t)model->n * sizeof *x);
            rk4(model->slopes, model->n, time, h, parameter, mode, x);
            mode = model->enter(time + h, x, parameter, mode);
            last = false;
        }
        time += h;
        if (last)
            break;
    }
}

/* ---- a ball ---- */

static void ball(double time, const C *p, C *value)
{
    const double g = 9.81;
    C hit = csqrt(2 * p[1] / g), speed = g * hit;
    if (time < creal(hit)) {
        value[0] = p[1] - g / 2 * time * time;
        value[1] = -g * time;
        return;
    }
    for (;;) {
        speed *= p[0];
        C flight = 2 * speed / g, passed = time - hit;
        value[0] = speed * passed - g / 2 * passed * passed;
        value[1] = speed - g * passed;
        if (time < creal(hit + flight))
            return;
        hit += flight;
    }
}

/* ---- pendulums, by their angle ---- */

static void swing(C time, const C *x, const C *p, int mode, C *slope)
{
    (void)time, (void)mode;
    slope[0] = x[1];
    slope[1] = -p[1] / p[0] * csin(x[0]);
}

static C never(C time, const C *x, const C *p, int mode)
{
    (void)time, (void)x, (void)p, (void)mode;
    return -1;
}

static void pendulum(double time, const C *p, C *value)
{
    C x[4] = {1, 0};
    simulate(&(Hybrid){swing, never, NULL, 2, 1e-4}, time, p, 0, x);
    value[0] = p[0] * csin(x[0]);
    value[1] = -p[0] * ccos(x[0]);
    value[2] = p[0] * ccos(x[0]) * x[1];
    value[3] = p[0] * csin(x[0]) * x[1];
}

/* mode 0: angle and its speed; mode 1: x, y, vx, vy */
static void hang_or_fly(C time, const C *x, const C *p, int mode, C *slope)
{
    const C swings[2] = {p[0], 9.81};
    slope[2] = slope[3] = 0;
    if (mode == 0) {
        swing(time, x, swings, 0, slope);
        return;
    }
    slope[0] = x[2];
    slope[1] = x[3];
    slope[3] = -9.81;
}

static C too_strong(C time, const C *x, const C *p, int mode)
{
    (void)time;
    return mode ? -1 : p[0] * x[1] * x[1] + 9.81 * ccos(x[0]) - p[1];
}

static int let_go(C time, C *x, const C *p, int mode)
{
    C angle = x[0], speed = p[0] * x[1];
    (void)time, (void)mode;
    x[0] = p[0] * csin(angle);
    x[1] = -p[0] * ccos(angle);
    x[2] = speed * ccos(angle);
    x[3] = speed * csin(angle);
    return 1;
}

static void rope(double time, const C *p, C *value)
{
    C x[4] = {1.5};
    simulate(&(Hybrid){hang_or_fly, too_strong, let_go, 4, 1e-4}, time, p, 0, x);
    memcpy(value, x, sizeof x);
}

/* ---- a rectifier ---- */

static C source(C time)
{
    return csin(314.159265358979324 * time);
}

static void currents(C time, const C *x, const C *p, int mode, C *slope)
{
    slope[0] = mode ? (source(time) - 10 * x[0] - x[1]) / p[0] : 0;
    slope[1] = (x[0] - x[1] / p[1]) / p[2];
}

static C diode(C time, const C *x, const C *p, int mode)
{
    (void)p;
    return mode ? -x[0] : source(time) - x[1];
}

static int turn(C time, C *x, const C *p, int mode)
{
    (void)time, (void)p;
    x[0] = 0;
    return !mode;
}

static void rectifier(double time, const C *p, C *value)
{
    C x[4] = {0};
    simulate(&(Hybrid){currents, diode, turn, 2, 1e-5}, time, p, 0, x);
    value[0] = x[0];
    value[1] = x[1];
}

/* ---- closed forms ---- */

static void born(double time, const C *p, C *value)
{
    C a = p[0], held = 2 * a + 1 / a, z = a * a * cexp(-held * (time - 2 / a));
    value[0] = a * time;
    value[1] = z;
    value[2] = held;
    value[3] = held * (time - 1 / a) + (a * a - z) / held;
}

static void shafts(double time, const C *p, C *value)
{
    value[0] = value[1] = (p[1] + 3 * p[0]) / (1 + p[0]) + (time - p[1]) / (1 + p[0]);
    value[2] = -p[0] / (1 + p[0]);
}

static void exchanged(double time, const C *p, C *value)
{
    value[0] = 1 + 3 * p[0] * (time - 1 / p[0]);
    value[1] = 3 * p[0];
}

static void slow(double time, const C *p, C *value)
{
    value[0] = time - (p[0] - 299) / 0.001;
}

static const Case cases[] = {
    {"Sense.Ball", 1.6, ball, {"e", "height"}, {0.7, 1}, {"h", "v"}},
    {"Sense.Pendulum", 3, pendulum, {"l", "g"}, {1.2, 9.81}, {"x", "y", "vx", "vy"}},
    {"Sense.Rope", 1.2, rope, {"l", "strength"}, {1.2, 20}, {"x", "y", "vx", "vy"}},
    {"Sense.Rectifier", 0.05, rectifier, {"L", "R", "C"}, {0.2, 50, 0.001}, {"i", "uC"}},
    {"Sense.Born", 2, born, {"a"}, {1.5}, {"x", "y", "held", "tank"}},
    {"Sense.Shafts", 1, shafts, {"J", "locks"}, {2, 0.5}, {"w1", "w2", "f"}},
    {"Sense.Exchanged", 1, exchanged, {"part.k"}, {2}, {"x", "y"}},
    {"Sense.Slow", 1500, slow, {"limit"}, {300}, {"z"}},
};

static uint32_t count(const char *const *texts, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && texts[n])
        n++;
    return n;
}

static void compare(SimLab *lab, const Case *c, uint32_t by, uint32_t n)
{
    const double tiny = 1e-30;
    C parameter[4], value[MOST];
    for (uint32_t i = 0; i < n; i++)
        parameter[i] = c->value[i] + (i == by ? tiny * I : 0);
    c->truth(c->time, parameter, value);
    for (uint32_t i = 0; i < MOST && c->shown[i]; i++) {
        double truth = cimag(value[i]) / tiny;
        double is = sol_sensitivity(lab->sim, by, sol_find(lab->sim, c->shown[i]));
        double size = fmax(fabs(truth), fabs(creal(value[i]) / c->value[by]));
        if (!(fabs(sim_lab_value(lab, c->shown[i]) - creal(value[i])) <=
              1e-6 * (1 + cabs(value[i]))))
            fail_msg("%s: %s is %.12g, not %.12g", c->model, c->shown[i],
                     sim_lab_value(lab, c->shown[i]), creal(value[i]));
        if (!(fabs(is - truth) <= 1e-6 * size))
            fail_msg("%s: d(%s)/d(%s) is %.12g, not %.12g", c->model, c->shown[i], c->parameter[by],
                     is, truth);
    }
}

static void run_cases(SolSolver solver, SolEngine engine)
{
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        uint32_t n = count(c->parameter, 4);
        SimLab *lab = sim_lab_open("sense.sol", c->model,
                                   &(SolOptions){.stop = c->time,
                                                 .steps = 7,
                                                 .rtol = 1e-9,
                                                 .solver = solver,
                                                 .engine = engine,
                                                 .n_sensitivities = n,
                                                 .sensitivities = c->parameter});
        assert_int_equal(sim_lab_run(lab, c->time), SOL_OK);
        for (uint32_t by = 0; by < n; by++)
            compare(lab, c, by, n);
        sim_lab_close(lab);
    }
}

static void agrees_with_complex_programs(void **state)
{
    (void)state;
    run_cases(SOL_SOLVER_IDA, SOL_ENGINE_INTERP);
    run_cases(SOL_SOLVER_RK, SOL_ENGINE_INTERP);
    run_cases(SOL_SOLVER_RODAS, SOL_ENGINE_INTERP);
    run_cases(SOL_SOLVER_AUTO, SOL_ENGINE_JIT);
}

/* ---- what has no derivative ---- */

static SimLab *open_by(const char *model, const char *const *by, SolOptions options)
{
    options.n_sensitivities = 1;
    options.sensitivities = by;
    return sim_lab_open("sense.sol", model, &options);
}

static void tells_where_there_is_none(void **state)
{
    (void)state;
    SimLab *lab = open_by("Sense.Kink", (const char *[]){"p"}, (SolOptions){0});
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(sim_lab_said(lab, "there is no derivative by p any more"));
    assert_true(isnan(sol_sensitivity(lab->sim, 0, sol_find(lab->sim, "x"))));
    sim_lab_close(lab);
}

static void refuses_what_is_no_real_parameter(void **state)
{
    static const char *const wrong[][2] = {
        {"n", "nothing can be differentiated by n: it is an Integer, and has no neighbours"},
        {"b", "nothing can be differentiated by b: it is a Boolean, and has no neighbours"},
        {"x", "nothing can be differentiated by x: it is a variable, and a parameter is wanted"},
        {"twise", "nothing can be differentiated by twise: there is no such parameter"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        SimLab *lab = open_by("Sense.Kink", wrong[i], (SolOptions){0});
        assert_int_equal(sim_lab_run(lab, 1), SOL_USAGE);
        if (!sim_lab_said(lab, wrong[i][1]))
            fail_msg("'%s' is not said", wrong[i][1]);
        sim_lab_close(lab);
    }
    SimLab *lab = open_by("Sense.Kink", (const char *[]){"twise"}, (SolOptions){0});
    sim_lab_run(lab, 1);
    assert_true(sim_lab_said(lab, "did you mean twice?"));
    sim_lab_close(lab);
}

/* The trajectory is what it is without derivatives. */
static void leaves_the_run_alone(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SolOptions options = {.stop = cases[i].time, .engine = SOL_ENGINE_INTERP};
        SimLab *alone = sim_lab_open("sense.sol", cases[i].model, &options);
        SimLab *with = open_by(cases[i].model, cases[i].parameter, options);
        assert_int_equal(sim_lab_run(alone, cases[i].time), SOL_OK);
        assert_int_equal(sim_lab_run(with, cases[i].time), SOL_OK);
        assert_int_equal(alone->points, with->points);
        for (uint32_t k = 0; k < MOST && cases[i].shown[k]; k++) {
            double a = sim_lab_value(alone, cases[i].shown[k]),
                   b = sim_lab_value(with, cases[i].shown[k]);
            if (!(fabs(a - b) <= 1e-12 * (1 + fabs(a))))
                fail_msg("%s: %s is %.17g, and %.17g with derivatives", cases[i].model,
                         cases[i].shown[k], a, b);
        }
        sim_lab_close(alone);
        sim_lab_close(with);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_complex_programs),
        cmocka_unit_test(tells_where_there_is_none),
        cmocka_unit_test(refuses_what_is_no_real_parameter),
        cmocka_unit_test(leaves_the_run_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
