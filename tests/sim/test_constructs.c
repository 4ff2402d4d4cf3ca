/* test_constructs.c: what users of other languages expect (noEvent, sample, terminate, start, pre in relations that last,
 * functions) -> values, against closed forms. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static SimLab *run_by(const char *text, double stop, double rtol, SolSolver solver)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .rtol = rtol, .solver = solver});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    return lab;
}

static SimLab *run(const char *text, double stop)
{
    return run_by(text, stop, 1e-10, SOL_SOLVER_IDA);
}

static void is(SimLab *lab, const char *path, double expected)
{
    double value = sim_lab_value(lab, path);
    if (!(fabs(value - expected) <= 1e-7 * (1 + fabs(expected))))
        fail_msg("%s = %.12g, not %.12g", path, value, expected);
}

/* ---- expressions ---- */

static void without_events(void **state)
{
    (void)state;
    static const char text[] =
        "model M\ninterface: static Real x; static Real y; static Real z; static Real w;\n"
        "implementation:\n"
        "  der(x, start << 1) = noEvent(if x > 0.5 then -1 else -0.5);\n"
        "  y = noEvent(if x < 0.2 then sqrt(0.2 - x) else if x <= 0.7 and not (x >= 0.6) then 1 "
        "else "
        "2);\n"
        "  der(z, start << 0) = y; w = noEvent(if time >= 1 then 1/(time - 0.5) else 3);\n"
        "end M;\n";
    SimLab *lab = run_by(text, 2, 1e-8, SOL_SOLVER_IDA);
    assert_int_equal(lab->n_events, 0);
    assert_true(fabs(sim_lab_value(lab, "x") + 0.25) < 1e-6); /* 1 - t, then 0.5 - (t - 0.5)/2 */
    assert_true(fabs(sim_lab_value(lab, "y") - sqrt(0.45)) < 1e-6);
    is(lab, "w", 1 / 1.5);
    /* y: 2 for 0.3 s, 2 for 0.1 s (x in [0.6, 0.7)), 1 until x = 0.2, at 1.1 s, then sqrt(0.5*t)) */
    assert_true(fabs(sim_lab_value(lab, "z") - (0.8 + 0.7 + 2.0 / 3 * pow(0.45, 1.5) / 0.5)) <
                1e-4);
    sim_lab_close(lab);
}

static void passing_through(void **state)
{
    (void)state;
    SimLab *lab = run("model M\ninterface: static Real x; static Real y; static Real T[2];\n"
                      "implementation:\n"
                      "  x = smooth(0, if time > 1 then 2*time - 1 else time);\n"
                      "  y = homotopy(actual = x*x, simplified = x);\n"
                      "  T = noEvent({x, y});\nend M;\n",
                      2);
    assert_int_equal(lab->n_events, 1);
    is(lab, "x", 3);
    is(lab, "y", 9);
    is(lab, "T[2]", 9);
    sim_lab_close(lab);
}

static void sampling(void **state)
{
    (void)state;
    static const char text[] =
        "model Late\ninterface: static Integer n; static Real first;\nimplementation:\n"
        "  when sample(0.5, 1) then n << pre(n) + 1; if pre(n) == 0 then first << time; end; end;\n"
        "end Late;\n"
        "model M\ninterface: parameter Real T << 0.5; static Integer n; static Integer at_once;\n"
        "  static Real last; static Real first;\n"
        "implementation:\n  dynamic Late late;\n"
        "  when sample(start = 0.25, interval = T) then n << pre(n) + 1; last << time; end when;\n"
        "  when sample(0, 10) then at_once << pre(at_once) + 1; end when;\n"
        "  when time > 2.2 then late <- Late{}; end when;\n"
        "  if late? then first << late.first; end if;\nend M;\n";
    for (int solver = SOL_SOLVER_IDA; solver <= SOL_SOLVER_RK; solver++) {
        SimLab *lab = run_by(text, 4, 1e-6, (SolSolver)solver);
        is(lab, "n", 8); /* 0.25, 0.75, .., 3.75 */
        is(lab, "last", 3.75);
        is(lab, "at_once", 1);
        is(lab, "first", 2.5);
        sim_lab_close(lab);
    }
}

static void sample_without_sense(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text("model M\ninterface: static Integer n;\nimplementation:\n"
                               "  when sample(-1e9, 1e-9) then n << 1; end when;\nend M;\n",
                               &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 1), SOL_MODEL);
    assert_true(sim_lab_said(lab, "too many intervals of 1e-09 before time 0"));
    sim_lab_close(lab);
    lab = sim_lab_text("model M\ninterface: static Integer n;\nimplementation:\n"
                       "  when Sample(interval = 1e-20) then n << 1; end when;\nend M;\n",
                       &(SolOptions){.start = 1, .stop = 2});
    assert_int_equal(sim_lab_run(lab, 2), SOL_MODEL);
    assert_true(sim_lab_said(lab, "the interval of Sample is 1e-20: at time 1 that is rounding"));
    sim_lab_close(lab);
}

