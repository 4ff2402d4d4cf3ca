/* test_corners.c: conditions that take turns at one time -> a combination of modes that agrees with
 * its consequences, or an error that names them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"
#include "tests/support/slow.h"

#include <math.h>
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
    assert_true(lab->event[0].updates < 200);
    assert_true(lab->event[0].several); /* a or b: nothing in the model says which */
    assert_true(sim_lab_said(lab, "several combinations of branches agree"));
    assert_true(sim_lab_said(lab, "not a and ya > 0"));
    assert_true(sim_lab_said(lab, "not b and yb > 0"));
    sim_lab_close(lab);
}

/* The same with different limits: a alone agrees. */
static void one_alone_is_not_several(void **state)
{
    (void)state;
    static const char text[] =
        "model Uneven\n"
        "interface:\n"
        "  static Real x; static Real ya; static Real yb; static Real ga; static Real gb;\n"
        "  static Boolean a; static Boolean b;\n"
        "implementation:\n"
        "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
        "  if a then ga = 2; else then ga = 0; end if;\n"
        "  if b then gb = -2; else then gb = 0; end if;\n"
        "  ya = x - 1 - gb;\n"
        "  yb = x - 1 - ga;\n"
        "  when not a and ya > 0 then a << true; else when a and ya < 0 then a << false; end "
        "when;\n"
        "  when not b and yb > 0 then b << true; else when b and yb < 0 then b << false; end "
        "when;\n"
        "end Uneven;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a") == 1 && sim_lab_value(lab, "b") == 0);
    assert_false(lab->event[0].several);
    assert_false(sim_lab_said(lab, "several combinations"));
    sim_lab_close(lab);
}

/* Where both are true, one equation stands there twice: that is no answer, and no error. */
static const char twice[] =
    "model Twice\n"
    "interface:\n"
    "  static Real x; static Real u; static Real w; static Real ga; static Real gb;\n"
    "  static Boolean a; static Boolean b;\n"
    "implementation:\n"
    "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
    "  if a then ga = 2; else then ga = 0; end if;\n"
    "  if b then gb = 2; else then gb = 0; end if;\n"
    "  if a then u + w = 0; else then u = x - 1 - gb; end if;\n"
    "  if b then u + w = 0; else then w = x - 1 - ga; end if;\n"
    "  when not a and u > 0 then a << true; else when a and u < 0 then a << false; end when;\n"
    "  when not b and w > 0 then b << true; else when b and w < 0 then b << false; end when;\n"
    "end Twice;\n";

