/* test_array_connectors.c: connectors with arrays, arrays of connectors, arrays in parentheses -> values. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void is(SimLab *lab, const char *path, double expected)
{
    double value = sim_lab_value(lab, path);
    if (!(fabs(value - expected) <= 1e-8 * (1 + fabs(expected))))
        fail_msg("%s = %.12g, not %.12g", path, value, expected);
}

static void element_is(SimLab *lab, const char *path, int k, double expected)
{
    char text[100];
    snprintf(text, sizeof text, "%s[%d]", path, k);
    is(lab, text, expected);
}

static SimLab *run(const char *text, double stop)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .rtol = 1e-10});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    return lab;
}

#define BUS                                                                                        \
    "connector Bus\ninterface: parameter Integer n << 3; static potential Real v[n];\n"            \
    "  static flow Real i[n];\nend Bus;\n"                                                         \
    "model Load\ninterface: parameter Integer n << 3; parameter Real R << 1;\n"                    \
    "  static Bus p{n << n}; static Bus n_{n << n}; static Real u[n];\n"                           \
    "implementation: p.i + n_.i = 0; u = p.v - n_.v; u = R*p.i;\nend Load;\n"                      \
    "model Source\ninterface: static Bus p; static Bus n_; static Real u[3];\n"                    \
    "implementation: p.i + n_.i = 0; u = p.v - n_.v; u = {1, 2, 3};\nend Source;\n"                \
    "model Ground\ninterface: static Bus p;\nimplementation: p.v = 0;\nend Ground;\n"

/* Two loads side by side in a model, connected by its own interface, and twelve behind them: sums of more than eight terms. */
static void composed(void **state)
{
    (void)state;
    SimLab *lab = run(
        BUS "model Two\ninterface: static Bus a; static Bus b;\n"
            "implementation: static Load x; static Load y{R << 3};\n"
            "  connect(a, x.p); connect(a, y.p); connect(x.n_, b); connect(y.n_, b);\nend Two;\n"
            "model M\ninterface: static Source V; static Two two; static Load l[12]{R << 6};\n"
            "  static Ground g;\nimplementation: connect(V.p, two.a); connect(two.b, l.p);\n"
            "  connect(l.n_, V.n_); connect(V.n_, g.p);\nend M;\n",
        1);
    for (int k = 1; k <= 3; k++) {
        double i = k / (0.75 + 0.5);
        element_is(lab, "V.n_.i", k, i);
        element_is(lab, "two.a.i", k, i);
        element_is(lab, "l[7].p.i", k, i / 12);
        element_is(lab, "two.b.v", k, 0.5 * i);
        element_is(lab, "g.p.i", k, 0);
    }
    sim_lab_close(lab);
}

/* A branch takes a capacitor in and out: each element goes on where it was. One connection too many takes over. */
static void switched(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(
        BUS "model Cap\ninterface: static Bus p; static Bus n_; static Real u[3];\n"
            "implementation: p.i + n_.i = 0; u = p.v - n_.v;\n"
            "  for k in 1:3 then k*der(u[k], start << 0) = p.i[k]; end for;\nend Cap;\n"
            "model M\ninterface: static Source V; static Load r; static Cap c; static Ground g;\n"
            "implementation: connect(V.p, r.p); connect(c.n_, V.n_); connect(V.n_, g.p);\n"
            "  if time < 1 or time > 2 then connect(r.n_, c.p);\n"
            "  else then connect(r.n_, g.p); c.p.i = 0; end if;\n"
            "  if time < 2.5 then connect(g.p, c.n_); end if;\nend M;\n",
        &(SolOptions){.stop = 3, .rtol = 1e-10});
    for (int round = 1; round <= 6; round++) {
        double time = 0.5 * round, charged = time < 1 ? time : time < 2 ? 1 : time - 1;
        assert_int_equal(sim_lab_run(lab, time), SOL_OK);
        for (int k = 1; k <= 3; k++)
            element_is(lab, "c.u", k, k * (1 - exp(-charged / k)));
    }
    assert_true(sim_lab_said(lab, "this connection says nothing new"));
    sim_lab_close(lab);
}

/* Without a ground each element of the potential is set by itself. */
static void floating(void **state)
{
    (void)state;
    SimLab *lab = run(BUS "model M\ninterface: static Source V; static Load r; static Load s;\n"
                          "implementation: connect(V.p, r.p); connect(r.n_, s.p);\n"
                          "  connect(s.n_, V.n_);\nend M;\n",
                      1);
    assert_true(sim_lab_said(lab, "has no ground: its potential is set to 0 at V.n_"));
    for (int k = 1; k <= 3; k++) {
        element_is(lab, "V.n_.v", k, 0);
        element_is(lab, "r.n_.v", k, 0.5 * k);
    }
    sim_lab_close(lab);
}

