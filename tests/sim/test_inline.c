/* Inline integration: order of every method across events and changes of structure, published end values, what is
 * iterated and what is not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (within %g)", value, expected, tolerance);
}

static SolOptions inline_options(SolMethod method, double stop, double step)
{
    return (SolOptions){.stop = stop,
                        .steps = 1,
                        .step = step,
                        .max_step = stop,
                        .solver = SOL_SOLVER_INLINE,
                        .method = method};
}

static const SolMethod all[] = {SOL_METHOD_RADAU5,         SOL_METHOD_RADAU3,
                                SOL_METHOD_BDF3,           SOL_METHOD_BDF2,
                                SOL_METHOD_IMPLICIT_EULER, SOL_METHOD_EXPLICIT_EULER};
enum { METHODS = sizeof all / sizeof *all };

/* ---- order ---- */

/* The solution came first. Up to the event x = exp(sin(t)), then, with s since then, x = 1 / (1 - exp(-s) / 2) and
 * z = 1 / (2 exp(s) - 1), a state that was not there before; f = cos(t) throughout. x reaches 2 at asin(log(2)). */
static const char MADE[] =
    "model Made\ninterface: static Real x; static Real z; static Real f;\nimplementation:\n"
    "  static Boolean on; static Real g; static Real slope;\n"
    "  when x > 2 then on << true; end when;\n"
    "  der(x = x, start << 1) = slope;\n"
    "  if on then slope = x - x*x; der(x = z, start << 1) = -x*z;\n"
    "  else then slope = x*cos(x = time); z = 1; end if;\n"
    "  g*g*g = (f + x)*(f + x)*(f + x);\n"
    "  der(x = f, start << 1) = x - g + cos(x = time) - sin(x = time);\n"
    "end Made;\n";

static double made_error(SolMethod method, double step)
{
    SolOptions options = inline_options(method, 2, step);
    double s = 2 - asin(log(2)), error;
    SimLab *lab = sim_lab_text(MADE, &options);
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    assert_true(lab->n_events >= 1);
    error = fabs(sim_lab_value(lab, "x") - 1 / (1 - exp(-s) / 2));
    error = fmax(error, fabs(sim_lab_value(lab, "z") - 1 / (2 * exp(s) - 1)));
    error = fmax(error, fabs(sim_lab_value(lab, "f") - cos(2)));
    sim_lab_close(lab);
    return error;
}

/* The slope of the straight line through the logarithms. */
static double measured_order(SolMethod method, uint32_t coarse, uint32_t fine)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (double steps = coarse; steps <= fine; steps *= 1.17) {
        double step = 2 / floor(steps), x = log(step), y = log(made_error(method, step));
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void test_orders(void **state)
{
    (void)state;
    static const struct {
        double order;
        uint32_t coarse, fine;
    } expected[METHODS] = {{5, 12, 56},  {3, 60, 400},   {3, 100, 800},
                           {2, 60, 600}, {1, 300, 3000}, {1, 300, 3000}};
    for (int i = 0; i < METHODS; i++)
        near_to(measured_order(all[i], expected[i].coarse, expected[i].fine), expected[i].order,
                0.1);
}

/* ---- with error control ---- */

static void test_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        double rtol = i < 4 ? 1e-7 : 1e-5, s = 2 - asin(log(2));
        SolOptions options = inline_options(all[i], 2, 0);
        options.rtol = options.atol = rtol;
        SimLab *lab = sim_lab_text(MADE, &options);
        assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
        near_to(sim_lab_value(lab, "x"), 1 / (1 - exp(-s) / 2), 1000 * rtol);
        near_to(sim_lab_value(lab, "z"), 1 / (2 * exp(s) - 1), 1000 * rtol);
        near_to(sim_lab_value(lab, "f"), cos(2), 1000 * rtol);
        sim_lab_close(lab);
    }
}

/* ---- published ---- */

typedef struct Expected {
    const char *path;
    double value;
} Expected;

static SolStats published(const char *model, SolMethod method, double stop, double rtol,
                          double atol, const Expected *expected)
{
    SolStats stats;
    SolOptions options = inline_options(method, stop, 0);
    options.rtol = rtol;
    options.atol = atol;
    SimLab *lab = sim_lab_open("stiff.sol", model, &options);
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    for (; expected->path; expected++)
        near_to(sim_lab_value(lab, expected->path), expected->value, 1e-5 * fabs(expected->value));
    sol_stats(lab->sim, &stats);
    sim_lab_close(lab);
    return stats;
}

