/* test_location.c: where events are found, and how much is done to find them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/sim/sim.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

/* A tank runs empty: trial points lie where its outflow has no value. */
static void trial_points_beyond_a_boundary(void **state)
{
    static const char tank[] =
        "model M\ninterface:\n  static Real h; static Real q; static Integer n;\nimplementation:\n"
        "  der(x = h, start << 1) = -q;\n"
        "  if h > 0 then q = sqrt(h); else then q = 0; end if;\n"
        "  when q < 0.5 then n << pre(n) + 1; end when;\nend M;\n";
    (void)state;
    for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
        SolOptions options = {.stop = 3, .solver = (SolSolver)solver, .cache = "off"};
        SimLab *lab = sim_lab_text(tank, &options);
        assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
        assert_int_equal(lab->n_events, 2);
        assert_true(fabs(lab->event_time[0] - 1) < 1e-5);
        assert_true(fabs(lab->event_time[1] - 2) < 1e-2);
        assert_true(fabs(sim_lab_value(lab, "h")) < 1e-6 && sim_lab_value(lab, "q") == 0);
        assert_true(sim_lab_value(lab, "n") == 1);
        sim_lab_close(lab);
    }
}

/* A rectifier's events come hundreds of times within one output interval. They are no chattering: its current is far from 0 in
 * between, so they lie where it is 0, and opening asks no impulse. */
static void quick_switching_is_no_chattering(void **state)
{
    static const char rectifier[] =
        "model M\ninterface:\n  static Real i; static Real u; static Boolean closed; static "
        "Integer n;\n"
        "implementation:\n  u = sin(314*time) - 0.2 - 0.01*der(x = i, start << 0);\n"
        "  if closed then u = 0; else then i = 0; end if;\n"
        "  if initial() then closed << false; n << 0;\n"
        "  else then\n    when i < 0 then closed << false; n << pre(n) + 1;\n"
        "    else when u > 0 then closed << true; end when;\n  end if;\nend M;\n";
    (void)state;
    for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++)
        for (int coarse = 0; coarse < 2; coarse++) {
            SolOptions options = {.stop = 4,
                                  .interval = coarse ? 4 : 0.001,
                                  .solver = (SolSolver)solver,
                                  .cache = "off"};
            SimLab *lab = sim_lab_text(rectifier, &options);
            sim_lab_track(lab, "i");
            assert_int_equal(sim_lab_run(lab, 4), SOL_OK);
            assert_true(sim_lab_value(lab, "n") == 200);
            assert_true(lab->least[0] > -1e-13);
            assert_false(sim_lab_said(lab, "impulse"));
            sim_lab_close(lab);
        }
}

/* A sine of the clock that no state follows goes above a bound as often as its period says, however seldom output is wanted. */
static void sines_of_the_clock(void **context)
{
    static const char *const state[] = {"", "  der(x = x, start << 1) = -x;\n",
                                        "  der(x = x, start << 1) = cos(time) - x;\n"};
    (void)context;
    for (uint32_t i = 0; i < 60; i++) {
        double bound = -0.95 + 1.9 * ((i * 37) % 61) / 61, periods = pow(1.13, i);
        double rises = floor(periods - (asin(bound) + M_PI_2) / (2 * M_PI) + 1);
        char text[512];
        snprintf(
            text, sizeof text,
            "model M\ninterface:\n  static Integer n; static Real u;%s\nimplementation:\n%s"
            "  u = 3*sin(%.17g*time - %.17g);\n  when u > %.17g then n << pre(n) + 1; end when;\n"
            "end M;\n",
            i % 3 ? " static Real x;" : "", state[i % 3], 2 * M_PI * periods / 10, M_PI_2,
            3 * bound);
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 10, .steps = 1 + i % 7});
        assert_int_equal(sim_lab_run(lab, 10), SOL_OK);
        assert_true(sim_lab_value(lab, "n") == rises);
        sim_lab_close(lab);
    }
}

