/* test_implicit.c: `if`s whose condition depends on what their branches say -> pieces that agree with their condition: ideal
 * elements in parametric form beside the library's and against closed forms. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.141592653589793;

static void is_close(double a, double b, double size)
{
    if (!(fabs(a - b) <= size))
        print_error("%.17g and %.17g are apart by %g\n", a, b, fabs(a - b));
    assert_true(fabs(a - b) <= size);
}

/* ---- beside the library ---- */

typedef struct Pair {
    const char *ours, *library, *path;
    double stop, size;
} Pair;

static const SolOptions sharp = {.rtol = 1e-11, .atol = 1e-13};

static void compare_pair(const Pair *pair)
{
    char file[1000];
    snprintf(file, sizeof file, "../../%s", pair->library);
    char *colon = strchr(file, ':');
    *colon = 0;
    SolOptions options = sharp;
    options.stop = pair->stop;
    SimLab *a = sim_lab_open("implicit.sol", pair->ours, &options);
    SimLab *b = sim_lab_open(file, colon + 1, &options);
    for (int i = 1; i <= 40; i++) {
        assert_int_equal(sim_lab_run(a, pair->stop * i / 40), SOL_OK);
        assert_int_equal(sim_lab_run(b, pair->stop * i / 40), SOL_OK);
        is_close(sim_lab_value(a, pair->path), sim_lab_value(b, pair->path), 1e-8 * pair->size);
    }
    assert_true(a->n_events > 0);
    sim_lab_close(a);
    sim_lab_close(b);
}