/* Test Set for IVP Solvers. */
/* The derivative is the state itself, as it stands or by way of a copy: x does not stand twice in its discretisation. */
static void test_own_slope(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "model Own\ninterface: static Real x; static Real y;\nimplementation:\n"
        "  der(x, start << 1) = x; y = x;\nend Own;\n",
        "model Copy\ninterface: static Real x; static Real y;\nimplementation:\n"
        "  der(x, start << 1) = y; y = x;\nend Copy;\n"};
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 2; k++) {
            SolOptions options = inline_options(all[i], 2, 0);
            options.rtol = 1e-8;
            SimLab *lab = sim_lab_text(texts[k], &options);
            assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
            near_to(sim_lab_value(lab, "x"), exp(2), 3e-4 * exp(2));
            sim_lab_close(lab);
        }
}

static void test_published(void **state)
{
    (void)state;
    static const Expected robertson[] = {{"a", 0.2083340149701255e-7},
                                         {"b", 0.8333360770334713e-13},
                                         {"c", 0.9999999791665050},
                                         {0}};
    static const Expected amplifier[] = {
        {"C1.p.u", -0.5562145012262709e-2}, {"T1.b.u", 0.3006522471903042e1},
        {"T1.e.u", 0.2849958788608128e1},   {"T2.c.u", 0.4770927631616772e1},
        {"R9.p.u", 0.1236995868091548e1},   {0}};
    static const Expected van_der_pol[] = {
        {"x", 0.1706167732170469e1}, {"v", -0.8928097010248125e-3}, {0}};
    static const Expected car_axis[] = {{"xl", 0.493455784275402809e-1},
                                        {"yr", 0.373911027265361257},
                                        {"vyl", 0.744686658723778553e-2},
                                        {"lam1", -0.473688659084893325e-2},
                                        {0}};
    for (int k = 0; k < 2; k++) {
        published("Robertson", all[k], 1e11, 1e-8, 1e-20, robertson);
        published("Amplifier", all[k], 0.2, 1e-8, 1e-10, amplifier);
        SolStats stats = published("VanDerPol", all[k], 2000, 1e-8, 1e-10, van_der_pol);
        assert_true(stats.time_inline == 2000 && stats.steps < (k ? 20000 : 3500));
    }
    published("CarAxis", SOL_METHOD_RADAU5, 3, 1e-9, 1e-12, car_axis);
}

/* ---- what is iterated ---- */

/* Two filters in series: nothing is. */
static void test_linear_is_not_iterated(void **state)
{
    (void)state;
    static const char text[] = "model Filters\ninterface: static Real x1; static Real x2;\n"
                               "implementation:\n"
                               "  0.5*der(x = x1, start << 0) + x1 = sin(x = 5*time);\n"
                               "  0.3*der(x = x2, start << 0) + x2 = x1;\nend Filters;\n";
    for (int i = 0; i < METHODS; i++) {
        SolStats stats;
        SolOptions options = inline_options(all[i], 3, 0.01);
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
        sol_stats(lab->sim, &stats);
        assert_true(stats.newton_iterations == 0 && stats.jacobians == 0);
        assert_in_range(stats.steps, 300, 301);
        sim_lab_close(lab);
    }
}

/* ---- large loops: sparse factors ---- */

/* Heat in a rod of n pieces, its left end at 1. With u = 1 - T the equations have the modes sin(a*i), a = (2k - 1)*pi/(2n + 1),
 * which decay with 4 n^2 sin(a/2)^2. */
enum { PIECES = 120 };

static double rod_exact(uint32_t i, double time)
{
    double u = 0;
    for (int k = 1; k <= PIECES; k++) {
        double a = (2 * k - 1) * 3.14159265358979324 / (2 * PIECES + 1), one = 0, square = 0;
        for (int j = 1; j <= PIECES; j++) {
            one += sin(a * j);
            square += sin(a * j) * sin(a * j);
        }
        double rate = 4. * PIECES * PIECES * sin(a / 2) * sin(a / 2);
        u += one / square * sin(a * i) * exp(-rate * time);
    }
    return 1 - u;
}

