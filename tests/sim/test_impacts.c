/* test_impacts.c: reinit and the Sol form of an impact -> the motion, against closed forms. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { IMPACTS = 15 };
static const double G = 9.81, E = 0.8;

#define BALL "model Ball\ninterface: static Real h; static Real v;\nimplementation:\n"

static const char by_reinit[] = BALL "  der(h, start << 1) = v; der(v, start << 0) = -9.81;\n"
                                     "  when h < 0 and v < 0 then reinit(v, -0.8*v); end when;\n"
                                     "end Ball;\n";
static const char by_reinit_of_pre[] =
    BALL "  der(h, start << 1) = v; der(v, start << 0) = -9.81;\n"
         "  when h < 0 and v < 0 then reinit(x = v, value = -0.8*pre(v)); end when;\nend Ball;\n";
static const char by_equation[] =
    BALL "  der(h, start << 1) = v;\n"
         "  when h < 0 and v < 0 then v = -0.8*pre(v); else then der(v, start << 0) = -9.81; end;\n"
         "end Ball;\n";
static const char of_a_part[] =
    "model Body\ninterface: static Real h; static Real v;\nimplementation:\n"
    "  der(h, start << 1) = v; der(v, start << 0) = -9.81;\nend Body;\n"
    "model Ball\ninterface: static Real h; static Real v;\nimplementation:\n"
    "  static Body b[2]; h = b[2].h; v = b[2].v;\n"
    "  for i in 1:2 then\n"
    "    when b[i].h < 0 and b[i].v < 0 then reinit(b[i].v, -0.8*b[i].v); end when;\n"
    "  end for;\nend Ball;\n";

/* Height and speed at time t, of a ball that falls from 1 m. */
static void closed_form(double t, double *h, double *v)
{
    double fall = sqrt(2 / G), begin = fall, up = E * G * fall;
    *h = 1 - G * t * t / 2;
    *v = -G * t;
    while (t > begin) {
        *h = up * (t - begin) - G * (t - begin) * (t - begin) / 2;
        *v = up - G * (t - begin);
        begin += 2 * up / G;
        up *= E;
    }
}

static void bounce(const char *text, SolSolver solver)
{
    double fall = sqrt(2 / G), flight = 2 * E * fall, t = fall;
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 5, .rtol = 1e-12, .solver = solver});
    for (int k = 0; k < IMPACTS; k++, t += flight, flight *= E) {
        double h, v, at = t + 0.3 * flight;
        assert_int_equal(sim_lab_run(lab, at), SOL_OK);
        closed_form(at, &h, &v);
        if (fabs(sim_lab_value(lab, "h") - h) > 1e-9 || fabs(sim_lab_value(lab, "v") - v) > 1e-9)
            fail_msg("behind impact %d: h off by %g, v by %g", k + 1, sim_lab_value(lab, "h") - h,
                     sim_lab_value(lab, "v") - v);
    }
    sim_lab_close(lab);
}

static void bouncing_ball(void **state)
{
    (void)state;
    const char *const texts[] = {by_reinit, by_reinit_of_pre, by_equation, of_a_part};
    for (int i = 0; i < 4; i++) {
        bounce(texts[i], SOL_SOLVER_IDA);
        bounce(texts[i], SOL_SOLVER_RK);
    }
}

/* Two carts that hit each other: each value is made of both speeds before. */
static void elastic_impact(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(
        "model M\ninterface: static Real x; static Real y; static Real u; static Real w;\n"
        "implementation:\n"
        "  der(x, start << 0) = u; der(y, start << 1) = w;\n"
        "  der(u, start << 2) = 0; der(w, start << -1) = 0;\n"
        "  when x > y then reinit(u, (-2*u + 6*w)/4); reinit(w, (2*w + 2*u)/4); end when;\n"
        "end M;\n",
        &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "u") + 2.5) < 1e-12);
    assert_true(fabs(sim_lab_value(lab, "w") - 0.5) < 1e-12);
    assert_true(fabs(sim_lab_value(lab, "x") - (2.0 / 3 - 2.5 * 2 / 3)) < 1e-9);
    sim_lab_close(lab);
}

/* The branch in which it rests determines what reinit would set: they agree. */
static void rest_by_reinit(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(
        BALL
        "  static Boolean rests; static Integer n;\n"
        "  der(h, start << 1) = v;\n"
        "  if rests then v = 0; else then der(v) = -9.81; end if;\n"
        "  when h < 0 and v < 0 then\n"
        "    n << pre(n) + 1;\n"
        "    if v > -0.01 then rests << true; reinit(v, 0); else then reinit(v, -0.8*v); end;\n"
        "  end when;\nend Ball;\n",
        &(SolOptions){.stop = 6, .rtol = 1e-10});
    assert_int_equal(sim_lab_run(lab, 6), SOL_OK);
    assert_true(sim_lab_value(lab, "v") == 0);
    assert_true(fabs(sim_lab_value(lab, "h")) < 1e-6);
    sim_lab_close(lab);
}

static void refused(const char *text, const char *message)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_MODEL);
    if (!sim_lab_said(lab, message))
        fail_msg("not said: %s", message);
    sim_lab_close(lab);
}

static void what_is_no_state(void **state)
{
    (void)state;
    refused("model M\ninterface: static Real x; static Real y;\nimplementation:\n"
            "  der(x, start << 1) = -1; y = 2*x;\n"
            "  when x < 0.5 then reinit(y, 3); end when;\nend M;\n",
            "'reinit' cannot set y: it is no state now");
    refused("model M\ninterface: static Real x; static Real y;\nimplementation:\n"
            "  der(x, start << 1) = -1; when time > 1 then y << 1; end when;\n"
            "  when x < 0.5 then reinit(y, 1); end when;\nend M;\n",
            "'reinit' cannot set y: it is held, and gets its values by '<<'");
    refused("model M\ninterface: static Real x;\nimplementation:\n"
            "  der(x, start << 1) = -1;\n"
            "  when x < 0.5 then reinit(x, 1); end when;\n"
            "  when time > 0 and x < 0.5 then reinit(x, 2); end when;\nend M;\n",
            "two 'reinit' set x at once: to 1 and to 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bouncing_ball),
        cmocka_unit_test(elastic_impact),
        cmocka_unit_test(rest_by_reinit),
        cmocka_unit_test(what_is_no_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