/* Connectors made of arrays of connectors, with sizes by parameters; two sizes; none at all. */
static void nested(void **state)
{
    (void)state;
    SimLab *lab = run(
        BUS
        "connector Cable\ninterface: parameter Integer m; static Bus wire[m, 2]{n << 4};\n"
        "end Cable;\n"
        "model Line\ninterface: parameter Integer m; static Cable a{m << m}; static Cable b{m << "
        "m};\n"
        "implementation: a.wire.i + b.wire.i = 0; a.wire.v - b.wire.v = 2*a.wire.i;\nend Line;\n"
        "model M\ninterface: static Line x[3]{m << 2}; static Line none[2]{m << 0};\n"
        "implementation: for k in 1:2 then connection{a << x[k].b, b << x[k+1].a}; end for;\n"
        "  connect(none[1].b, none[2].a); x[3].b.wire.v = 0;\n"
        "  for i in 1:2 then for j in 1:2 then for k in 1:4 then\n"
        "    x[1].a.wire[i, j].v[k] = 100*i + 10*j + k; end for; end for; end for;\nend M;\n",
        1);
    is(lab, "x[2].a.wire[1,2].i[3]", 123. / 6);
    is(lab, "x[3].a.wire[2,1].v[4]", 214. / 3);
    is(lab, "x[3].b.wire[2,2].i[1]", -221. / 6);
    sim_lab_close(lab);
}

/* Connected as part of a whole and by itself: one node, in which all that flows sums up to zero. */
static void whole_and_part(void **state)
{
    (void)state;
    SimLab *lab = run(
        "connector Pin\ninterface: static potential Real v; static flow Real i;\nend Pin;\n"
        "connector Cable\ninterface: static Pin w[2]; static Pin e;\nend Cable;\n"
        "model Load\ninterface: static Cable c;\nimplementation: c.w.v = c.w.i; c.e.v = 2*c.e.i;\n"
        "end Load;\nmodel Volt\ninterface: static Pin p;\nimplementation: p.v = 6;\nend Volt;\n"
        "model M\ninterface: static Load x; static Load y; static Volt V; static Volt U;\n"
        "implementation: connect(x.c, y.c); connect(V.p, x.c.w); connect(y.c.e, U.p);\nend M;\n",
        1);
    is(lab, "V.p.i", -24);
    is(lab, "U.p.i", -6);
    is(lab, "x.c.e.i", 3);
    is(lab, "y.c.w[2].i", 6);
    sim_lab_close(lab);
}

/* Arrays in parentheses: named and anonymous instances, by name and position, inside each other, in a round of a loop. */
static void accessed(void **state)
{
    (void)state;
    SimLab *lab = run(
        "model Gain\ninterface: parameter Real k << 2; parameter Integer n << 3; in Real u[n];\n"
        "  out Real y[n];\nimplementation: y = k*u;\nend Gain;\n"
        "model Norm\ninterface: in Real u[3]; out Real y;\nimplementation: y = sqrt(u*u);\nend "
        "Norm;\n"
        "model Cross\ninterface: in Real a[3]; in Real b[3]; out Real c[3];\nimplementation:\n"
        "  c = {a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1]};\nend Cross;\n"
        "model M\ninterface: static Real x[3]; static Real y[3]; static Real z[3]; static Real r;\n"
        "  static Real s; static Real h[3]; static Real w[2, 3]; static Gain g[2]{k << {5, 7}};\n"
        "  static Real back[3]; static Gain turned;\nimplementation: x = {1, 2*time, 3};\n"
        "  y = g[1](u = x); g[2](x);\n  z = 2*Gain{k << 3}(x) + y;\n"
        "  r = Norm(u = x) + sum(Gain(x));\n  s = Norm(Cross(a = x, b = {1, 0, 0}));\n"
        "  h << Gain{k << 1}(u << {1, 2, 3});\n"
        "  for i in 1:2 then w[i, :] = Gain{k << i}(g[i].y); end for;\n"
        "  turned(u = back) = x;\nend M;\n",
        1);
    for (int k = 1; k <= 3; k++) {
        element_is(lab, "y", k, 5 * k);
        element_is(lab, "g[2].y", k, 7 * k);
        element_is(lab, "z", k, 11 * k);
        element_is(lab, "h", k, k);
        element_is(lab, "back", k, 0.5 * k);
    }
    is(lab, "w[1,2]", 10);
    is(lab, "w[2,3]", 42);
    is(lab, "r", sqrt(14) + 12);
    is(lab, "s", sqrt(13));
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composed), cmocka_unit_test(switched),       cmocka_unit_test(floating),
        cmocka_unit_test(nested),   cmocka_unit_test(whole_and_part), cmocka_unit_test(accessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