static void elements_do_what_the_library_does(void **state)
{
    (void)state;
    static const Pair pairs[] = {
        {"Bridge", "stdlib/Electric.sol:Electric.Examples.FullBridge", "C.u", 0.06, 10},
        {"Bridge", "stdlib/Electric.sol:Electric.Examples.FullBridge", "D1.i", 0.06, 10},
        {"Buck", "stdlib/Electric.sol:Electric.Examples.Buck", "C.u", 0.002, 10},
        {"Buck", "stdlib/Electric.sol:Electric.Examples.Buck", "L.i", 0.002, 10},
        {"Rectifier", "stdlib/Electric.sol:Electric.Examples.Rectifier", "C.u", 0.1, 1},
        {"Rectifier", "stdlib/Electric.sol:Electric.Examples.Rectifier", "D.i", 0.1, 1},
        {"StickSlip", "stdlib/Translational.sol:Translational.Examples.StickSlip", "body.s", 3, 1},
        {"Drive", "tests/sim/implicit.sol:PlainDrive", "wheel.phi", 5, 1},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        compare_pair(&pairs[i]);
}

/* ---- closed forms ---- */

/* Whoever drives, the other one gets eta of it. */
static void a_gear_loses_what_drives_it(void **state)
{
    (void)state;
    SolSet eta = {.path = "eta", .value = "0.8"};
    SolOptions options = sharp;
    options.stop = 5;
    options.sets = &eta;
    options.n_sets = 1;
    SimLab *lab = sim_lab_open("implicit.sol", "Drive", &options);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    is_close(sim_lab_value(lab, "motor.w"), 3 / (0.5 + 8 / (4 * 0.8)), 1e-9);
    assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
    is_close(sim_lab_value(lab, "motor.w"), 2 - 1 / (0.5 + 8 * 0.8 / 4), 1e-9);
    assert_true(sim_lab_value(lab, "gear.forward") == 0);
    sim_lab_close(lab);
}

static void check_bridge(const char *model)
{
    SimLab *lab = sim_lab_open("implicit.sol", model, &(SolOptions){.stop = 0.05});
    for (int i = 1; i <= 37; i++) {
        double time = 0.05 * i / 37;
        assert_int_equal(sim_lab_run(lab, time), SOL_OK);
        is_close(sim_lab_value(lab, "load.u"), fabs(9 * sin(2 * pi * 50 * time)), 1e-12);
    }
    sim_lab_close(lab);
}

static void a_bridge_gives_the_absolute_value(void **state)
{
    (void)state;
    check_bridge("IdealBridge");
    check_bridge("FactorBridge");
}

static void a_zener_diode_limits_both_ways(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("implicit.sol", "Limiter", &(SolOptions){.stop = 2});
    for (int i = 1; i <= 61; i++) {
        assert_int_equal(sim_lab_run(lab, i / 30.5), SOL_OK);
        double u = 10 * sin(2 * pi * i / 30.5);
        is_close(-sim_lab_value(lab, "Z.u"), fmax(0, fmin(5, u)), 1e-12);
    }
    sim_lab_close(lab);
}

static void a_thyristor_waits_to_be_fired(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_open("implicit.sol", "PhaseControl", &(SolOptions){.stop = 0.06});
    for (int i = 1; i <= 59; i++) {
        double time = 0.001 * i + 0.0005, phase = fmod(time, 0.02);
        bool conducts = phase > 0.004 && phase < 0.01;
        assert_int_equal(sim_lab_run(lab, time), SOL_OK);
        is_close(sim_lab_value(lab, "load.u"), conducts ? sin(2 * pi * 50 * time) : 0, 1e-12);
    }
    sim_lab_close(lab);
}

/* The switch cuts the current of the coil, and the diode takes it over in the same moment: nothing jumps. */
static void take_over(const char *model)
{
    SolOptions options = sharp;
    options.stop = 5;
    SimLab *lab = sim_lab_open("implicit.sol", model, &options);
    double i = 0;
    for (int k = 0; k < 5; k++) {
        i = 2.5 + (i - 2.5) * exp(-2 * 0.4);
        assert_int_equal(sim_lab_run(lab, k + 0.4), SOL_OK);
        is_close(sim_lab_value(lab, "L.i"), i, 1e-9);
        i *= exp(-2 * 0.3);
        assert_int_equal(sim_lab_run(lab, k + 0.7), SOL_OK);
        is_close(sim_lab_value(lab, "L.i"), i, 1e-9);
        is_close(sim_lab_value(lab, "D.i"), i, 1e-9);
        i *= exp(-2 * 0.3);
    }
    assert_false(sim_lab_said(lab, "jumps"));
    sim_lab_close(lab);
}

static void an_ideal_diode_takes_over_the_current_of_a_coil(void **state)
{
    (void)state;
    take_over("IdealBuck");
    take_over("LibraryBuck");
}

/* ---- decided by states ---- */

static void a_state_goes_on_across_the_change(void **state)
{
    (void)state;
    static const char text[] = "model Faster\n"
                               "interface:\n"
                               "  static Real x;\n"
                               "implementation:\n"
                               "  if x < 1 then der(x = x) = 1; else then der(x = x) = 2; end;\n"
                               "end Faster;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 0.5), SOL_OK);
    is_close(sim_lab_value(lab, "x"), 0.5, 1e-12);
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    is_close(sim_lab_value(lab, "x"), 3, 1e-9);
    assert_int_equal(lab->n_events, 1);
    sim_lab_close(lab);
}

/* Its first guess is the wrong branch: where the state begins is what the other one says. */
static void starts_are_those_of_the_branch_that_agrees(void **state)
{
    (void)state;
    static const char text[] =
        "model Tank\n"
        "interface:\n"
        "  static Real x; static Real y;\n"
        "implementation:\n"
        "  if x > 10 then der(x = x, start << 4) = 1; else then der(x = x, start << 8) = 2; end;\n"
        "  der(x = y, start << 3) = x;\n"
        "end Tank;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    is_close(sim_lab_value(lab, "x"), 8, 0);
    is_close(sim_lab_value(lab, "y"), 3, 0);
    assert_int_equal(sim_lab_run(lab, 0.5), SOL_OK);
    is_close(sim_lab_value(lab, "x"), 9, 1e-12);
    sim_lab_close(lab);
}

/* A charged capacitor across a diode that would short it in its first piece. */
static void a_wrong_piece_takes_no_charge(void **state)
{
    (void)state;
    static const char text[] = "model Charged\n"
                               "interface:\n"
                               "  static Real u; static Real i; static Boolean on;\n"
                               "implementation:\n"
                               "  static Real s;\n"
                               "  on = s > 0;\n"
                               "  if on then u = 0; i = s; else then u = s; i = 0; end;\n"
                               "  der(x = u, start << -3) = -i + 1;\n"
                               "end Charged;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 5});
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    is_close(sim_lab_value(lab, "u"), -2, 1e-9);
    assert_int_equal(sim_lab_run(lab, 5), SOL_OK);
    is_close(sim_lab_value(lab, "u"), 0, 1e-9);
    is_close(sim_lab_value(lab, "i"), 1, 1e-9);
    assert_false(sim_lab_said(lab, "jumps"));
    sim_lab_close(lab);
}

/* Factors 0 and 1, as textbooks have them: whole numbers that multiply a Real are pieces of its equation. */
static void whole_numbers_are_pieces_too(void **state)
{
    (void)state;
    static const char text[] =
        "model Factors\n"
        "interface:\n"
        "  static Real u; static Real i; static Real y; static Real s; static Boolean off;\n"
        "implementation:\n"
        "  static Real d;\n"
        "  off = d < 0;\n"
        "  u = d*(if off then 1 else 0);\n"
        "  i = -d*(if off then 0 else -1);\n"
        "  u + 4*i = 2*sin(3*time);\n"
        "  y = if s > 1 then 1 else if s < -1 then -1 else s;\n"
        "  s + 2*y + (if s > 1 then 1 else if s < -1 then 1 else 0)\n"
        "    *(s - (if s > 1 then 1 else -1)) = 5*sin(time);\n"
        "end Factors;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 9});
    for (int k = 1; k <= 90; k++) {
        double time = k / 10.0, u = 2 * sin(3 * time), x = 5 * sin(time);
        assert_int_equal(sim_lab_run(lab, time), SOL_OK);
        is_close(sim_lab_value(lab, "u"), fmin(u, 0), 1e-12);
        is_close(sim_lab_value(lab, "i"), fmax(u, 0) / 4, 1e-12);
        is_close(sim_lab_value(lab, "y"), fmax(-1, fmin(1, x / 3)), 1e-12);
        is_close(sim_lab_value(lab, "s"), fabs(x) <= 3 ? x / 3 : (x - copysign(1, x)) / 2, 1e-12);
    }
    assert_true(lab->n_events > 10);
    sim_lab_close(lab);
}

/* A bridge that charges a capacitor without a resistor in front of it. The voltage follows |u| while current
 * flows, then it goes down by the load alone, until |u| has caught up. */
static double rectified(double time, double omega, double RC)
{
    double pi = acos(-1), half = fmod(time * omega, pi), ends = pi - atan(omega * RC);
    double follows = fabs(sin(omega * time));
    double left = half >= ends ? half - ends : half + pi - ends;
    double alone = sin(ends) * exp(-left / (omega * RC));
    if (time * omega < ends) /* it has not been charged before */
        return follows;
    return half < ends && half > pi / 2 ? follows : fmax(follows, alone);
}

/* Both pieces of a diode have one condition: it is exchanged as a whole, however it is written. */
static void a_diode_is_one_element_in_all_its_forms(void **state)
{
    (void)state;
    static const char *const form[] = {
        "if s < 0 then u = s; i = 0; else then u = 0; i = s; end if;",
        "u = if s < 0 then s else 0; i = if s < 0 then 0 else s;",
        "i = if s < 0 then 0 else s; u = if s < 0 then s else 0;",
        "u = s*(if s < 0 then 1 else 0); i = s*(if s < 0 then 0 else 1);",
        "static Boolean off; off = s < 0; u = if off then s else 0; i = if off then 0 else s;",
        "static Boolean o; o << s < 0; u = s*(if o then 1 else 0); i = s*(if o then 0 else 1);"};
    static const char text[] = "model Diode\n"
                               "interface:\n"
                               "  static Real u; static Real i;\n"
                               "implementation:\n"
                               "  static Real s; %s\n"
                               "end Diode;\n"
                               "model Bridge\n"
                               "interface:\n"
                               "  static Real v;\n"
                               "implementation:\n"
                               "  static Diode d[4]; static Real i; static Real a; static Real b;\n"
                               "  a - b = sin(2*time);\n"
                               "  d[1].u = a - v; d[2].u = b - v; d[3].u = -a; d[4].u = -b;\n"
                               "  i + d[3].i = d[1].i; d[4].i - i = d[2].i;\n"
                               "  d[1].i + d[2].i = v/10 + 0.05*der(v);\n"
                               "end Bridge;\n";
    for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
        char model[2000];
        snprintf(model, sizeof model, text, form[f]);
        SimLab *lab = sim_lab_text(model, &(SolOptions){.stop = 9, .rtol = 1e-9});
        for (int k = 1; k <= 90; k++) {
            assert_int_equal(sim_lab_run(lab, k / 10.0), SOL_OK);
            is_close(sim_lab_value(lab, "v"), rectified(k / 10.0, 2, 0.5), 1e-7);
        }
        assert_true(lab->n_events >= 10);
        sim_lab_close(lab);
    }
}

