/* circuits without ground, loops of capacitors, cuts of inductors, equations that repeat others: as a version of
 * the same without all that, made by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/net_text.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 20000 };

typedef struct Pair {
    const char *name;
    const char *singular, *regular; /* net_text.h */
    const char *same; /* paths of both, a=b or a alone where they are called the same */
    uint32_t states;
    const char *said; /* by the singular one, or NULL */
} Pair;

#define SINE "Sources.SineVoltage V{U << 10, f << 1, phase << 0.4} "
#define DC "Sources.ConstantVoltage V{U << 10} "
/* A diode that blocks, and the same with a leak. */
#define DIODE(name, nodes) "Switches.Diode " name " " nodes "; "
#define LEAKY(name, nodes) DIODE(name, nodes) "Basic.Resistor Z" name "{R << 1e12} " nodes "; "
#define FEED SINE "a b; Basic.Resistor Q{R << 0.5} a x; "
#define LOAD "Basic.Resistor R{R << 10} c d; Basic.Capacitor C{C << 0.05} c d"
#define PHASE(name, phase, node)                                                                   \
    "Sources.SineVoltage V" name "{U << 10, f << 1, phase << " phase "} v" name " m; "             \
    "Basic.Resistor Q" name "{R << 0.1} v" name " " node "; "
#define PHASES PHASE("1", "0.3", "a") PHASE("2", "2.394395102", "b") PHASE("3", "4.488790205", "x")
/* A switch between two times. */
#define AT(switch, t1, t2) "!  " switch ".command << time >= " t1 " and time < " t2 ";\n"