/* ---- the end ---- */

static void ends_itself(void **state)
{
    (void)state;
    static const char text[] =
        "model M\ninterface: static Real x;\nimplementation:\n"
        "  der(x, start << 1) = -x;\n"
        "  when x < 0.5 then terminate(\"half is gone\"); end when;\nend M;\n";
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER};
    for (int i = 0; i < 3; i++) {
        SimLab *lab = sim_lab_text(
            text, &(SolOptions){.stop = 5, .rtol = 1e-9, .solver = solvers[i], .step = 0.001});
        assert_null(sol_terminated(lab->sim));
        assert_int_equal(sim_lab_run(lab, 5), SOL_OK);
        assert_true(fabs(sol_time(lab->sim) - log(2)) < (i == 2 ? 0.002 : 1e-8));
        assert_string_equal(sol_terminated(lab->sim), "half is gone");
        assert_int_equal(sim_lab_run(lab, 5), SOL_OK);
        assert_true(sol_time(lab->sim) < 0.7);
        sim_lab_close(lab);
    }
    SimLab *lab = run("model M\ninterface: static Real x;\nimplementation:\n  x = time;\n"
                      "  when initial() then terminate(\"at once\"); end when;\nend M;\n",
                      5);
    assert_true(sol_time(lab->sim) == 0);
    sim_lab_close(lab);
}

/* ---- start, pre ---- */

static void starts(void **state)
{
    (void)state;
    SimLab *lab = run(
        "model M\ninterface: parameter Real p << 2;\n"
        "  static Integer n {start << 3}; static Integer seen; static Boolean on {start << true};\n"
        "  static Real x {start << 2*p}; static Real y {start << -1}; static Real z {start << 1};\n"
        "  static Real T[2] {start << {1, 2}}; static Real both {start << 1};\n"
        "implementation:\n"
        "  when time > 1 then n << pre(n) + 1; on << not pre(on); end when;\n"
        "  when initial() then seen << pre(n); end when;\n"
        "  der(x) = 0; y*y = 4; z*z = 4 + 0*time;\n"
        "  for i in 1:2 then der(T[i]) = 1; end for;\n"
        "  der(both, start << 5) = 0;\nend M;\n",
        2);
    is(lab, "n", 4);
    is(lab, "seen", 3);
    is(lab, "on", 0);
    is(lab, "x", 4);
    is(lab, "y", -2);
    is(lab, "z", 2);
    is(lab, "T[2]", 4);
    is(lab, "both", 5);
    sim_lab_close(lab);
}

/* A flip-flop: set above 0.9, reset below -0.9. Counts how often it is set. */
static void latch(void **state)
{
    (void)state;
    SimLab *lab = run("model M\ninterface: static Boolean q; static Boolean r {start << true};\n"
                      "  static Integer n; static Real high;\n"
                      "implementation:\n  Real x; x = sin(time);\n"
                      "  q << x > 0.9 or (pre(q) and not (x < -0.9));\n"
                      "  r << not pre(q) and pre(r);\n"
                      "  when q then n << pre(n) + 1; end when;\n"
                      "  der(high, start << 0) = if q then 1 else 0;\nend M;\n",
                      4 * 3.14159265358979323846);
    double rise = asin(0.9), pi = 3.14159265358979323846;
    is(lab, "n", 2);
    is(lab, "q", 0);
    is(lab, "r", 0);
    is(lab, "high", 2 * (pi + rise - rise));
    sim_lab_close(lab);
}

static void never_agrees(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text("model M\ninterface: static Boolean q;\nimplementation:\n"
                               "  q << not pre(q);\nend M;\n",
                               &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 1), SOL_NUMERICS);
    assert_true(sim_lab_said(lab, "q and its 'pre' never agree"));
    sim_lab_close(lab);
}

/* ---- ranges ---- */

static void leaves_range(const char *text, SolStatus status, double when, const char *message)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 3, .rtol = 1e-10});
    assert_int_equal(sim_lab_run(lab, 3), status);
    if (fabs(sol_time(lab->sim) - when) > 1e-7)
        fail_msg("it ended at %.10g", sol_time(lab->sim));
    if (status != SOL_OK && !sim_lab_said(lab, message))
        fail_msg("not said: %s", message);
    sim_lab_close(lab);
}