/* More of the clock: what is slow decides when what is quick counts, poles, a spike that is no measure for what follows, chirps. */
static void crossings_of_the_clock(void **context)
{
    static const struct {
        const char *condition;
        double stop, n;
    } known[] = {
        /* from asin(0.5) = pi/6 to 5*pi/6 of the slow one */
        {"sin(time) > 0.5 and sin(31415.9265358979*time) > 0.5", 3, 10472},
        {"sin(time) > 0.5 and 1.5 < 2*cos(20000*time)", 2.8, 6667},
        {"tan(20*time) > 1", 10, 64},
        {"1e6/(1 + (1e5*(time - 1))^2) + sin(300*time) > 0.5", 5, 238},
        {"sin(3*time*time) > 0.5", 20, 191},
        {"sin(exp(time)) > 0.5", 7, 175},
        /* pulses that looks pass over: at pi/2 + k*pi, of 1e-6 of a step, where something slow is added, two that touch 0 */
        {"sin(50*time)^200 > 0.9", 10, 159},
        {"abs(sin(50*time)) < 0.001", 10, 160},
        {"exp(0 - ((time - 5.1234)/1e-5)^2) > 0.5", 10, 1},
        {"exp(0 - ((time - 3e6)/1e-2)^2) + sin(1e-6*time)/100 > 0.5", 1e7, 1},
        {"atan(1e7*(time - 1))*atan(1e7*(time - 1.00001)) < -1", 3, 1},
        {"min(cos(7*time), cos(7.01*time)) > 0.99999 or max(sin(time), cos(time)) < -0.7071", 40,
         7},
        {"(sin(10*time) + 1)*(sin(10*time) + 1) < 1e-6", 10, 16},
        {"mod(sin(20*time), 0.3) > 0.2999", 10, 445},
    };
    (void)context;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (uint32_t steps = 1; steps <= 900; steps *= 30) {
            char text[512];
            snprintf(text, sizeof text,
                     "model M\ninterface:\n  static Integer n;\nimplementation:\n"
                     "  when %s then n << pre(n) + 1; end when;\nend M;\n",
                     known[i].condition);
            SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = known[i].stop, .steps = steps});
            assert_int_equal(sim_lab_run(lab, known[i].stop), SOL_OK);
            if (sim_lab_value(lab, "n") != known[i].n)
                print_error("%s, %u steps: %g\n", known[i].condition, steps,
                            sim_lab_value(lab, "n"));
            assert_true(sim_lab_value(lab, "n") == known[i].n);
            sim_lab_close(lab);
        }
}

/* But an equation that has no value on either side is an error. */
static void no_value_at_all(void **state)
{
    static const char tank[] =
        "model M\ninterface:\n  static Real h; static Real q;\nimplementation:\n"
        "  der(x = h, start << 1) = -1 - 0*q;\n"
        "  if h > -5 then q = sqrt(h); else then q = 0; end if;\nend M;\n";
    (void)state;
    SimLab *lab = sim_lab_text(tank, &(SolOptions){.stop = 3, .cache = "off"});
    assert_int_equal(sim_lab_run(lab, 3), SOL_NUMERICS);
    assert_true(sol_time(lab->sim) < 1.0001);
    sim_lab_close(lab);
}

/* 1.9 and 19*0.1 differ by one unit in the last place: one event, and the run goes on. */
static void times_one_ulp_apart(void **state)
{
    static const char text[] =
        "model M\ninterface:\n  static Integer n; static Integer k; static Real x;\n"
        "implementation:\n  der(x = x, start << 0) = 1;\n"
        "  when Sample(interval = 0.1) then n << pre(n) + 1; end when;\n"
        "  when time > 1.9 then k << n; end when;\nend M;\n";
    (void)state;
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 3, .cache = "off"});
    assert_int_equal(sim_lab_run(lab, 2.95), SOL_OK);
    assert_int_equal(lab->n_events, 29);
    assert_true(sim_lab_value(lab, "n") == 29);
    assert_true(sim_lab_value(lab, "k") >= 18);
    sim_lab_close(lab);
}

