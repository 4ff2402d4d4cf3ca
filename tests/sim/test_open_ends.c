/* test_open_ends.c: connectors that nobody connects -> flows that are 0, as long as that is so. */
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
    if (!(fabs(value - expected) <= 1e-8 * (1 + fabs(expected))))
        fail_msg("%s = %.12g, not %.12g", path, value, expected);
}

static SimLab *start(const char *text)
{
    return sim_lab_text(text, &(SolOptions){.stop = 10, .rtol = 1e-10});
}

static void go(SimLab *lab, double time)
{
    assert_int_equal(sim_lab_run(lab, time), SOL_OK);
}

#define PARTS                                                                                      \
    "connector Pin\ninterface: static potential Real v; static flow Real i;\nend Pin;\n"           \
    "model Res\ninterface: parameter Real R << 1; static Pin p; static Pin n; static Real u;\n"    \
    "implementation: p.i + n.i = 0; u = p.v - n.v; u = R*p.i;\nend Res;\n"                         \
    "model Cap\ninterface: static Pin p; static Pin n; static Real u;\n"                           \
    "implementation: p.i + n.i = 0; u = p.v - n.v; der(u, start << 0) = p.i;\nend Cap;\n"          \
    "model Volt\ninterface: static Pin p; static Pin n; static Real u;\n"                          \
    "implementation: p.i + n.i = 0; u = p.v - n.v; u = 1;\nend Volt;\n"                            \
    "model Ground\ninterface: static Pin p;\nimplementation: p.v = 0;\nend Ground;\n"

/* A stub, a part of which nothing is connected, and a composed model with one end open. One note for each model. */
static void open(void **state)
{
    (void)state;
    SimLab *lab = start(
        PARTS
        "model Pair\ninterface: static Pin a; static Pin b;\n"
        "implementation: static Res x; static Res y; static Res stub;\n"
        "  connect(a, x.p); connect(x.n, y.p); connect(y.n, b); connect(stub.p, x.n);\n"
        "end Pair;\n"
        "model M\ninterface: static Volt V; static Res r; static Res stub; static Res alone;\n"
        "  static Ground g; static Pair pair; static Real seen;\nimplementation:\n"
        "  connect(V.p, r.p); connect(r.n, g.p); connect(V.n, g.p); connect(stub.p, r.p);\n"
        "  connect(pair.a, r.p); seen << stub.n.v;\nend M;\n");
    go(lab, 1);
    is(lab, "r.p.i", 1);
    is(lab, "stub.n.i", 0);
    is(lab, "stub.n.v", 1);
    is(lab, "seen", 1);
    is(lab, "alone.p.i", 0);
    is(lab, "alone.u", 0);
    is(lab, "pair.b.v", 1);
    is(lab, "pair.a.i", 0);
    assert_true(sim_lab_said(lab, "not connected, so that nothing flows there: 'stub.n', "));
    assert_true(sim_lab_said(lab, "not connected, so that nothing flows there: 'pair.stub.n'"));
    sim_lab_close(lab);
}

/* A connection in a branch without an else: a capacitor keeps its charge while it is away, and goes on behind. */
static void switched(void **state)
{
    (void)state;
    SimLab *lab =
        start(PARTS "model M\ninterface: static Volt V; static Res r; static Cap c;\n"
                    "  static Ground g;\nimplementation:\n"
                    "  connect(V.p, r.p); connect(c.n, g.p); connect(V.n, g.p);\n"
                    "  if time < 1 or time > 2 then connect(r.n, c.p); end if;\nend M;\n");
    for (int round = 1; round <= 8; round++) {
        double time = 0.5 * round, charged = time < 1 ? time : time < 2 ? 1 : time - 1;
        go(lab, time - 0.125);
        go(lab, time);
        is(lab, "c.u", 1 - exp(-charged));
        is(lab, "r.n.i", (time > 1 && time < 2) ? 0 : -sim_lab_value(lab, "c.p.i"));
    }
    assert_true(sim_lab_said(lab, "not connected, so that nothing flows there"));
    sim_lab_close(lab);
}

/* Who only reads a potential does not determine it: an output, what is made of it, a state that integrates it. An equation between two
 * things that are determined does. */
