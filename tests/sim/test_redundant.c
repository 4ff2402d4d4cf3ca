/* mechanisms with more constraints than they need: as a version of the same with just enough, made by hand; at the
 * start, while they turn, and where modes make and remove what is too many. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Pair {
    const char *redundant, *regular, *same; /* same: paths of both, a=b or a alone */
    uint32_t states;
    const char *said;
    SolSet set; /* in the regular one */
} Pair;

static const Pair pairs[] = {
    {"Triangle", "OneCrank", "R1.phi=phi R1.w=w", 2, "holds already", {0}},
    {"Line", "OneCrank", "R1.phi=phi R1.w=w", 2, "holds already", {0}},
    {"FlatCranks", "FlatOne", "phi w p2=phi p3=phi", 2, "which is set to 0", {0}},
    {"TwoRails", "OneRail", "rail.s rail.v other.s=rail.s", 2, "holds already", {0}},
    {"TwoGears",
     "OneGear",
     "shaft.phi wheel.phi shaft.w wheel.w",
     2,
     "'G2.b.phi = wheel.a.phi' holds already",
     {0}},
    {"Clutches", "Clutches", "w1 w2", 2, "is set to 0", {"both", "false"}},
};

static SimLab *open_model(const char *name, const SolSet *set)
{
    char designator[100];
    SolOptions options = {.stop = 1.2, .interval = 0.05, .rtol = 1e-12, .atol = 1e-14};
    options.sets = set;
    options.n_sets = set && set->path;
    snprintf(designator, sizeof designator, "Redundant.%s", name);
    return sim_lab_open("redundant.sol", designator, &options);
}

static void compare(const Pair *pair, SimLab *a, SimLab *b, double time)
{
    char list[200], *rest = list;
    strcpy(list, pair->same);
    for (char *word; (word = strsep(&rest, " "));) {
        char *other = strchr(word, '=');
        if (other)
            *other++ = '\0';
        double x = sim_lab_value(a, word), y = sim_lab_value(b, other ? other : word);
        if (!(fabs(x - y) <= 1e-9 * (1 + fabs(y))))
            fail_msg("%s, time %g: %s = %.15g, but %.15g", pair->redundant, time, word, x, y);
    }
}

static void test_pair(void **state)
{
    const Pair *pair = *state;
    SimLab *a = open_model(pair->redundant, NULL), *b = open_model(pair->regular, &pair->set);
    for (int k = 0; k < 12; k++) {
        double time = k * 0.1 + 0.05;
        assert_int_equal(sim_lab_run(a, time), SOL_OK);
        assert_int_equal(sim_lab_run(b, time), SOL_OK);
        compare(pair, a, b, time);
        SolStats stats;
        sol_stats(a->sim, &stats);
        if (k == 0)
            assert_int_equal(stats.states, pair->states);
    }
    if (!sim_lab_said(a, pair->said))
        fail_msg("%s: nobody said '%s'", pair->redundant, pair->said);
    assert_false(sim_lab_said(b, "holds already"));
    sim_lab_close(a);
    sim_lab_close(b);
}

/* Forces are as the equations say, whichever of them is open: the audit looks at each. That the open one is 0 is told. */
static void open_force_is_zero(void **state)
{
    (void)state;
    SimLab *lab = open_model("FlatCranks", NULL);
    const char *forces[] = {"f1", "g1", "f2", "g2", "f3", "g3"};
    assert_int_equal(sim_lab_run(lab, 0.01), SOL_OK);
    int zeros = 0;
    for (int i = 0; i < 6; i++) {
        char text[60];
        snprintf(text, sizeof text, "'%s', which is set to 0", forces[i]);
        bool told = sim_lab_said(lab, text);
        assert_int_equal(told, sim_lab_value(lab, forces[i]) == 0);
        zeros += told;
    }
    assert_int_equal(zeros, 1);
    sim_lab_close(lab);
}

/* A third crank of another length holds the plate: nothing is set aside, nothing moves. */
static void is_rigid(void **state)
{
    (void)state;
    SimLab *lab = open_model("FlatCranks", &(SolSet){"third", "0.75"});
    SolStats stats;
    sim_lab_run(lab, 0);
    sol_stats(lab->sim, &stats);
    assert_int_equal(stats.states, 0);
    assert_false(sim_lab_said(lab, "holds already"));
    sim_lab_close(lab);
}