/* Radiation makes it nonlinear: then all pieces are iterated together. */
static const char ROD[] =
    "model Rod\ninterface: parameter Integer n << 120; static Real "
    "T[n];\nimplementation:\n"
    "  der(x = T[1]) = n*n*(1 - 2*T[1] + T[2])%s;\n"
    "  for i in 2:n-1 then der(x = T[i]) = n*n*(T[i-1] - 2*T[i] + T[i+1])%s; end for;\n"
    "  der(x = T[n]) = n*n*(T[n-1] - T[n])%s;\nend Rod;\n";

static void run_rod(const SolOptions *options, bool radiates, double *ends, SolStats *stats)
{
    char text[600];
    const char *term[] = {radiates ? " - T[1]^4" : "", radiates ? " - T[i]^4" : "",
                          radiates ? " - T[n]^4" : ""};
    snprintf(text, sizeof text, ROD, term[0], term[1], term[2]);
    SimLab *lab = sim_lab_text(text, options);
    assert_int_equal(sim_lab_run(lab, options->stop), SOL_OK);
    ends[0] = sim_lab_value(lab, "T[1]");
    ends[1] = sim_lab_value(lab, "T[60]");
    ends[2] = sim_lab_value(lab, "T[120]");
    sol_stats(lab->sim, stats);
    sim_lab_close(lab);
}

static void test_large_loops(void **state)
{
    (void)state;
    static const uint32_t at[] = {1, 60, 120};
    double ends[3], others[3];
    SolStats stats;
    for (int i = 0; i < 5; i++) {
        SolOptions options = inline_options(all[i], 0.1, 0);
        options.rtol = options.atol = i < 4 ? 1e-7 : 1e-5;
        run_rod(&options, false, ends, &stats);
        assert_int_equal(stats.newton_iterations, 0);
        for (int k = 0; k < 3; k++)
            near_to(ends[k], rod_exact(at[k], 0.1), i < 4 ? 1e-5 : 1e-2);
        run_rod(&options, true, ends, &stats);
        options.solver = SOL_SOLVER_IDA;
        options.method = SOL_METHOD_RADAU5; /* unless told */
        options.rtol = options.atol = 1e-9;
        run_rod(&options, true, others, &stats);
        for (int k = 0; k < 3; k++)
            near_to(ends[k], others[k], i < 4 ? 1e-5 : 1e-2);
    }
}

/* ---- many events ---- */

/* x follows g, which is 1 and 0 in turn for 5 ms each, at once; y follows x slowly. */
enum { STIFFNESS = 100000, HALVES = 200 };
static const char TOGGLED[] =
    "model Toggled\nimplementation:\n  static Real x; static Real y; static Boolean on;\n"
    "  on << mod(100*time, 1) < 0.5;\n"
    "  static Real v;\n  der(x = x, start << 0) = v;\n"
    "  if on then v = 100000*(1 - x); else then v = -100000*x; end if;\n"
    "  der(x = y, start << 0) = x - y;\nend Toggled;\n";

/* Both equations are linear: what HALVES halves of a period make of x and y. */
static void toggled_exact(double *x, double *y)
{
    const double k = STIFFNESS, h = 0.005;
    *x = *y = 0;
    for (int i = 0; i < HALVES; i++) {
        double g = i % 2 == 0, a = (*x - g) / (1 - k);
        *y = g + a * exp(-k * h) + (*y - g - a) * exp(-h);
        *x = g + (*x - g) * exp(-k * h);
    }
}

static void test_events_of_a_stiff_part(void **state)
{
    (void)state;
    double x, y;
    SolStats stats[2];
    toggled_exact(&x, &y);
    for (int k = 0; k < 2; k++) {
        SolOptions options = inline_options(SOL_METHOD_RADAU5, 1, 0);
        options.rtol = 1e-7;
        if (k)
            options.solver = SOL_SOLVER_IDA;
        SimLab *lab = sim_lab_text(TOGGLED, &options);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        near_to(sim_lab_value(lab, "y"), y, 1e-6);
        near_to(sim_lab_value(lab, "x"), x, 1e-6);
        sol_stats(lab->sim, &stats[k]);
        sim_lab_close(lab);
    }
    assert_true(1.5 * stats[0].steps < stats[1].steps); /* no start-up behind an event */
}

