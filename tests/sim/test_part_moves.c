/* test_part_moves.c: parts that unite and come apart while nodes only change their place in the order.
 *
 * A contact that sticks turns causality round in all that hangs on it, so an event makes parts unite,
 * and most of their nodes do what they did, elsewhere in the schedule. Laws that are written in the
 * model as they stand, such as that of a source, tell when a node was lost on the way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/solstice.h"

static const double PI = 3.141592653589793;

typedef struct Run {
    SolModel *model;
    Sol *sim;
    uint32_t events;
} Run;

static void on_event(void *context, const SolEvent *event)
{
    (void)event;
    ((Run *)context)->events++;
}

static void begin(Run *run, const char *text, double stop, SolSolver solver)
{
    *run = (Run){.model = sol_load(&(SolLoad){.path = "moves.sol",
                                              .text = text,
                                              .length = strlen(text),
                                              .stdlib = SOLSTICE_SOURCE_DIR "/stdlib"})};
    SolOptions options = {.stop = stop, .solver = solver, .engine = SOL_ENGINE_INTERP};
    run->sim = sol_create(run->model, NULL, &options);
    if (!run->sim)
        sol_print_messages(run->model, 0, stderr, false);
    assert_non_null(run->sim);
    sol_set_event(run->sim, on_event, run);
}

static void go_to(Run *run, double time)
{
    SolStatus status = sol_run_to(run->sim, time);
    if (status != SOL_OK)
        sol_print_messages(run->model, 0, stderr, false);
    assert_int_equal(status, SOL_OK);
}

static double value(Run *run, const char *path)
{
    double result = NAN;
    assert_int_equal(sol_read(run->sim, sol_find(run->sim, path), &result), SOL_OK);
    return result;
}

static void must_be(double time, const char *what, double found, double expected)
{
    if (fabs(found - expected) <= 1e-9 * (1 + fabs(expected)))
        return;
    fail_msg("at %.6g, %s is %.12g, its law says %.12g", time, what, found, expected);
}

static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_AUTO};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* A shaft in a bearing with friction, shaken by a torque, and a flywheel that it takes along in one
 * direction: the shaft sticks and goes, with the flywheel and without it. */
static void test_freewheel(void **state)
{
    (void)state;
    static const char text[] = "model Freewheel\n"
                               "interface:\n"
                               "  static Rotational.Basic.Inertia shaft;\n"
                               "  static Rotational.Contacts.OneWayClutch ratchet;\n"
                               "  static Rotational.Basic.Inertia wheel;\n"
                               "  static Rotational.Contacts.Bearing bearing;\n"
                               "  static Rotational.Sources.SineTorque drive{T << 8};\n"
                               "implementation:\n"
                               "  connection{a << bearing.f, b << shaft.b};\n"
                               "  connection{a << drive.f, b << shaft.a};\n"
                               "  connection{a << shaft.a, b << ratchet.b};\n"
                               "  connection{a << ratchet.a, b << wheel.a};\n"
                               "  wheel.b.t = 0;\n"
                               "end Freewheel;\n";
    for (int s = 0; s < SOLVERS; s++) {
        Run run;
        begin(&run, text, 3, solvers[s]);
        for (int i = 1; i <= 60; i++) {
            double t = 3.0 * i / 60;
            go_to(&run, t);
            must_be(t, "the torque", value(&run, "drive.f.t"), -8 * sin(2 * PI * t));
        }
        assert_true(run.events > 5);
        sol_unload(run.model);
    }
}

