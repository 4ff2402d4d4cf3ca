/* test_corners.c: conditions that take turns at one time -> a combination of modes that agrees with
 * its consequences, or an error that names them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <stdio.h>

/* Each of the two opens where the other is closed: together they go to and fro, one by one they do
 * not. */
static const char rivals[] =
    "model Rivals\n"
    "interface:\n"
    "  static Real x; static Real ya; static Real yb; static Real ga; static Real gb;\n"
    "  static Boolean a; static Boolean b;\n"
    "implementation:\n"
    "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
    "  if a then ga = 2; else then ga = 0; end if;\n"
    "  if b then gb = 2; else then gb = 0; end if;\n"
    "  ya = x - 1 - gb;\n"
    "  yb = x - 1 - ga;\n"
    "  when not a and ya > 0 then a << true; else when a and ya < 0 then a << false; end when;\n"
    "  when not b and yb > 0 then b << true; else when b and yb < 0 then b << false; end when;\n"
    "end Rivals;\n";

static void one_of_two_gives_way(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(rivals, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a") + sim_lab_value(lab, "b") == 1);
    assert_int_equal(lab->n_events, 1);
    assert_true(lab->event[0].combinations > 1);
    assert_true(lab->event[0].updates < 50);
    sim_lab_close(lab);
}

static const char liar[] =
    "model Liar\n"
    "interface:\n"
    "  static Real x; static Real y; static Real g; static Boolean a;\n"
    "implementation:\n"
    "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
    "  if a then g = 2; else then g = 0; end if;\n"
    "  y = x - 1 - g;\n"
    "  when not a and y > 0 then a << true; else when a and y < 0 then a << false; end when;\n"
    "end Liar;\n";

static void none_is_said_so(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(liar, &(SolOptions){.stop = 2});
    assert_int_equal(sol_run_to(lab->sim, 2), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "conditions still change"));
    assert_true(sim_lab_said(lab, "not a and y > 0"));
    assert_true(sim_lab_said(lab, "a and y < 0"));
    assert_true(sim_lab_said(lab, "combinations of their branches were tried"));
    sim_lab_close(lab);
}

/* A diode of two straight pieces that meet in a corner, without a dead band, between a source and a
 * coil: at the corner its two laws differ by rounding. */
static const char corner[] =
    "package Corner\n"
    "  model Diode\n"
    "  interface:\n"
    "    static Real u; static Real i; static Boolean on;\n"
    "  implementation:\n"
    "    if on then u = 1 + 1e-3*(i - 1e-3); else then i = 1e-3*u; end if;\n"
    "    when on and i < 1e-3 then on << false; else when not on and u > 1 then on << true; end "
    "when;\n"
    "  end Diode;\n"
    "  model Circuit\n"
    "  interface:\n"
    "    static Diode d; static Diode e; static Real i;\n"
    "  implementation:\n"
    "    d.i = e.i;\n"
    "    d.i = i - (d.u + e.u)/%d;\n"
    "    1e-3*der(x = i, start << 0) = 100*sin(x = 314*time + %d) - d.u - e.u - 0.1*i;\n"
    "  end Circuit;\n"
    "end Corner;\n";

static void two_in_series_switch(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        char text[2000];
        snprintf(text, sizeof text, corner, 1000 * (k + 1), k % 5);
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 0.05, .rtol = k % 2 ? 1e-6 : 1e-8});
        assert_int_equal(sim_lab_run(lab, 0.05), SOL_OK);
        assert_true(lab->n_events >= 3 && lab->n_events < 30);
        sim_lab_close(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_gives_way),
        cmocka_unit_test(none_is_said_so),
        cmocka_unit_test(two_in_series_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