/* ---- modes that return ---- */

/* What limits y comes and goes with x; a rod of 60 pieces that radiate hangs on it: their factors are sparse. */
static const char LIMITED[] =
    "model Limited\ninterface: parameter Integer n << 60; static Real T[n]; static Real x;\n"
    "implementation:\n"
    "  static Real y; static Real g;\n"
    "  der(x = x, start << 0.2) = -sin(x = 5*time);\n"
    "  if x > 0.1 then y = 0.1; else if x < -0.1 then y = -0.1; else then y = x; end if;\n"
    "  g*g*g + g = y;\n"
    "  der(x = T[1]) = 1000*(g - 2*T[1] + T[2]) - T[1]^4;\n"
    "  for i in 2:n-1 then der(x = T[i]) = 1000*(T[i-1] - 2*T[i] + T[i+1]) - T[i]^4; end for;\n"
    "  der(x = T[n]) = 1000*(T[n-1] - T[n]) - T[n]^4;\n"
    "end Limited;\n";

/* Their plan is put back: the bits are those of one that is made anew. */
static void test_modes_return(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * METHODS - 2; i++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            SolOptions options = inline_options(all[i / 2], 4, i % 2 ? 0 : 0.013);
            options.steps = 40;
            options.rtol = i / 2 < 4 ? 1e-5 : 1e-3;
            options.jit_wait = true;
            options.cache = "off";
            options.forget_modes = k;
            SolStats stats;
            SimLab *lab = sim_lab_text(LIMITED, &options);
            assert_int_equal(sim_lab_run(lab, 4), SOL_OK);
            sol_stats(lab->sim, &stats);
            assert_true(lab->n_events >= 10);
            if (k)
                assert_int_equal(stats.modes_returned, 0);
            else
                assert_true(stats.modes_returned + 4 >= lab->n_events);
            hash[k] = lab->hash;
            sim_lab_close(lab);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* x and y are one variable, of which x - y = z says nothing then: the schedule, in which they are two, cannot say what
 * determines what. And a wish to tear comes and goes with a branch. */
static void test_other_causalities(void **state)
{
    (void)state;
    static const char text[] =
        "model Doubled\ninterface: static Real s; static Real x; static Real y; static Real z;\n"
        "  static Real p; static Real q;\nimplementation:\n"
        "  static Boolean on;\n"
        "  x = y; x - y = z; x + z = 1 + s;\n"
        "  der(x = s, start << 0) = -y;\n"
        "  when time > 0.5 then on << true; else when time > 1 then on << false; end;\n"
        "  q = 0.1*p*p*p + x; p = 0.2*q - p*q;\n"
        "  if on then tearing(x = q); end;\n"
        "end Doubled;\n";
    for (int i = 0; i < METHODS; i++) {
        SolOptions options = inline_options(all[i], 2, 0.001);
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
        near_to(sim_lab_value(lab, "x"), exp(-2), i < METHODS - 2 ? 1e-6 : 1e-3);
        near_to(sim_lab_value(lab, "z"), 0, 1e-12);
        near_to(sim_lab_value(lab, "p"), sim_lab_value(lab, "q") * (0.2 - sim_lab_value(lab, "p")),
                1e-9);
        sim_lab_close(lab);
    }
}

/* More modes than are kept: what was put away first goes, and is made again. */
static void test_many_modes(void **state)
{
    (void)state;
    static const char text[] =
        "model Many\ninterface: parameter Integer n << 7; static Real s;\nimplementation:\n"
        "  static Real u[n]; static Real y[n];\n"
        "  for i in 1:n then\n"
        "    u[i] = sin(x = (1 + 0.37*i)*time + i);\n"
        "    if u[i] > 0.5 then y[i] = 0.5*s; else if u[i] < -0.5 then y[i] = -0.5; else then y[i] "
        "= u[i]; end if;\n"
        "  end for;\n"
        "  der(x = s, start << 0) = sum(y[i] for i in 1:n) - s^3 - 10*s;\nend Many;\n";
    SolStats stats[2];
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        SolOptions options = inline_options(SOL_METHOD_BDF2, 40, 0.02);
        options.steps = 100;
        options.jit_wait = true;
        options.cache = "off";
        options.forget_modes = k;
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 40), SOL_OK);
        sol_stats(lab->sim, &stats[k]);
        hash[k] = lab->hash;
        assert_true(lab->n_events > 400);
        assert_true(stats[0].modes_returned > 0 && lab->n_events > 150 + stats[0].modes_returned);
        sim_lab_close(lab);
    }
    assert_true(hash[0] == hash[1]);
    assert_in_range(stats[0].modes_returned, 100, 170); /* 204 if all were kept */
}