/* Two bodies that are one, on a wall that holds them by friction, between a spring and a force. */
static void test_sledge(void **state)
{
    (void)state;
    static const char text[] = "model Sledge\n"
                               "interface:\n"
                               "  static Translational.Sources.Fixed wall;\n"
                               "  static Translational.Basic.SpringDamper spring{c << 3};\n"
                               "  static Translational.Basic.Mass load;\n"
                               "  static Translational.Contacts.SlidingFriction rail;\n"
                               "  static Translational.Basic.Mass sledge;\n"
                               "  static Translational.Sources.SineForce push{F << 9};\n"
                               "implementation:\n"
                               "  sledge.b.f = 0;\n"
                               "  connection{a << sledge.a, b << rail.b};\n"
                               "  connection{a << spring.a, b << rail.a};\n"
                               "  connection{a << rail.a, b << wall.a};\n"
                               "  load.b.f = 0;\n"
                               "  connection{a << spring.b, b << push.a};\n"
                               "  connection{a << sledge.a, b << spring.b};\n"
                               "  connection{a << load.a, b << sledge.a};\n"
                               "end Sledge;\n";
    for (int s = 0; s < SOLVERS; s++) {
        Run run;
        begin(&run, text, 5, solvers[s]);
        for (int i = 1; i <= 100; i++) {
            double t = 5.0 * i / 100;
            go_to(&run, t);
            must_be(t, "the push", value(&run, "push.a.f"), -9 * sin(2 * PI * t));
            must_be(t, "the spring", value(&run, "spring.f"), 3 * value(&run, "sledge.s"));
            must_be(t, "the load", value(&run, "load.v"), value(&run, "sledge.v"));
        }
        assert_true(run.events > 5);
        sol_unload(run.model);
    }
}

/* Two diodes and a switch around a capacitor: a diode that is open blocks, one that is closed
 * conducts. One that nobody looks at stays open with a voltage that should close it. */
static void test_diodes(void **state)
{
    (void)state;
    static const char text[] = "model Diodes\n"
                               "interface:\n"
                               "  static Electric.Switches.ResistiveSwitch S;\n"
                               "  static Electric.Switches.Diode D1;\n"
                               "  static Electric.Switches.Diode D2;\n"
                               "  static Electric.Sources.SineVoltage source;\n"
                               "  static Electric.Basic.Resistor R1;\n"
                               "  static Electric.Basic.Inductor L;\n"
                               "  static Electric.Basic.Resistor R2;\n"
                               "  static Electric.Basic.Capacitor C;\n"
                               "  static Electric.Basic.Resistor R3;\n"
                               "  static Electric.Sources.Ground G;\n"
                               "implementation:\n"
                               "  connection{a << R1.p, b << C.p};\n"
                               "  connection{a << R2.n, b << D1.p};\n"
                               "  connection{a << R1.n, b << source.n};\n"
                               "  connection{a << R3.n, b << D2.p};\n"
                               "  connection{a << D1.n, b << C.p};\n"
                               "  connection{a << L.p, b << G.p};\n"
                               "  connection{a << C.p, b << L.n};\n"
                               "  connection{a << D1.n, b << D2.n};\n"
                               "  connection{a << G.p, b << R3.p};\n"
                               "  connection{a << S.p, b << R1.n};\n"
                               "  connection{a << S.p, b << L.p};\n"
                               "  S.command << (time >= 0.0049 and time < 0.057);\n"
                               "  connection{a << C.n, b << source.p};\n"
                               "  connection{a << C.p, b << R2.p};\n"
                               "  connection{a << C.p, b << S.n};\n"
                               "end Diodes;\n";
    static const char *const paths[2][3] = {{"D1.u", "D1.i", "D1.closed"},
                                            {"D2.u", "D2.i", "D2.closed"}};
    for (int s = 0; s < SOLVERS; s++) {
        Run run;
        begin(&run, text, 0.1, solvers[s]);
        for (int i = 1; i <= 400; i++) {
            double t = 0.1 * i / 400;
            go_to(&run, t);
            must_be(t, "the voltage", value(&run, "source.u"), sin(100 * PI * t));
            for (int d = 0; d < 2; d++) {
                bool closed = value(&run, paths[d][2]) != 0;
                assert_true(closed || value(&run, paths[d][0]) < 1e-9);
                assert_true(!closed || value(&run, paths[d][1]) > -1e-9);
            }
        }
        assert_true(run.events > 5);
        sol_unload(run.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_freewheel),
                                       cmocka_unit_test(test_sledge),
                                       cmocka_unit_test(test_diodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
