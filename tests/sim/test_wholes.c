/* test_wholes.c: equations between sub-models, connections of arrays, signals that nobody wires -> values. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void is(SimLab *lab, const char *path, double expected)
{
    double value = sim_lab_value(lab, path);
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%s = %.12g, not %.12g", path, value, expected);
}

static SimLab *run(const char *text, double stop)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .rtol = 1e-9});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    return lab;
}

#define PIN                                                                                        \
    "connector Pin\ninterface: static potential Real v; static flow Real i;\nend Pin;\n"           \
    "model Res\ninterface: parameter Real R << 1; static Pin a; static Pin b;\n"                   \
    "implementation: a.i + b.i = 0; R*a.i = a.v - b.v;\nend Res;\n"

/* All that is no parameter, parts and arrays included, flows as they are; elements one by one. */
static void equal(void **state)
{
    (void)state;
    SimLab *lab = run(
        PIN
        "model Polar\ninterface: parameter Real scale << 1; static Real r; static Boolean far;\n"
        "  static Real T[2]; static Pin p;\nend Polar;\n"
        "model M\ninterface: static Polar a{scale << 3}; static Polar b; static Polar row[3];\n"
        "  static Polar col[3];\nimplementation:\n"
        "  b.r = time; b.far = b.r > 1; b.T = {3, 4*time}; b.p.v = 5; b.p.i = 6;\n"
        "  a = b; row = col; for c in col then c = a; end for;\nend M;\n",
        2);
    is(lab, "a.scale", 3);
    is(lab, "b.scale", 1);
    is(lab, "a.r", 2);
    is(lab, "a.far", 1);
    is(lab, "row[3].T[2]", 8);
    is(lab, "row[1].p.v", 5);
    is(lab, "row[2].p.i", 6);
    sim_lab_close(lab);
}

/* Three in series by slices, four side by side: one end stands for all. */
static void connected(void **state)
{
    (void)state;
    SimLab *lab = run(PIN "model M\ninterface: static Res x[3]{R << {1, 2, 3}}; static Res y[4];\n"
                          "implementation: static Pin g; static Pin s; g.v = 0; s.v = 12;\n"
                          "  connect(x[1:2].b, x[2:3].a); connect(s, x[1].a); connect(x[3].b, g);\n"
                          "  connect(s, y.a); connect(y.b, g);\nend M;\n",
                      1);
    is(lab, "x[2].a.i", 2);
    is(lab, "x[2].b.v", 6);
    is(lab, "y[3].a.i", 12);
    is(lab, "s.i", -(2 + 48));
    is(lab, "g.i", 2 + 48);
    sim_lab_close(lab);
}

/* Connections in a circle: what says nothing new takes over where others end. */
static void redundant(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(
        PIN "model M\ninterface: static Res x; static Res y; static Real i;\nimplementation:\n"
            "  static Pin s; static Pin g; s.v = 6; g.v = 0; i = -s.i;\n"
            "  connect(s, x.a);\n  if time < 1 then connect(x.a, y.a); end if;\n"
            "  if time < 2 then connect(s, y.a); else then y.a.v = 3; end if;\n"
            "  connect(x.b, g); connect(g, y.b); connect(y.b, x.b);\nend M;\n",
        &(SolOptions){.stop = 3});
    assert_int_equal(sim_lab_run(lab, 0.5), SOL_OK);
    assert_true(sim_lab_said(lab, "this connection says nothing new: 'x.b' is connected already"));
    is(lab, "i", 12);
    assert_int_equal(sim_lab_run(lab, 1.5), SOL_OK);
    is(lab, "i", 12);
    is(lab, "y.a.i", 6);
    assert_int_equal(sim_lab_run(lab, 2.5), SOL_OK);
    is(lab, "i", 6);
    is(lab, "y.a.i", 3);
    sim_lab_close(lab);
}

/* A Boolean of a connector with a start: who is not told anything has it, who is, hears. */
static void signals(void **state)
{
    (void)state;
    SimLab *lab =
        run("connector Plug\ninterface: static potential Real v; static flow Real i;\n"
            "  static Boolean alarm {start << false}; static Integer level {start << 7};\n"
            "end Plug;\n"
            "model Lamp\ninterface: static Plug p; static Integer heard; static Integer l;\n"
            "implementation: p.i = p.v; l << p.level;\n"
            "  when p.alarm then heard << pre(heard) + 1; end when;\nend Lamp;\n"
            "model M\ninterface: static Lamp a; static Lamp b;\n"
            "implementation: a.p.v = 1; b.p.v = 2; b.p.alarm << time > 1;\n"
            "  when time > 1.5 then b.p.level << 9; end when;\nend M;\n",
            2);
    is(lab, "a.p.alarm", 0);
    is(lab, "a.heard", 0);
    is(lab, "a.l", 7);
    is(lab, "b.heard", 1);
    is(lab, "b.l", 9);
    sim_lab_close(lab);
}

/* A mathematical pendulum of the library, without a word about contacts: its energy stays, its period is that of the table. */
static void plain_mechanics(void **state)
{
    (void)state;
    SimLab *lab = run("model M\ninterface: static Real energy; static Real x;\nimplementation:\n"
                      "  static Planar.Joints.Fixation F;\n"
                      "  static Planar.Joints.Revolute R{phi_start << -1.5707963267948966};\n"
                      "  static Planar.Parts.Translation rod{sx << 0, sy << -1};\n"
                      "  static Planar.Parts.Body bob{m << 1, I << 1e-12};\n"
                      "  connect(F.fa, R.fa); connect(R.fb, rod.fa); connect(rod.fb, bob.fa);\n"
                      "  x = bob.fa.x; energy = 0.5*R.w*R.w + 9.81*bob.fa.y;\nend M;\n",
                      0.5 * 7.4162987092054875 / sqrt(9.81)); /* half of 4*K(sin(45 degrees)) */
    if (fabs(sim_lab_value(lab, "x") + 1) > 1e-6)
        fail_msg("x = %.12g", sim_lab_value(lab, "x"));
    if (fabs(sim_lab_value(lab, "energy")) > 1e-6)
        fail_msg("energy = %.12g", sim_lab_value(lab, "energy"));
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal),   cmocka_unit_test(connected),       cmocka_unit_test(redundant),
        cmocka_unit_test(signals), cmocka_unit_test(plain_mechanics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