static void read(void **state)
{
    (void)state;
    SimLab *lab = start(
        PARTS "model Amp\ninterface: static Pin out_; static Real u;\n"
              "implementation: out_.v = 3*u;\nend Amp;\n"
              "model M\ninterface: static Amp amp; static Volt V; static Res r; static Ground g;\n"
              "  static Res s; static Real y; static Real twice; static Real sum; static Real x;\n"
              "  static Real e[2];\nimplementation: amp.u = time; y = amp.out_.v; twice = 2*y;\n"
              "  connect(V.n, g.p); connect(V.p, r.p); x = r.n.v; der(sum) = x; e = r.n.v;\n"
              "  connect(s.n, g.p); if time > 1 and time < 2 then s.p.v = 5*V.u; end if;\n"
              "end M;\n");
    for (int round = 0; round < 3; round++) {
        double time = round + 0.5;
        go(lab, time);
        is(lab, "y", 3 * time);
        is(lab, "twice", 6 * time);
        is(lab, "amp.out_.i", 0);
        is(lab, "x", 1);
        is(lab, "sum", time);
        is(lab, "e[2]", 1);
        is(lab, "s.p.i", round == 1 ? 5 : 0);
    }
    sim_lab_close(lab);
    lab = start(PARTS "model M\ninterface: static Res r; static Ground g; static Real y;\n"
                      "implementation: connect(r.n, g.p); y = r.p.v; y = time;\nend M;\n");
    go(lab, 2);
    is(lab, "r.p.i", 2);
    sim_lab_close(lab);
}

/* An equation that comes later counts instead of the zero, and the zero comes back when it goes. */
static void named(void **state)
{
    (void)state;
    SimLab *lab =
        start(PARTS "model M\ninterface: static Res r; static Ground g;\nimplementation:\n"
                    "  connect(r.n, g.p); if time > 1 and time < 2 then r.p.v = 5; end if;\n"
                    "end M;\n");
    go(lab, 0.5);
    is(lab, "r.p.i", 0);
    go(lab, 1.5);
    is(lab, "r.p.i", 5);
    go(lab, 2.5);
    is(lab, "r.p.i", 0);
    is(lab, "r.p.v", 0);
    sim_lab_close(lab);
}

/* Connectors inside a connector, of which one is connected by itself and the rest later as a whole; arrays. */
static void inner(void **state)
{
    (void)state;
    SimLab *lab = start(
        PARTS "connector Cable\ninterface: static Pin a; static Pin b[2];\nend Cable;\n"
              "model Line\ninterface: static Cable x; static Cable y;\nimplementation:\n"
              "  x.a.i + y.a.i = 0; x.a.v - y.a.v = x.a.i;\n"
              "  x.b.i + y.b.i = 0; x.b.v - y.b.v = 2*x.b.i;\nend Line;\n"
              "model M\ninterface: static Line l; static Line k; static Volt V; static Ground g;\n"
              "implementation: connect(V.n, g.p); connect(g.p, l.x.a);\n"
              "  connect(g.p, l.x.b); connect(k.x, l.x);\n"
              "  if time < 1 then connect(V.p, l.y.a); else then connect(l.y, k.y);\n"
              "    connect(V.p, l.y.b[2]); end if;\nend M;\n");
    go(lab, 0.5);
    is(lab, "l.y.a.i", 1);
    is(lab, "g.p.i", 0);
    is(lab, "l.y.b[1].i", 0);
    is(lab, "k.y.a.i", 0);
    is(lab, "k.y.b[2].v", 0);
    go(lab, 1.5);
    is(lab, "l.y.a.i", 0);
    is(lab, "l.y.b[2].i", 0.5);
    is(lab, "k.y.b[2].i", 0.5);
    is(lab, "V.p.i", -1);
    sim_lab_close(lab);
}

/* What is born with an open end and removed leaves nothing behind. */
static void born(void **state)
{
    (void)state;
    SimLab *lab = start(
        PARTS
        "model M\ninterface: static Volt V; static Ground g; dynamic Res d; static Integer n;\n"
        "implementation: connect(V.n, g.p);\n"
        "  when Sample(interval = 1) then n << pre(n) + 1;\n"
        "    if n == 1 or n == 3 then d <- Res{R << 2}; else then trash <- d; end if;\n"
        "  end when;\n"
        "  if d? then connect(V.p, d.p); end if;\nend M;\n");
    for (int round = 1; round <= 4; round++) {
        go(lab, round + 0.5);
        is(lab, "V.p.i", 0);
        if (round % 2)
            is(lab, "d.n.v", 1);
    }
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open),  cmocka_unit_test(switched), cmocka_unit_test(named),
        cmocka_unit_test(inner), cmocka_unit_test(born),     cmocka_unit_test(read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