/* ---- what is not evaluated ---- */

/* A constraint whose factors are parameters cannot turn singular on the way: nobody looks whether it did. */
static void test_steps_alone(void **state)
{
    (void)state;
    static const char text[] =
        "model Geared\ninterface: parameter Real ratio << 3; static Real a; static Real b;\n"
        "implementation:\n"
        "  static Real va; static Real vb; static Real t;\n"
        "  va = der(x = a, start << 1); vb = der(x = b);\n"
        "  a = ratio*b;\n"
        "  der(x = va, start << 0) = -sin(x = a) - t; 2*der(x = vb) = ratio*t - b;\n"
        "end Geared;\n";
    SolStats stats;
    SolOptions options = inline_options(SOL_METHOD_IMPLICIT_EULER, 1, 1e-3);
    options.audit = SIM_LAB_UNAUDITED;
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    sol_stats(lab->sim, &stats);
    assert_in_range(stats.steps, 1000, 1001);
    assert_true(stats.residuals < 50);
    sim_lab_close(lab);
}

/* A plant that is not linear in a loop with four filters, which are: where rounding need not be reached the filters are a function of what they
 * read, with the same solution. */
static void test_linear_blocks(void **state)
{
    (void)state;
    static const char text[] =
        "model Loop\ninterface: static Real x; static Real a; static Real d;\nimplementation:\n"
        "  static Real y; static Real b; static Real c;\n"
        "  der(x = x, start << 0.5) = sin(x = d) - x*x*x;\n"
        "  y = tanh(x = 2*x);\n"
        "  0.1*der(x = a, start << 0) = y - a - d;\n"
        "  0.2*der(x = b, start << 0) = a - b + c;\n"
        "  0.1*der(x = c, start << 0) = b - 2*c + d;\n"
        "  0.3*der(x = d, start << 0) = c - d - 0.5*a;\n"
        "end Loop;\n";
    for (int i = 0; i < 5; i++) {
        double end[2][3];
        for (int k = 0; k < 2; k++) {
            SolOptions options = inline_options(all[i], 2, 0.01);
            options.realtime = k ? 1e6 : 0;
            SimLab *lab = sim_lab_text(text, &options);
            assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
            end[k][0] = sim_lab_value(lab, "x");
            end[k][1] = sim_lab_value(lab, "a");
            end[k][2] = sim_lab_value(lab, "d");
            sim_lab_close(lab);
        }
        for (int j = 0; j < 3; j++)
            near_to(end[1][j], end[0][j], 1e-8);
    }
}

/* ---- who looks does not matter ---- */

static void test_output_points(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        double x[2];
        for (int k = 0; k < 2; k++) {
            SolOptions options = inline_options(all[i], 0.7, i % 2 ? 0 : 0.013);
            options.steps = k ? 1000 : 1;
            options.max_step = 1e-2;
            SimLab *lab = sim_lab_text(MADE, &options);
            assert_int_equal(sim_lab_run(lab, 0.7), SOL_OK);
            x[k] = sim_lab_value(lab, "x");
            sim_lab_close(lab);
        }
        assert_true(x[0] == x[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_own_slope),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_linear_is_not_iterated),
        cmocka_unit_test(test_large_loops),
        cmocka_unit_test(test_events_of_a_stiff_part),
        cmocka_unit_test(test_modes_return),
        cmocka_unit_test(test_other_causalities),
        cmocka_unit_test(test_many_modes),
        cmocka_unit_test(test_steps_alone),
        cmocka_unit_test(test_linear_blocks),
        cmocka_unit_test(test_output_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