/* ---- what others see ---- */

/* The source jumps; with the piece of before the current would be -5, and the `when` must not see that. */
static void nobody_sees_a_piece_that_does_not_hold(void **state)
{
    (void)state;
    static const char text[] = "model Seen\n"
                               "interface:\n"
                               "  static Real v; static Real i; static Integer seen;\n"
                               "implementation:\n"
                               "  static Real s; static Real u; static Real root;\n"
                               "  if s < 0 then v = s; i = 0; else then v = 0; i = s; end;\n"
                               "  u = v + i;\n"
                               "  u = 5 - 10*mod(floor(time), 2);\n"
                               "  root = sqrt(i);\n"
                               "  when i < -1 then seen << pre(seen) + 1; end when;\n"
                               "  when v > 1 then seen << pre(seen) + 100; end when;\n"
                               "end Seen;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 4.5});
    for (int k = 0; k < 4; k++) {
        assert_int_equal(sim_lab_run(lab, k + 0.5), SOL_OK);
        is_close(sim_lab_value(lab, "i"), k % 2 ? 0 : 5, 1e-15);
        is_close(sim_lab_value(lab, "v"), k % 2 ? -5 : 0, 1e-15);
    }
    assert_true(sim_lab_value(lab, "seen") == 0);
    assert_int_equal(lab->n_events, 3);
    sim_lab_close(lab);
}