/* Two ratios leave rest alone, which no torque allows. */
static void other_ratios_stand_still(void **state)
{
    (void)state;
    SimLab *lab = open_model("TwoGears", &(SolSet){"second", "2.4"});
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "shaft.w")) < 1e-12);
    assert_false(sim_lab_said(lab, "holds already"));
    assert_true(sim_lab_said(lab, "it stands still"));
    sim_lab_close(lab);
}

/* Two shafts with gears side by side, the second of which is turned round and shifted: with S the first and T the second
 * shaft, S = first*T and T = second*S + shift. */
static SimLab *two_gears(const char *first, const char *second, const char *shift)
{
    static char text[1500];
    SolOptions options = {.stop = 1, .rtol = 1e-11, .atol = 1e-13};
    snprintf(text, sizeof text,
             "model Shifted extends Rotational.Interfaces.TwoFlanges;\n"
             "interface: parameter Real ratio << 1; parameter Real shift << 0;\n"
             "implementation: a.phi = ratio*b.phi + shift; ratio*a.t + b.t = 0;\nend Shifted;\n"
             "model Gears\ninterface:\n"
             "  static Rotational.Basic.Inertia S{J << 1.5, w_start << 1};\n"
             "  static Rotational.Basic.Inertia T{J << 0.5, w_start << 1/(%s)};\n"
             "  static Shifted G1{ratio << %s};\n"
             "  static Shifted G2{ratio << %s, shift << %s};\n"
             "implementation:\n  S.a.t = 2; T.a.t = 0;\n"
             "  connection{a << S.b, b << G1.a}; connection{a << T.b, b << G1.b};\n"
             "  connection{a << T.b, b << G2.a}; connection{a << S.b, b << G2.b};\n"
             "end Gears;\n",
             first, first, second, shift);
    return sim_lab_text(text, &options);
}

/* What agrees up to rounding turns as with one of them: (1.5 + 0.5/r^2) w' = 2. */
static void ratios_agree_up_to_rounding(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        double ratio;
    } list[] = {{"1.3", "1/1.3", 1.3},
                {"0.1*3", "1/0.3", 0.3},
                {"1/49", "49", 1.0 / 49},
                {"1.1*1.3*1.7", "1/1.7/1.3/1.1", 1.1 * 1.3 * 1.7},
                {"-2.7", "-0.37037037037037035", -2.7}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        SimLab *lab = two_gears(list[i].first, list[i].second, "0");
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        double slope = 2 / (1.5 + 0.5 / (list[i].ratio * list[i].ratio));
        assert_true(fabs(sim_lab_value(lab, "S.w") - (1 + slope)) < 1e-9 * (1 + slope));
        assert_true(sim_lab_said(lab, "holds already"));
        assert_false(sim_lab_said(lab, "stands still"));
        sim_lab_close(lab);
    }
}

/* Beyond rounding there is one solution: rest, or where shift and ratios meet. */
static void ratios_that_differ(void **state)
{
    (void)state;
    SimLab *lab = two_gears("1.3", "1.000001/1.3", "0");
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "S.phi")) < 1e-12);
    assert_true(sim_lab_said(lab, "stands still; a change of their factors by 5e-07"));
    sim_lab_close(lab);
    lab = two_gears("1.3", "1.001/1.3", "-0.01"); /* S = 1.3*T = 1.001*S - 0.013 */
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "S.phi") - 13) < 1e-9);
    assert_false(sim_lab_said(lab, "stands still"));
    sim_lab_close(lab);
}

/* S = 1.3*T and T = S/1.3 + 0.1: no angles do. */
static void ratios_that_contradict(void **state)
{
    (void)state;
    SimLab *lab = two_gears("1.3", "1/1.3", "0.1");
    assert_int_equal(sim_lab_run(lab, 1), SOL_MODEL);
    assert_true(sim_lab_said(lab, "'G1' and Shifted 'G2' contradict each other"));
    sim_lab_close(lab);
}