/* Equal up to rounding in every step, and unable to matter: evaluated, not searched for. */
static void a_comparison_that_cannot_matter(void **state)
{
    static const char text[] =
        "model M\ninterface:\n"
        "  static Real x; static Real u; static Real i; static Boolean armed; static Integer n;\n"
        "implementation:\n  der(x = x, start << 0) = sin(10*time) - x;\n  0.3 = x - u;\n"
        "  u*1e-5 = i;\n  armed << time < -1;\n"
        "  when armed and 3*i <= 3*u*1e-5 then n << pre(n) + 1; end when;\nend M;\n";
    (void)state;
    SolOptions options = {
        .stop = 2, .interval = 0.001, .max_step = 0.001, .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    SolStats stats;
    sol_stats(lab->sim, &stats);
    assert_true(stats.steps >= 2000 && lab->n_events == 0);
    double each = (double)lab->sim->sim->work / (double)stats.steps;
    print_message("%.1f nodes evaluated in each step\n", each);
    assert_true(each < 60);
    sim_lab_close(lab);
}

/* Two masses on springs: as many steps as the tolerance asks for, whatever the output wants; exact
 * values at all of its points. */
static void steps_are_not_bounded_by_output(void **state)
{
    static const char text[] =
        "model M\ninterface:\n  static Real a; static Real b; static Real va; static Real vb;\n"
        "implementation:\n  va = der(x = a, start << 1);\n  vb = der(x = b, start << 1);\n"
        "  der(x = va, start << 0) = -a;\n  der(x = vb, start << 0) = -b + 0.01*(a - b);\n"
        "end M;\n";
    (void)state;
    for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
        SolOptions options = {
            .stop = 10, .steps = 5000, .solver = (SolSolver)solver, .cache = "off"};
        SimLab *lab = sim_lab_text(text, &options);
        sim_lab_track(lab, "a");
        assert_int_equal(sim_lab_run(lab, 10), SOL_OK);
        SolStats stats;
        sol_stats(lab->sim, &stats);
        assert_true(stats.steps < 500 && lab->points >= 5001);
        assert_true(fabs(sim_lab_value(lab, "a") - cos(10)) < 1e-4);
        assert_true(fabs(lab->least[0] + 1) < 1e-4 && fabs(lab->most[0] - 1) < 1e-4);
        sim_lab_close(lab);
    }
}

/* Quiet states, and a source that swings under them: every crossing between two output points
 * counts. */
static void crossings_inside_long_steps(void **state)
{
    static const char text[] =
        "model M\ninterface:\n  static Real x; static Real y; static Real v;\n"
        "  static Integer n; static Integer m;\n"
        "implementation:\n  der(x = x, start << 1) = -0.001*x;\n"
        "  v = der(x = y, start << 1);\n  der(x = v, start << 0) = -y;\n"
        "  when sin(10*time) + 0*x > 0.9 then n << pre(n) + 1; end when;\n"
        "  when y > 0.99 then m << pre(m) + 1; end when;\nend M;\n";
    (void)state;
    for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
        SolOptions options = {
            .stop = 62, .steps = 500, .solver = (SolSolver)solver, .cache = "off"};
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 62), SOL_OK);
        assert_true(sim_lab_value(lab, "n") == 99);
        assert_true(sim_lab_value(lab, "m") == 10);
        sim_lab_close(lab);
    }
}

/* The relay drives x to 0 from both sides: named, not endless. */
/* `hump` is positive for 0.9 < s < 1.1, driven by a state, within one look of 4: nobody would notice, but at the
 * event of `half` it shows, and its own is the first. */