static const Pair pairs[] = {
    {"figure 1",
     DC "a d; Basic.Inductor L1{L << 0.1} a b; Basic.Resistor R1{R << 10} b c; "
        "Basic.Resistor R2{R << 20} b c; Basic.Inductor L2{L << 0.2} c d",
     DC "a d; Basic.Inductor L1{L << 0.3} a b; Basic.Resistor R1{R << 10} b d; "
        "Basic.Resistor R2{R << 20} b d; Sources.Ground G d",
     "L1.i L2.i=L1.i R1.i R2.i V.i R1.u", 1, "'L1' and 'L2' are in series: one state"},
    {"figure 1 with a ground",
     DC "a d; Basic.Inductor L1{L << 0.1} a b; Basic.Resistor R1{R << 10} b c; "
        "Basic.Resistor R2{R << 20} b c; Basic.Inductor L2{L << 0.2} c d; Sources.Ground G d",
     DC "a d; Basic.Inductor L1{L << 0.3} a b; Basic.Resistor R1{R << 10} b d; "
        "Basic.Resistor R2{R << 20} b d; Sources.Ground G d",
     "L1.i L2.i=L1.i R1.i R2.i V.i R1.u", 1, "are in series: one state"},
    {"a resistor", SINE "a b; Basic.Resistor R{R << 3} a b",
     SINE "a b; Basic.Resistor R{R << 3} a b; Sources.Ground G b", "R.i V.i R.u", 0,
     "the circuit of 'V' and 'R' has no ground: its potential is set to 0 at V.n"},
    {"an oscillating circuit",
     SINE "a c; Basic.Resistor R{R << 1} a b; Basic.Inductor L{L << 0.1} b d; "
          "Basic.Capacitor C{C << 0.2} d c",
     SINE "a c; Basic.Resistor R{R << 1} a b; Basic.Inductor L{L << 0.1} b d; "
          "Basic.Capacitor C{C << 0.2} d c; Sources.Ground G b",
     "R.i L.u C.u V.i", 2, "has no ground"},
    {"capacitors side by side",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Capacitor C1{C << 1} b c; "
          "Basic.Capacitor C2{C << 2} b c; Basic.Resistor R2{R << 1} c g; Sources.Ground G g",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Capacitor C1{C << 3} b c; "
          "Basic.Resistor R2{R << 1} c g; Sources.Ground G g",
     "C1.u C2.u=C1.u R1.i R2.u", 1, "'C1' and 'C2' are in parallel: one state"},
    {"capacitors side by side, no ground",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Capacitor C1{C << 1} b c; "
          "Basic.Capacitor C2{C << 2} b c; Basic.Resistor R2{R << 1} c g",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Capacitor C1{C << 3} b c; "
          "Basic.Resistor R2{R << 1} c g; Sources.Ground G g",
     "C1.u C2.u=C1.u R1.i R2.u", 1, "has no ground"},
    {"a triangle of capacitors",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Capacitor C1{C << 1} b c; "
          "Basic.Capacitor C2{C << 1} c d; Basic.Capacitor C3{C << 1} b d; Basic.Resistor R2{R << "
          "2} d g",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Capacitor C3{C << 1.5} b d; "
          "Basic.Resistor R2{R << 2} d g; Sources.Ground G g",
     "C3.u R1.i R2.i", 2, "form a loop: one state less"},
    {"a source in a loop of capacitors",
     SINE "a b; Basic.Capacitor C1{C << 1} a c; Basic.Capacitor C2{C << 2} c b; "
          "Basic.Resistor R{R << 2} c b",
     SINE "a b; Basic.Capacitor C1{C << 1} a c; Basic.Capacitor C2{C << 2} c b; "
          "Basic.Resistor R{R << 2} c b; Sources.Ground G b",
     "C1.u C2.u R.i C1.i", 1, "has no ground"},
    {"inductors in series with a knot of resistors",
     SINE
     "a e; Basic.Inductor L1{L << 0.1} a b; Basic.Resistor R1{R << 1} b c; "
     "Basic.Resistor R2{R << 2} b d; Basic.Resistor R3{R << 3} c d; Basic.Resistor R4{R << 4} c x; "
     "Basic.Resistor R5{R << 5} d x; Basic.Inductor L2{L << 0.2} x e",
     SINE
     "a e; Basic.Inductor L1{L << 0.3} a b; Basic.Resistor R1{R << 1} b c; "
     "Basic.Resistor R2{R << 2} b d; Basic.Resistor R3{R << 3} c d; Basic.Resistor R4{R << 4} c e; "
     "Basic.Resistor R5{R << 5} d e; Sources.Ground G e",
     "L1.i L2.i=L1.i R1.i R2.i R3.i R4.u R5.u", 1, "are in series: one state"},
    {"three inductors around a knot",
     SINE "a g; Basic.Inductor L1{L << 0.1} a b; Basic.Resistor R1{R << 1} b c; Basic.Resistor "
          "R2{R << 2} b d; "
          "Basic.Resistor R3{R << 3} c d; Basic.Inductor L2{L << 0.2} c g; Basic.Inductor L3{L << "
          "0.3} d g; "
          "Sources.Ground G g",
     SINE "a g; Basic.Inductor L1{L << 0.1} a b; Basic.Resistor R1{R << 1} b c; Basic.Resistor "
          "R2{R << 2} b d; "
          "Basic.Resistor R3{R << 3} c d; Basic.Inductor L2{L << 0.2} c g; Sources.SignalVoltage "
          "L3 d g; "
          "Sources.Ground G g!  L3.signal = 0.3*(der(x = L1.i) - der(x = L2.i));\n",
     "L1.i L2.i L3.i R1.u R2.u R3.u", 2, "meet where nothing else does: one state less"},
    {"a source of current into inductors",
     "Sources.SineCurrent I{I << 1, f << 1} g a; Basic.Resistor R{R << 5} a g; "
     "Sources.SineCurrent J{I << 2, f << 1, phase << 1} g b; Basic.Inductor L1{L << 1} b c; "
     "Basic.Resistor R2{R << 2} c g",
     "Sources.SineCurrent I{I << 1, f << 1} g a; Basic.Resistor R{R << 5} a g; "
     "Sources.SineCurrent J{I << 2, f << 1, phase << 1} g b; Basic.Inductor L1{L << 1} b c; "
     "Basic.Resistor R2{R << 2} c g; Sources.Ground G g",
     "R.u L1.i L1.u R2.u J.u", 0, "has no ground"},
    {"a transformer isolates",
     SINE "a g; Basic.IdealTransformer T{ratio << 2} a g c d; Basic.Resistor R{R << 7} c d; "
          "Sources.Ground G g",
     SINE "a g; Basic.IdealTransformer T{ratio << 2} a g c d; Basic.Resistor R{R << 7} c d; "
          "Sources.Ground G g; Sources.Ground H d",
     "R.u R.i V.i T.u1", 0, "the circuit of 'T' and 'R' has no ground"},
    {"two transformers, three islands",
     SINE
     "a b; Basic.Transformer T{L1 << 1, L2 << 0.5, M << 0.3} a b c d; "
     "Basic.Transformer S{L1 << 1, L2 << 0.7, M << 0.4} c d x y; Basic.Resistor R{R << 2} x y; "
     "Basic.Resistor Q{R << 3} c d",
     SINE
     "a b; Basic.Transformer T{L1 << 1, L2 << 0.5, M << 0.3} a b c d; "
     "Basic.Transformer S{L1 << 1, L2 << 0.7, M << 0.4} c d x y; Basic.Resistor R{R << 2} x y; "
     "Basic.Resistor Q{R << 3} c d; Sources.Ground G b; Sources.Ground H d; Sources.Ground I x",
     "R.u R.i V.i Q.i T.i1 S.i1", 4, "the circuit of 'S' and 'R' has no ground"},
    {"two circuits that do not touch",
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; "
          "Sources.ConstantVoltage W{U << 3} x y; Basic.Resistor Q{R << 2} x z; Basic.Inductor L{L "
          "<< 1} z y",
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; Sources.Ground G b; "
          "Sources.ConstantVoltage W{U << 3} x y; Basic.Resistor Q{R << 2} x z; "
          "Basic.Inductor L{L << 1} z y; Sources.Ground H y",
     "R.i C.u Q.i L.u", 2, "the circuit of 'W', 'Q' and 'L' has no ground"},
    {"one wire between two circuits",
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; Basic.Resistor W{R << "
          "1} b y; "
          "Basic.Resistor Q{R << 2} y z; Basic.Inductor L{L << 1, i_start << 2} z y",
     SINE
     "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; Sources.Ground G b; "
     "Basic.Resistor Q{R << 2} y z; Basic.Inductor L{L << 1, i_start << 2} z y; Sources.Ground H y",
     "R.i C.u Q.i L.u", 2, "has no ground"},
    {"a switch grounds an island",
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; Sources.Ground G g; "
          "Switches.Switch S b g" AT("S", "0.3", "0.6"),
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; Sources.Ground G b",
     "R.i C.u V.i", 1, "the circuit of 'V', 'R', 'C' and 'S' has no ground"},
    {"a switch joins two capacitors of equal voltage",
     SINE "a g; Basic.Resistor R1{R << 1} a b; Basic.Resistor R2{R << 1} a c; Basic.Capacitor C1{C "
          "<< 1} b d; "
          "Basic.Capacitor C2{C << 1} c d; Basic.Resistor R3{R << 1} d g; Switches.Switch S b c" AT(
              "S", "0.3", "0.6"),
     SINE "a g; Basic.Resistor R1{R << 0.5} a b; Basic.Capacitor C1{C << 2} b d; Basic.Resistor "
          "R3{R << 1} d g; "
          "Sources.Ground G g",
     "C1.u C2.u=C1.u R3.i", 2, "has no ground"},
    {"a switch joins what two inductors have between them with the middle of the sources",
     SINE
     "a g; Sources.SineVoltage W{U << 10, f << 1, phase << 0.4} g e; Basic.Inductor L1{L << 0.1} a "
     "b; "
     "Basic.Resistor R1{R << 2} b m; Basic.Resistor Q1{R << 2} b m; Basic.Resistor R2{R << 2} m c; "
     "Basic.Resistor Q2{R << 2} m c; Basic.Inductor L2{L << 0.1} c e; Switches.Switch S m g" AT(
         "S", "0.3", "0.6"),
     SINE "a g; Basic.Inductor L1{L << 0.1} a b; Basic.Resistor R1{R << 1} b g; Sources.Ground G g",
     "L1.i L2.i=L1.i R1.u R2.u=R1.u", 1, "has no ground"},
    {"a bridge of diodes without ground",
     SINE "a b; Switches.ResistiveDiode D1 a c; Switches.ResistiveDiode D2 b c; "
          "Switches.ResistiveDiode D3 d a; "
          "Switches.ResistiveDiode D4 d b; Basic.Resistor R{R << 10} c d; Basic.Capacitor C{C << "
          "0.01} c d",
     SINE "a b; Switches.ResistiveDiode D1 a c; Switches.ResistiveDiode D2 b c; "
          "Switches.ResistiveDiode D3 d a; "
          "Switches.ResistiveDiode D4 d b; Basic.Resistor R{R << 10} c d; Basic.Capacitor C{C << "
          "0.01} c d; "
          "Sources.Ground G d",
     "R.u C.u", 1, "has no ground"},
    {"a current that is measured",
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b"
          "!  static Real i; static Real twice;\n  i = R.i; twice = 2*i; 2*R.i = 2*R.p.i;\n",
     SINE "a b; Basic.Resistor R{R << 2} a c; Basic.Capacitor C{C << 1} c b; Sources.Ground G b",
     "R.i C.u", 1, "it is set aside"},
    {"two diodes in a row block",
     FEED DIODE("D1", "x y") DIODE("D2", "y c") LOAD
     "; Sources.Ground G b; Basic.Resistor S{R << 1} d b",
     FEED LEAKY("D1", "x y") LEAKY("D2", "y c") LOAD
     "; Sources.Ground G b; Basic.Resistor S{R << 1} d b",
     "R.i C.u V.i", 1, "while 'D1' and 'D2' block, nothing fixes the potential between them"},
    {"diodes before and behind block",
     FEED DIODE("D1", "x c") DIODE("D2", "d b") LOAD "; Sources.Ground G b",
     FEED LEAKY("D1", "x c") LEAKY("D2", "d b") LOAD "; Sources.Ground G b", "R.i C.u V.i", 1,
     "while 'D1' and 'D2' block, nothing fixes the potential of 'R' and 'C'"},
    {"a bridge of ideal diodes",
     FEED DIODE("D1", "x c") DIODE("D2", "b c") DIODE("D3", "d x") DIODE("D4", "d b") LOAD
     "; Sources.Ground G b",
     FEED LEAKY("D1", "x c") LEAKY("D2", "b c") LEAKY("D3", "d x") LEAKY("D4", "d b") LOAD
     "; Sources.Ground G b",
     "R.i C.u V.i", 1,
     "while 'D1', 'D2', 'D3' and 'D4' block, nothing fixes the potential of 'R' and 'C'"},
    {"a bridge of ideal diodes, no ground",
     FEED DIODE("D1", "x c") DIODE("D2", "b c") DIODE("D3", "d x") DIODE("D4", "d b") LOAD,
     FEED LEAKY("D1", "x c") LEAKY("D2", "b c") LEAKY("D3", "d x") LEAKY("D4", "d b") LOAD
     "; Sources.Ground G d",
     "R.i C.u V.i", 1, "has no ground"},
    {"a bridge with three phases",
     PHASES DIODE("D1", "a c") DIODE("D2", "b c") DIODE("D3", "x c") DIODE("D4", "d a") DIODE("D5",
                                                                                              "d b")
         DIODE("D6", "d x") "Basic.Resistor R{R << 10} c d; "
                            "Basic.Capacitor C{C << 0.1, u_start << 20} c d; Sources.Ground G m",
     PHASES LEAKY("D1", "a c") LEAKY("D2", "b c") LEAKY("D3", "x c") LEAKY("D4", "d a") LEAKY("D5",
                                                                                              "d b")
         LEAKY("D6", "d x") "Basic.Resistor R{R << 10} c d; "
                            "Basic.Capacitor C{C << 0.1, u_start << 20} c d; Sources.Ground G m",
     "R.i C.u V1.i V2.i V3.i", 1, "leaked equally"},
    {"an open switch and a diode that blocks",
     FEED DIODE("D1", "x c") LOAD
     "; Switches.Switch S d b; Sources.Ground G b" AT("S", "0.2", "0.9"),
     FEED LEAKY("D1", "x c") LOAD
     "; Switches.Switch S d b; Sources.Ground G b" AT("S", "0.2", "0.9"),
     "R.i C.u V.i", 1, NULL},
};

static SimLab *open_net(const char *net, const char *name)
{
    char *text = malloc(TEXT);
    SolOptions options = {.stop = 1, .interval = 0.05, .rtol = 1e-12, .atol = 1e-14};
    net_text(net, name, text, TEXT);
    SimLab *lab = sim_lab_text(text, &options);
    free(text);
    return lab;
}

static void compare(const Pair *pair, SimLab *a, SimLab *b, double time)
{
    char list[1000], *rest = list;
    strcpy(list, pair->same);
    for (char *word; (word = strsep(&rest, " "));) {
        char *other = strchr(word, '=');
        if (other)
            *other++ = '\0';
        double x = sim_lab_value(a, word), y = sim_lab_value(b, other ? other : word);
        if (!(fabs(x - y) <= 1e-9 * (1 + fabs(y))))
            fail_msg("%s, time %g: %s = %.15g, but %.15g", pair->name, time, word, x, y);
    }
}

/* Diodes that are open must block, closed ones must not carry current backwards. */
static void check_diodes(const Pair *pair, SimLab *lab, double time)
{
    for (int k = 1; k <= 6; k++) {
        char u[20], i[20], closed[30];
        sprintf(u, "D%d.u", k);
        sprintf(i, "D%d.i", k);
        sprintf(closed, "D%d.closed", k);
        double at = sim_lab_value(lab, u), through = sim_lab_value(lab, i);
        if (isnan(sim_lab_value(lab, closed)) || !strstr(pair->singular, "Switches.Diode"))
            continue;
        if (sim_lab_value(lab, closed) ? through < -1e-9 : at > 1e-9)
            fail_msg("%s, time %g: diode %d has %g V and %g A", pair->name, time, k, at, through);
    }
}

static void test_pair(void **state)
{
    const Pair *pair = *state;
    SimLab *a = open_net(pair->singular, "Singular"), *b = open_net(pair->regular, "Regular");
    for (int k = 0; k <= 10; k++) {
        double time = k * 0.1 + (k < 10 ? 0.05 : 0);
        assert_int_equal(sim_lab_run(a, time), SOL_OK);
        assert_int_equal(sim_lab_run(b, time), SOL_OK);
        compare(pair, a, b, time);
        check_diodes(pair, a, time);
        SolStats stats;
        sol_stats(a->sim, &stats);
        if (k == 0)
            assert_int_equal(stats.states, pair->states);
    }
    if (pair->said && !sim_lab_said(a, pair->said))
        fail_msg("%s: nobody said '%s'", pair->name, pair->said);
    assert_false(sim_lab_said(b, "no ground"));
    sim_lab_close(a);
    sim_lab_close(b);
}

int main(void)
{
    enum { N = sizeof pairs / sizeof *pairs };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] =
            (struct CMUnitTest){pairs[i].name, test_pair, NULL, NULL, (void *)(uintptr_t)&pairs[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