static const char *negative(const char *source)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "model Circuit\ninterface:\n"
             "  static Electric.Basic.Resistor R1{R << 1.5};\n"
             "  static Electric.Basic.Resistor R2{R << -1.5};\n"
             "  static Electric.Sources.ConstantVoltage V{U << %s};\n"
             "  static Electric.Sources.Ground G;\n"
             "implementation:\n"
             "  connection{a << R1.p, b << V.p}; connection{a << R1.n, b << R2.p};\n"
             "  connection{a << R2.n, b << V.n}; connection{a << V.n, b << G.p};\n"
             "end Circuit;\n",
             source);
    return text;
}

/* 0 = 0 * i: any current will do, and one is chosen; 1 = 0 * i: there is none. */
static void resistances_that_cancel(void **state)
{
    (void)state;
    SolOptions options = {.stop = 1};
    SimLab *lab = sim_lab_text(negative("0"), &options);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(sim_lab_said(lab, "is set to 0"));
    assert_true(sim_lab_value(lab, "R1.i") == 0);
    sim_lab_close(lab);
    lab = sim_lab_text(negative("1"), &options);
    assert_int_equal(sim_lab_run(lab, 1), SOL_MODEL);
    assert_true(sim_lab_said(lab, "'R1' and Resistor 'R2' contradict each other"));
    sim_lab_close(lab);
}

/* Switches side by side: both carry the current together, one is chosen; what was set aside returns when one
 * opens. They open where their current passes zero. */
static void switches_side_by_side(void **state)
{
    (void)state;
    SolOptions options = {.stop = 1, .rtol = 1e-12, .atol = 1e-14};
    SimLab *lab =
        sim_lab_text("model Circuit\ninterface:\n"
                     "  static Electric.Sources.SineVoltage V{U << 10, f << 1};\n"
                     "  static Electric.Basic.Resistor R{R << 3};\n"
                     "  static Electric.Switches.Switch S1;\n"
                     "  static Electric.Switches.Switch S2;\n"
                     "  static Electric.Sources.Ground G;\n"
                     "implementation:\n"
                     "  connection{a << V.p, b << S1.p}; connection{a << V.p, b << S2.p};\n"
                     "  connection{a << S1.n, b << R.p}; connection{a << S2.n, b << R.p};\n"
                     "  connection{a << R.n, b << V.n}; connection{a << V.n, b << G.p};\n"
                     "  S1.command << time > 0.1 and time < 0.3;\n"
                     "  S2.command << time > 0.2 and time < 0.4;\n"
                     "end Circuit;\n",
                     &options);
    for (double time = 0.05; time < 0.5; time += 0.1) {
        double i =
            time > 0.1 /* and until it passes zero */ ? 10 *
                                                            sin(2 * 3.14159265358979323846 * time) /
                                                            3
                                                      : 0;
        assert_int_equal(sim_lab_run(lab, time), SOL_OK);
        assert_true(fabs(sim_lab_value(lab, "R.i") - i) < 1e-9);
        assert_true(fabs(sim_lab_value(lab, "S1.i") + sim_lab_value(lab, "S2.i") - i) < 1e-9);
        if (time > 0.1 && time < 0.2)
            assert_true(fabs(sim_lab_value(lab, "S1.i") - i) < 1e-9);
        if (time > 0.3)
            assert_true(fabs(sim_lab_value(lab, "S2.i") - i) < 1e-9);
    }
    assert_true(sim_lab_said(lab, "which is set to 0"));
    sim_lab_close(lab);
}

int main(void)
{
    enum { N = sizeof pairs / sizeof *pairs };
    struct CMUnitTest tests[N + 8];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){pairs[i].redundant, test_pair, NULL, NULL,
                                       (void *)(uintptr_t)&pairs[i]};
    tests[N] = (struct CMUnitTest)cmocka_unit_test(open_force_is_zero);
    tests[N + 1] = (struct CMUnitTest)cmocka_unit_test(is_rigid);
    tests[N + 2] = (struct CMUnitTest)cmocka_unit_test(other_ratios_stand_still);
    tests[N + 3] = (struct CMUnitTest)cmocka_unit_test(resistances_that_cancel);
    tests[N + 4] = (struct CMUnitTest)cmocka_unit_test(switches_side_by_side);
    tests[N + 5] = (struct CMUnitTest)cmocka_unit_test(ratios_agree_up_to_rounding);
    tests[N + 6] = (struct CMUnitTest)cmocka_unit_test(ratios_that_differ);
    tests[N + 7] = (struct CMUnitTest)cmocka_unit_test(ratios_that_contradict);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