static void a_hump_that_another_event_shows(void **state)
{
    (void)state;
    static const char text[] =
        "model Hump\n"
        "interface: static Real s; static Real hump; static Real rose; static Real half;\n"
        "implementation:\n"
        "  der(x = s, start << 0) = 1;\n"
        "  hump = 0.01 - (s - 1)*(s - 1);\n"
        "  when hump > 0 then rose << time; end;\n"
        "  when s > 1 then half << time; end;\n"
        "end Hump;\n";
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_RODAS};
    for (int i = 0; i < 3; i++) {
        SimLab *lab =
            sim_lab_text(text, &(SolOptions){.stop = 4, .steps = 1, .solver = solvers[i]});
        assert_int_equal(sim_lab_run(lab, 4), SOL_OK);
        assert_true(fabs(sim_lab_value(lab, "rose") - 0.9) < 1e-6);
        assert_true(fabs(sim_lab_value(lab, "half") - 1) < 1e-6);
        assert_int_equal(lab->n_events, 2);
        sim_lab_close(lab);
    }
}

static void sliding_is_named(void **state)
{
    static const char *const slopes[] = {"0.3 - sign(x)", "0.3 - sign(2*x) + 0*floor(x)",
                                         "-1.5 - floor(x)"};
    char text[300];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "model M\ninterface:\n  static Real x;\nimplementation:\n"
                 "  der(x = x, start << 0.51) = %s;\nend M;\n",
                 slopes[i]);
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 9, .cache = "off"});
        assert_int_equal(sim_lab_run(lab, 9), SOL_NUMERICS);
        assert_true(sim_lab_said(lab, "slides"));
        assert_true(lab->n_events < 200);
        sim_lab_close(lab);
    }
}

/* It rests below a speed that is far above rounding: the bounces before are no reason to end. */
static void rest_after_many_bounces(void **state)
{
    static const char text[] =
        "model M\ninterface:\n  static Real h; static Real v; static Boolean flying;\n"
        "implementation:\n  static Real Ve; static Boolean impact;\n"
        "  if initial() then flying << true; end if;\n  v = der(x = h, start << 1);\n"
        "  impact << h < 0 and v < 0 and flying;\n"
        "  when impact then\n    v = -0.7*pre(v);\n    Ve << v;\n"
        "    if -0.7*pre(v) < 1e-9 then flying << false; end if;\n"
        "  else then\n    static Real a;\n    a = der(x = v, start << Ve);\n"
        "    if flying then a = -9.81; else then v = 0; end if;\n  end when;\nend M;\n";
    (void)state;
    for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
        SolOptions options = {.stop = 3, .rtol = 1e-9, .solver = (SolSolver)solver, .cache = "off"};
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
        assert_true(lab->n_events > 40 && fabs(sim_lab_value(lab, "h")) < 1e-6);
        assert_true(sim_lab_value(lab, "flying") == 0);
        sim_lab_close(lab);
    }
}

/* Two conditions take turns, in updates of their own: both are named. */
static void a_cycle_is_named_as_a_whole(void **state)
{
    static const char text[] = "model M\ninterface:\n  static Integer a; static Integer b; static "
                               "Integer c;\nimplementation:\n"
                               "  when time > 1 and a == b then a << pre(a) + 1; end when;\n"
                               "  when a > b then b << pre(b) + 1; end when;\n"
                               "  when b < 0 then c << 1; end when;\nend M;\n";
    (void)state;
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 3, .max_updates = 200, .cache = "off"});
    assert_int_equal(sim_lab_run(lab, 3), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "firing: time > 1 and a == b"));
    assert_true(sim_lab_said(lab, "firing: a > b") && !sim_lab_said(lab, "b < 0"));
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trial_points_beyond_a_boundary),
        cmocka_unit_test(no_value_at_all),
        cmocka_unit_test(quick_switching_is_no_chattering),
        cmocka_unit_test(sines_of_the_clock),
        cmocka_unit_test(crossings_of_the_clock),
        cmocka_unit_test(times_one_ulp_apart),
        cmocka_unit_test(a_comparison_that_cannot_matter),
        cmocka_unit_test(steps_are_not_bounded_by_output),
        cmocka_unit_test(crossings_inside_long_steps),
        cmocka_unit_test(a_hump_that_another_event_shows),
        cmocka_unit_test(sliding_is_named),
        cmocka_unit_test(rest_after_many_bounces),
        cmocka_unit_test(a_cycle_is_named_as_a_whole),
    };
    return cmocka_run_group_tests_name("location of events", tests, NULL, NULL);
}