static void what_cannot_be_solved_is_no_answer(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(twice, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a") + sim_lab_value(lab, "b") == 1);
    double u = sim_lab_value(lab, "u"), w = sim_lab_value(lab, "w");
    assert_true(fabs(u + w) < 1e-12 && fabs(fabs(u) - 1.5) < 1e-6);
    assert_int_equal(sol_message_count(lab->model), 0);
    sim_lab_close(lab);
}

/* The same, where branches declare something, so that variables are born and die with each of them; and where a `when` turns
 * a speed in the same event: it is -6 behind it, however many combinations are tried. */
static const char twice_and_more[] =
    "model More\n"
    "interface:\n"
    "  static Real x; static Real u; static Real w; static Real ga; static Real gb; static Real "
    "v;\n"
    "  static Boolean a; static Boolean b; static Integer turns; static Real kept;\n"
    "implementation:\n"
    "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
    "  if a then static Real la; la = 2; ga = la; else then static Real lz; lz = 0; ga = lz; end "
    "if;\n"
    "  if b then static Real lb; lb = 2; gb = lb; else then gb = 0; end if;\n"
    "  if a then u + w = 0; else then u = x - 1 - gb; end if;\n"
    "  if b then u + w = 0; else then w = x - 1 - ga; end if;\n"
    "  when x > 1 then\n"
    "    v = -2*pre(v); turns << pre(turns) + 1; kept << time;\n"
    "  else then\n"
    "    der(x = v, start << 3) = 0;\n"
    "  end when;\n"
    "  when not a and u > 0 then a << true; else when a and u < 0 then a << false; end when;\n"
    "  when not b and w > 0 then b << true; else when b and w < 0 then b << false; end when;\n"
    "end More;\n";

static void births_and_impulses_are_taken_back(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(twice_and_more, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a") + sim_lab_value(lab, "b") == 1);
    assert_true(sim_lab_value(lab, "v") == -6);
    assert_true(sim_lab_value(lab, "turns") == 1);
    assert_true(fabs(sim_lab_value(lab, "kept") - 1) < 1e-9);
    assert_int_equal(sol_message_count(lab->model), 0);
    sim_lab_close(lab);
}

/* A `reinit` in such an event counts once. */
static const char twice_and_reinit[] =
    "model Reset\n"
    "interface:\n"
    "  static Real x; static Real u; static Real w; static Real ga; static Real gb; static Real "
    "v;\n"
    "  static Boolean a; static Boolean b;\n"
    "implementation:\n"
    "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
    "  der(x = v, start << 3) = 0;\n"
    "  if a then ga = 2; else then ga = 0; end if;\n"
    "  if b then gb = 2; else then gb = 0; end if;\n"
    "  if a then u + w = 0; else then u = x - 1 - gb; end if;\n"
    "  if b then u + w = 0; else then w = x - 1 - ga; end if;\n"
    "  when x > 1 then reinit(v, -2*v); end when;\n"
    "  when not a and u > 0 then a << true; else when a and u < 0 then a << false; end when;\n"
    "  when not b and w > 0 then b << true; else when b and w < 0 then b << false; end when;\n"
    "end Reset;\n";

static void a_reinit_is_taken_back(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(twice_and_reinit, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a") + sim_lab_value(lab, "b") == 1);
    assert_true(sim_lab_value(lab, "v") == -6);
    sim_lab_close(lab);
}

/* `a` finds no rest as long as `c` is false, and nothing makes `c` true: but once it is, both agree. */
static const char helped[] =
    "model Helped\n"
    "interface:\n"
    "  static Real x; static Real y; static Real g; static Real h; static Boolean a; static "
    "Boolean c;\n"
    "implementation:\n"
    "  der(x = x, start << 0.5) = 0.5 + 0*x;\n"
    "  if a then g = 2; else then g = 0; end if;\n"
    "  if c then h = 10; else then h = 0; end if;\n"
    "  y = x - 1 - g + h;\n"
    "  when not a and y > 0 then a << true; else when a and y < 0 then a << false; end when;\n"
    "  when not c and y > 5 then c << true; else when c and y < 5 then c << false; end when;\n"
    "end Helped;\n";

static void what_has_not_fired_is_tried(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(helped, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a") == 1 && sim_lab_value(lab, "c") == 1);
    assert_int_equal(lab->n_events, 1);
    assert_true(lab->event[0].combinations > 2);
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

/* At the peak of the source the current of `d` ends, and the voltage of `q` is 0 and begins to fall
 * with the second derivative alone: whatever rounding makes of it, `q` opens. */
static const char peak[] =
    "model Peak\n"
    "interface:\n"
    "  static Electric.Switches.Diode d;\n"
    "  static Electric.Sources.SineVoltage v{U << 1, f << 25};\n"
    "  static Electric.Basic.Resistor r{R << %g};\n"
    "  static Electric.Basic.Resistor s{R << %g};\n"
    "  static Electric.Sources.Ground g;\n"
    "  static Electric.Basic.Capacitor c{C << %g, u_start << 0};\n"
    "  static Electric.Basic.Capacitor e{C << 1e-5, u_start << 0};\n"
    "  static Electric.Basic.Inductor l{L << 0.01, i_start << 0};\n"
    "  static Electric.Switches.ResistiveDiode q{R_on << 0.001, G_off << %g};\n"
    "  static Real closed_q_i;\n"
    "implementation:\n"
    "  connection{a << v.p, b << d.p}; connection{a << v.p, b << q.p};\n"
    "  connection{a << v.p, b << s.n}; connection{a << v.n, b << g.p};\n"
    "  connection{a << q.n, b << s.p}; connection{a << q.n, b << r.n};\n"
    "  connection{a << r.p, b << d.n}; connection{a << c.p, b << d.n};\n"
    "  connection{a << c.n, b << g.p}; connection{a << e.n, b << v.p};\n"
    "  connection{a << e.p, b << l.p}; connection{a << l.n, b << g.p};\n"
    "  if q.closed then closed_q_i = q.i; else then closed_q_i = 0; end if;\n"
    "end Peak;\n";

static void what_an_event_decided_counts(void **state)
{
    (void)state;
    for (int k = 1; k < (SLOW_BUILD ? 5 : 30); k++) {
        char text[2500];
        snprintf(text, sizeof text, peak, 10 + 0.37 * k, 1.5 + 0.05 * k, (1 + 0.11 * k) * 1e-5,
                 (1 + k) * 1e-6);
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 0.06, .steps = 30, .rtol = 1e-7});
        sim_lab_track(lab, "closed_q_i");
        assert_int_equal(sim_lab_run(lab, 0.06), SOL_OK);
        assert_true(lab->least[0] > -1e-9);
        assert_true(lab->n_events >= 3 && lab->n_events < 30);
        sim_lab_close(lab);
    }
}

/* Behind a large resistance the coil's voltage, which the diode compares, is made of the
 * integrator's errors: it is near 0 and on either side of it. */
static const char still[] = "model Still\n"
                            "interface:\n"
                            "  static Electric.Sources.SineVoltage v{U << 1, f << 25};\n"
                            "  static Electric.Sources.Ground g;\n"
                            "  static Electric.Basic.Resistor r{R << %g};\n"
                            "  static Electric.Basic.Inductor l{L << %g, i_start << 0};\n"
                            "  static Electric.Switches.Diode d;\n"
                            "implementation:\n"
                            "  connection{a << v.p, b << r.p}; connection{a << r.n, b << l.p};\n"
                            "  connection{a << l.p, b << d.n}; connection{a << l.n, b << d.p};\n"
                            "  connection{a << l.n, b << g.p}; connection{a << v.n, b << g.p};\n"
                            "end Still;\n";

static void errors_do_not_chatter(void **state)
{
    (void)state;
    static const SolSolver solvers[] = {SOL_SOLVER_AUTO, SOL_SOLVER_RK, SOL_SOLVER_IDA};
    for (int k = 0; k < 6; k++) {
        char text[1500];
        snprintf(text, sizeof text, still, 1e5 * (1 + 3 * (k % 4)), 0.005 * (1 + k));
        SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 0.03,
                                                       .steps = 15,
                                                       .rtol = 1e-7,
                                                       .atol = 1e-10,
                                                       .solver = solvers[k % 3],
                                                       .max_events = 500});
        sim_lab_track(lab, "d.u");
        assert_int_equal(sim_lab_run(lab, 0.03), SOL_OK);
        assert_true(lab->n_events > 0 && lab->n_events < 100);
        assert_true(lab->most[0] < 1e-3); /* tolerance of the current times resistance: 1e-4 */
        sim_lab_close(lab);
    }
}

/* The diode that closes makes c.u = 0 in a loop of potentials that nobody needs but who looks. */
static const char hidden[] = "model Hidden\n"
                             "interface:\n"
                             "  static Electric.Sources.SineCurrent a{I << 0.05, f << 25};\n"
                             "  static Electric.Sources.SineCurrent b{I << 0.5, f << 50};\n"
                             "  static Electric.Basic.Capacitor c{C << 3e-5, u_start << 0};\n"
                             "  static Electric.Basic.Capacitor e{C << 9e-4, u_start << 0};\n"
                             "  static Electric.Switches.Diode d;\n"
                             "  static Electric.Sources.Ground g;\n"
                             "implementation:\n"
                             "  connection{a << g.p, b << e.n}; connection{a << g.p, b << a.p};\n"
                             "  connection{a << g.p, b << b.n}; connection{a << e.p, b << d.p};\n"
                             "  connection{a << e.p, b << a.n}; connection{a << e.p, b << c.n};\n"
                             "  connection{a << d.n, b << c.p}; connection{a << d.n, b << b.p};\n"
                             "end Hidden;\n";

static void relation_among_outputs_is_found(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(hidden, &(SolOptions){.stop = 0.008, .rtol = 1e-8});
    assert_int_equal(sim_lab_run(lab, 0.008), SOL_OK);
    double pi = acos(-1.0), t = 0.008;
    double charge =
        0.05 / (50 * pi) * (1 - cos(50 * pi * t)) - 0.5 / (100 * pi) * (1 - cos(100 * pi * t));
    assert_true(sim_lab_value(lab, "d.closed") == 1);
    assert_true(fabs(sim_lab_value(lab, "c.u")) < 1e-9);
    assert_true(fabs(sim_lab_value(lab, "e.u") - charge / 9e-4) < 1e-6);
    sim_lab_close(lab);
}

/* Three latches that hold only together: one lets go at once when it is alone, two as well. */
static const char together[] =
    "model Latch\n"
    "interface:\n"
    "  static Real s; static Real unit; static Real own; static Real drive; static Boolean on;\n"
    "  parameter Real level << 0.5;\n"
    "implementation:\n"
    "  if on then own = unit; else then own = 0.01*unit; end if;\n"
    "  when not on and drive > 1 and s < level then on << true;\n"
    "  else when on and s < 2.5 then on << false; end when;\n"
    "end Latch;\n"
    "model Together\n"
    "interface:\n"
    "  static Latch a; static Latch b{level << -1}; static Latch c{level << -1};\n"
    "implementation:\n"
    "  static Real s; static Real unit; static Real drive;\n"
    "  der(x = unit, start << 1) = 0; der(x = drive) = 1;\n"
    "  s = a.own + b.own + c.own;\n"
    "  a.s = s; b.s = s; c.s = s;\n"
    "  a.unit = unit; b.unit = unit; c.unit = unit;\n"
    "  a.drive = drive; b.drive = drive; c.drive = drive;\n"
    "end Together;\n";

static void three_that_hold_only_together(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(together, &(SolOptions){.stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(sim_lab_value(lab, "a.on") == 1 && sim_lab_value(lab, "b.on") == 1 &&
                sim_lab_value(lab, "c.on") == 1);
    assert_int_equal(lab->n_events, 1);
    assert_false(lab->event[0].several);
    sim_lab_close(lab);
}

/* A sample gives the push that makes `a` change to and fro until `c` is tried: it is there again in each attempt. */
static const char sampled[] =
    "model Sampled\n"
    "interface:\n"
    "  static Real x; static Real s; static Real y; static Real g; static Real h;\n"
    "  static Boolean a; static Boolean c;\n"
    "implementation:\n"
    "  der(x = x, start << 0.2) = 0*x;\n"
    "  when Sample(interval = 1) then s << 1.5; end when;\n"
    "  if a then g = 2; else then g = 0; end if;\n"
    "  if c then h = 10; else then h = 0; end if;\n"
    "  y = x + s - 1 - g + h;\n"
    "  when not a and y > 0 then a << true; else when a and y < 0 then a << false; end when;\n"
    "  when not c and y > 5 then c << true; else when c and y < 5 then c << false; end when;\n"
    "end Sampled;\n";

static void a_sample_is_due_in_each_attempt(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(sampled, &(SolOptions){.stop = 1.5});
    assert_int_equal(sim_lab_run(lab, 1.5), SOL_OK);
    assert_true(sim_lab_value(lab, "a") == 1 && sim_lab_value(lab, "c") == 1);
    assert_true(sim_lab_value(lab, "s") == 1.5);
    assert_int_equal(lab->n_events, 1);
    sim_lab_close(lab);
}

/* Explicit steps at the limit of their stability shake the current of an open diode, and its voltage a hundred
 * thousand times as much: it crosses zero to and fro before it rises for good. Then the diode must close. */
static const char shaken[] =
    "model Shaken\n"
    "interface:\n"
    "  static Electric.Basic.Inductor a{L << 0.0138, i_start << 0};\n"
    "  static Electric.Basic.Inductor b{L << 0.01, i_start << -0.43};\n"
    "  static Electric.Basic.Resistor r{R << 2};\n"
    "  static Electric.Switches.ResistiveDiode d{R_on << 0.005, G_off << 1e-5};\n"
    "  static Electric.Sources.SineVoltage v{U << 1, f << 50};\n"
    "  static Electric.Basic.Resistor s{R << 0.0037};\n"
    "implementation:\n"
    "  v.n.u = 0;\n"
    "  connection{a << v.n, b << b.n}; connection{a << s.p, b << v.n};\n"
    "  connection{a << v.p, b << r.n}; connection{a << b.p, b << d.p};\n"
    "  connection{a << a.n, b << b.p}; connection{a << r.p, b << d.n};\n"
    "  connection{a << a.p, b << s.n};\n"
    "end Shaken;\n";

static void what_fell_at_once_fires_again(void **state)
{
    (void)state;
    double stop = 0.06 / 53 * 11;
    SimLab *lab = sim_lab_text(shaken, &(SolOptions){.stop = stop,
                                                     .steps = 11,
                                                     .rtol = 1e-9,
                                                     .atol = 1e-11,
                                                     .solver = SOL_SOLVER_RK,
                                                     .engine = SOL_ENGINE_INTERP});
    sim_lab_track(lab, "d.u");
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    assert_true(sim_lab_value(lab, "d.closed") == 1); /* v.u is negative: it drives through d */
    assert_true(sim_lab_value(lab, "d.i") > 0.01);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_gives_way),
        cmocka_unit_test(none_is_said_so),
        cmocka_unit_test(one_alone_is_not_several),
        cmocka_unit_test(what_cannot_be_solved_is_no_answer),
        cmocka_unit_test(births_and_impulses_are_taken_back),
        cmocka_unit_test(a_reinit_is_taken_back),
        cmocka_unit_test(what_has_not_fired_is_tried),
        cmocka_unit_test(three_that_hold_only_together),
        cmocka_unit_test(a_sample_is_due_in_each_attempt),
        cmocka_unit_test(two_in_series_switch),
        cmocka_unit_test(what_an_event_decided_counts),
        cmocka_unit_test(errors_do_not_chatter),
        cmocka_unit_test(relation_among_outputs_is_found),
        cmocka_unit_test(what_fell_at_once_fires_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