/* Both pieces agree: the one that is there stays, as friction at rest does below its peak. */
static void where_both_agree_the_present_one_stays(void **state)
{
    (void)state;
    static const char text[] = "model Latch\n"
                               "interface:\n"
                               "  static Real y; static Real u;\n"
                               "implementation:\n"
                               "  u = 3*sin(time);\n"
                               "  if y > 0 then y = u + 1; else then y = u - 1; end;\n"
                               "end Latch;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 20});
    bool high = true;
    for (int k = 1; k < 80; k++) {
        double time = k / 4.0, u = 3 * sin(time);
        for (double t = time - 0.25; t <= time; t += 1e-3)
            high = high ? 3 * sin(t) + 1 > 0 : 3 * sin(t) - 1 > 0;
        assert_int_equal(sim_lab_run(lab, time), SOL_OK);
        is_close(sim_lab_value(lab, "y"), u + (high ? 1 : -1), 1e-12);
    }
    sim_lab_close(lab);
}

static void where_no_branch_agrees_the_run_ends(void **state)
{
    (void)state;
    static const char text[] = "model Neither\n"
                               "interface:\n"
                               "  static Real x;\n"
                               "implementation:\n"
                               "  if x < time - 1 then x = 2; else then x = -2 + time; end;\n"
                               "end Neither;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 9});
    assert_int_equal(sim_lab_run(lab, 9), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "no branch of this 'if' agrees with what follows from it"));
    assert_true(sim_lab_said(lab, "x < time - 1"));
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_do_what_the_library_does),
        cmocka_unit_test(a_gear_loses_what_drives_it),
        cmocka_unit_test(a_bridge_gives_the_absolute_value),
        cmocka_unit_test(a_zener_diode_limits_both_ways),
        cmocka_unit_test(a_thyristor_waits_to_be_fired),
        cmocka_unit_test(an_ideal_diode_takes_over_the_current_of_a_coil),
        cmocka_unit_test(a_state_goes_on_across_the_change),
        cmocka_unit_test(starts_are_those_of_the_branch_that_agrees),
        cmocka_unit_test(a_wrong_piece_takes_no_charge),
        cmocka_unit_test(whole_numbers_are_pieces_too),
        cmocka_unit_test(a_diode_is_one_element_in_all_its_forms),
        cmocka_unit_test(nobody_sees_a_piece_that_does_not_hold),
        cmocka_unit_test(where_both_agree_the_present_one_stays),
        cmocka_unit_test(where_no_branch_agrees_the_run_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