static void ranges(void **state)
{
    (void)state;
    leaves_range("model M\ninterface: static Real x {start << 2, min << 0.5};\n"
                 "implementation: der(x) = -1;\nend M;\n",
                 SOL_MODEL, 1.5, "'x' must be at least 0.5");
    leaves_range(
        "model M\ninterface: parameter Real most[2] << {4, 2}; static Real T[2] {max << most};\n"
        "implementation: T = {time, 1.5*time};\nend M;\n",
        SOL_MODEL, 4.0 / 3, "'T' must be at most its 'max'");
    leaves_range(
        "package P\n  define top as 2;\n  define Level as Real {min << -1, max << top + 1};\n"
        "  model M\n  interface: static Level x; static Level y {max << 5};\n"
        "  implementation: x = time; y = 1.5*time;\n  end M;\nend P;\n",
        SOL_OK, 3, "");
    leaves_range("model Part\ninterface: parameter Integer n {min << 1} << 1;\nend Part;\n"
                 "model M\nimplementation: static Part p{n << 0};\nend M;\n",
                 SOL_MODEL, 0, "Part 'p': 'n' must be at least 1 (n = 0)");
}

/* ---- functions ---- */

#define FUNCTIONS                                                                                  \
    "function square(x) return x*x; end square;\n"                                                 \
    "function hypotenuse(a, b) s = square(a) + square(b); return sqrt(s); end hypotenuse;\n"       \
    "function limited(x, m) return if x > m then m else x; end limited;\n"

static void functions(void **state)
{
    (void)state;
    SimLab *lab = run(
        FUNCTIONS
        "model M\ninterface: parameter Real p << hypotenuse(3, 4); static Real y;\n"
        "  static Real slope; static Real x; static Real T[3]; static Real l; static Real curve;\n"
        "implementation:\n"
        "  hypotenuse(y, 2) = 3;\n"
        "  slope = der(hypotenuse(time, 1 + time)); curve = der(slope);\n"
        "  der(x, start << p) = -square(b) ; Real b; b = limited(m = 1, x = time);\n"
        "  T = square({time, 2*time, p}) + 1; l = square(der(x)) + limited(T[1], 3);\nend M;\n",
        2);
    double root = sqrt(2 * 2 + 3 * 3);
    is(lab, "p", 5);
    is(lab, "y", sqrt(5));
    is(lab, "slope", (2 + 3) / root);
    is(lab, "curve", 2 / root - 25 / (root * root * root));
    is(lab, "x", 5 - (1.0 / 3 + 1));
    is(lab, "T[2]", 17);
    is(lab, "T[3]", 26);
    is(lab, "l", 1 + 3);
    sim_lab_close(lab);
}

/* ---- arrays as parameters of arrays ---- */

/* The digits of a number say where each value went: sizes of the instances first, then those of the parameter. */
static void arrays_for_each(void **state)
{
    (void)state;
    SimLab *lab = run(
        "model Cell\ninterface: parameter Real k[3]; parameter Real A[2, 2] << 7; static Real d;\n"
        "  static Real s;\n"
        "implementation: d = 100*k[1] + 10*k[2] + k[3]; s = 10*A[1, 2] + A[2, 1];\nend Cell;\n"
        "model M\ninterface: parameter Real g[2, 3] << {{1, 2, 3}, {4, 5, 6}};\n"
        "  static Real w[2, 2]; static Cell a[2]{k << g};  static Cell b[3]{k << {5, 6, 7}};\n"
        "  static Cell c[2, 2]{k << {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {0, 1, 2}}},\n"
        "                      A << {{1, 2}, {3, 4}}};\n"
        "  static Cell e[2]{k << g, A << {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}};\n"
        "implementation: for i in 1:2 then static Cell q[2]{k << i*g};\n"
        "  w[i, :] = q.d; end for;\nend M;\n",
        1);
    static const struct {
        const char *path;
        double is;
    } all[] = {{"a[1].d", 123},   {"a[2].d", 456},   {"b[1].d", 567},  {"b[3].d", 567},
               {"c[1,2].d", 456}, {"c[2,1].d", 789}, {"c[2,2].d", 12}, {"c[2,1].s", 23},
               {"e[1].s", 23},    {"e[2].s", 67},    {"e[2].d", 456},  {"a[2].s", 77},
               {"w[1,2]", 456},   {"w[2,1]", 246},   {"w[2,2]", 912}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        is(lab, all[i].path, all[i].is);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_events),  cmocka_unit_test(passing_through),
        cmocka_unit_test(sampling),        cmocka_unit_test(sample_without_sense),
        cmocka_unit_test(ends_itself),     cmocka_unit_test(starts),
        cmocka_unit_test(latch),           cmocka_unit_test(never_agrees),
        cmocka_unit_test(ranges),          cmocka_unit_test(functions),
        cmocka_unit_test(arrays_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
