/* Forms of a part: the same solution whether constraints are solved for or stay equations of the integrator; how many equations
 * and entries each has; published ends; integrations that go on where the graph selects other states. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.14g instead of %.14g (within %g)", value, expected, tolerance);
}

static SolOptions options_of(SolForm form, double stop, double rtol)
{
    return (SolOptions){
        .stop = stop, .steps = 20, .rtol = rtol, .form = form, .engine = SOL_ENGINE_INTERP};
}

/* The end of a run, and what it cost. */
static SolStats run(SimLab *lab, double stop)
{
    SolStats stats;
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    sol_stats(lab->sim, &stats);
    return stats;
}

/* ---- how many equations ---- */

/* The example of Otter and Elmqvist (18): 21 equations, 3 with partial state selection; here one more for w. */
static void test_reduction(void **state)
{
    (void)state;
    static const SolForm forms[3] = {SOL_FORM_ODE, SOL_FORM_DAE, SOL_FORM_WHOLE};
    static const uint32_t equations[3] = {0, 3 + 1, 21 + 1};
    double x[3][8];
    for (int k = 0; k < 3; k++) {
        SolOptions options = options_of(forms[k], 2, 1e-11);
        options.atol = 1e-13;
        SimLab *lab = sim_lab_open("forms.sol", "Reduction", &options);
        SolStats stats = run(lab, 2);
        assert_int_equal(stats.dae_equations, equations[k]);
        assert_int_equal(stats.dae_parts, k > 0);
        for (int i = 0; i < 8; i++) {
            char name[4] = {'x', (char)('1' + i), '\0'};
            x[k][i] = sim_lab_value(lab, name);
            near_to(x[k][i], x[0][i], 1e-9);
        }
        near_to(x[k][5], (cos(2. / 3) - 4 * sin(1)) / 5, 1e-9);
        sim_lab_close(lab);
    }
}

/* Bodies on revolute joints, each on the tip of the one whose number is half of its own. */
static void write_tree(int n, char *text, size_t size)
{
    size_t at =
        (size_t)snprintf(text, size, "model Tree\ninterface: static Planar.Joints.Fixation F;\n");
    for (int i = 1; i <= n; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "static Planar.Joints.Revolute R%d{phi_start << %d*0.3};\n"
                               "static Planar.Parts.Translation T%d{sx << 0.3, sy << -1};\n"
                               "static Planar.Parts.Body B%d{m << 1 + %d*0.1, I << 0.1};\n",
                               i, i, i, i, i);
    at += (size_t)snprintf(text + at, size - at, "implementation:\n");
    for (int i = 1; i <= n; i++) {
        char on[40] = "F.fa";
        if (i > 1)
            snprintf(on, sizeof on, "T%d.fb", i / 2);
        at += (size_t)snprintf(text + at, size - at,
                               "connection{a << %s, b << R%d.fa};\n"
                               "connection{a << R%d.fb, b << T%d.fa};\n"
                               "connection{a << T%d.fb, b << B%d.fa};\n",
                               on, i, i, i, i, i);
    }
    snprintf(text + at, size - at, "end Tree;\n");
}

static void test_tree(void **state)
{
    (void)state;
    static char text[8000];
    for (int n = 1; n <= 7; n++) {
        double phi[2];
        write_tree(n, text, sizeof text);
        for (int k = 0; k < 2; k++) {
            SolOptions options = options_of(k ? SOL_FORM_DAE : SOL_FORM_ODE, 0.3, 1e-9);
            SimLab *lab = sim_lab_text(text, &options);
            SolStats stats = run(lab, 0.3);
            assert_int_equal(stats.dae_equations, k ? 2 * n : 0);
            assert_int_equal(stats.dae_constraints, 0);
            phi[k] = sim_lab_value(lab, "R1.phi");
            sim_lab_close(lab);
        }
        near_to(phi[1], phi[0], 1e-7);
    }
}

static SolStats run_chain(int n, SolForm form)
{
    char number[12];
    snprintf(number, sizeof number, "%d", n);
    SolSet set = {"n", number};
    SolOptions options = options_of(form, 0.01, 1e-6);
    options.n_sets = 1;
    options.sets = &set;
    options.audit = SIM_LAB_UNAUDITED;
    SimLab *lab = sim_lab_open("forms.sol", "Chain", &options);
    SolStats stats = run(lab, 0.01);
    assert_true(sim_lab_value(lab, "worst") < 1e-9);
    sim_lab_close(lab);
    return stats;
}

/* Entries grow with the length in dae form, with its square in ode form; `auto` takes the smaller matrix. */
static void test_sparsity(void **state)
{
    (void)state;
    uint32_t dae[3], ode[3];
    for (int k = 0; k < 3; k++) {
        dae[k] = run_chain(25 << k, SOL_FORM_DAE).dae_nonzeros;
        ode[k] = run_chain(25 << k, SOL_FORM_ODE).ode_nonzeros;
    }
    printf("chains of 25, 50, 100 links: dae %u %u %u, ode %u %u %u\n", dae[0], dae[1], dae[2],
           ode[0], ode[1], ode[2]);
    assert_int_equal(dae[2] - dae[1], 2 * (dae[1] - dae[0]));
    assert_true(ode[2] > 3.5 * ode[1] && ode[1] > 3.5 * ode[0]);
    assert_int_equal(run_chain(100, SOL_FORM_AUTO).dae_parts, 1);
    assert_int_equal(run_chain(3, SOL_FORM_AUTO).dae_parts, 0);
}

/* ---- published ends ---- */

typedef struct Expected {
    const char *path;
    double value;
} Expected;

static void published(const char *file, const char *model, double stop, const Expected *expected)
{
    static const SolForm forms[] = {SOL_FORM_ODE, SOL_FORM_DAE, SOL_FORM_WHOLE};
    for (int k = 0; k < 3; k++) {
        SolOptions options = options_of(forms[k], stop, 1e-8);
        SimLab *lab = sim_lab_open(file, model, &options);
        assert_int_equal(run(lab, stop).dae_parts, k > 0);
        for (const Expected *e = expected; e->path; e++)
            near_to(sim_lab_value(lab, e->path), e->value, 1e-5 * fabs(e->value));
        sim_lab_close(lab);
    }
}

/* Test Set for IVP Solvers. */
static void test_published(void **state)
{
    (void)state;
    static const Expected squeezer[] = {
        {"beta", 15.81077119629904},    {"theta", -15.75637105984298},
        {"gamma", 0.04082224013073101}, {"phi", -0.5347301163226948},
        {"delta", 0.5244099658805304},  {"omega", 0.5347301163226948},
        {"epsilon", 1.048080741042263}, {0}};
    static const Expected car_axis[] = {{"xl", 0.493455784275402809e-1},
                                        {"yl", 0.496989460230171153},
                                        {"xr", 0.104174252488542151e1},
                                        {"yr", 0.373911027265361257},
                                        {"vxl", -0.770583684040972357e-1},
                                        {"vyl", 0.744686658723778553e-2},
                                        {"vxr", 0.175568157537232222e-1},
                                        {"vyr", 0.770341043779251976},
                                        {"lam1", -0.473688659084893325e-2},
                                        {"lam2", -0.110468033125734368e-2},
                                        {0}};
    published("published/linkages.sol", "SqueezingMechanism", 0.03, squeezer);
    published("stiff.sol", "CarAxis", 3, car_axis);
}

/* ---- a slider crank, begun at dead points too ---- */

/* In its one angle a: the kinetic energy is (r^2 + 3*P^2)/2 times the square of its speed, P how far the piston moves with it. */
static void crank(const double *a, double *slope)
{
    const double r = 0.3, c = cos(a[0]), s = sin(a[0]), q = sqrt(0.64 - r * r * s * s);
    double p = -r * s - r * r * s * c / q;
    double bend =
        -r * c - r * r * (c * c - s * s) / q - r * r * r * r * s * s * c * c / (q * q * q);
    slope[0] = a[1];
    slope[1] = -(3 * p * bend * a[1] * a[1] + 9.81 * r * c) / (r * r + 3 * p * p);
}

/* Runge and Kutta's method. */
static void turn_crank(double *a, double stop)
{
    enum { STEPS = 6000 };
    static const double at[4] = {0, 0.5, 0.5, 1}, by[4] = {1, 2, 2, 1};
    const double h = stop / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double sum[2] = {0}, slope[2] = {0};
        for (int k = 0; k < 4; k++) {
            double there[2] = {a[0] + at[k] * h * slope[0], a[1] + at[k] * h * slope[1]};
            crank(there, slope);
            sum[0] += by[k] * slope[0] * h / 6;
            sum[1] += by[k] * slope[1] * h / 6;
        }
        a[0] += sum[0];
        a[1] += sum[1];
    }
}

static void test_slider_crank(void **state)
{
    (void)state;
    static const SolForm forms[3] = {SOL_FORM_ODE, SOL_FORM_DAE, SOL_FORM_WHOLE};
    for (int i = 0; i < 24; i++) {
        double a[2] = {i / 3 * 3.14159265358979324 / 4, 13};
        char c[30], s[30];
        snprintf(c, sizeof c, "%.17g", round(cos(a[0]) * 1e15) / 1e15);
        snprintf(s, sizeof s, "%.17g", round(sin(a[0]) * 1e15) / 1e15);
        const SolSet sets[2] = {{"c", c}, {"s", s}};
        SolOptions options = options_of(forms[i % 3], 0.6, 1e-8);
        options.n_sets = 2;
        options.sets = sets;
        SimLab *lab = sim_lab_open("forms.sol", "SliderCrank", &options);
        assert_int_equal(run(lab, 0.6).dae_parts, i % 3 > 0);
        turn_crank(a, 0.6);
        double x = 0.3 * cos(a[0]), y = 0.3 * sin(a[0]), q = sqrt(0.64 - y * y);
        near_to(sim_lab_value(lab, "x"), x, 1e-5 * fabs(x));
        near_to(sim_lab_value(lab, "y"), y, 1e-5 * fabs(y));
        near_to(sim_lab_value(lab, "p"), x + q, 1e-5 * (x + q));
        near_to(sim_lab_value(lab, "vp"), -y * a[1] * (1 + x / q), 1e-5 * fabs(y * a[1]));
        sim_lab_close(lab);
    }
}

/* ---- the graph selects other states ---- */

/* It goes round 40 times: no restart, no drift; its energy is 14.69. */
static void test_goes_on(void **state)
{
    (void)state;
    double lost[2];
    for (int k = 0; k < 2; k++) {
        SolOptions options = options_of(k ? SOL_FORM_DAE : SOL_FORM_ODE, 40, 1e-8);
        SimLab *lab = sim_lab_open("mechanics.sol", "Round", &options);
        sim_lab_track(lab, "off");
        SolStats stats = run(lab, 40);
        assert_true(k ? stats.restarts == 1 : stats.restarts > 100);
        assert_true(stats.events_count > 100);
        assert_true(fmax(-lab->least[0], lab->most[0]) < 1e-9);
        lost[k] = fabs(sim_lab_value(lab, "energy") - 14.69);
        sim_lab_close(lab);
    }
    assert_true(lost[0] < 5e-5 && lost[1] < 5e-5);
}

/* ---- events, engines, options ---- */

static void ends_alike(const char *model, double stop, double tolerance, uint32_t n,
                       const char *const *paths)
{
    double end[8];
    for (int k = 0; k < 4; k++) {
        SolOptions options = options_of((SolForm)k, stop, 1e-10);
        SimLab *lab = sim_lab_open("forms.sol", model, &options);
        SolStats stats = run(lab, stop);
        assert_int_equal(stats.time_dae > 0, k == SOL_FORM_DAE || k == SOL_FORM_WHOLE);
        for (uint32_t i = 0; i < n; i++) {
            double value = sim_lab_value(lab, paths[i]);
            end[i] = k ? end[i] : value;
            near_to(value, end[i], tolerance);
        }
        sim_lab_close(lab);
    }
}

static void test_changes(void **state)
{
    (void)state;
    static const char *const strings[] = {"x", "y", "vx", "vy"};
    static const char *const shared[] = {"a", "b", "c", "s"};
    ends_alike("Strings", 2, 1e-7, 4, strings);
    ends_alike("Shared", 3, 1e-7, 4, shared);
}

static void test_engines(void **state)
{
    (void)state;
    static const SolEngine engines[3] = {SOL_ENGINE_INTERP, SOL_ENGINE_JIT, SOL_ENGINE_REBUILD};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        SolOptions options = options_of(SOL_FORM_DAE, 2, 1e-7);
        options.engine = engines[k];
        options.jit_wait = true;
        options.cache = "off";
        SimLab *lab = sim_lab_open("forms.sol", "Strings", &options);
        run(lab, 2);
        hash[k] = lab->hash;
        sim_lab_close(lab);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

/* Who is its own derivative has no highest one: such a part stays in the form that is solved for slopes. */
static void test_own_derivative(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "model Own interface: static Real x; implementation: der(x, start << 1) = x; end Own;",
        "model Two interface: static Real x; static Real y;\n"
        "implementation: der(x, start << 1) = y; der(y, start << 0) = x; end Two;"};
    const double ends[] = {exp(2), cosh(2)};
    for (int i = 0; i < 2; i++) {
        SolOptions options = options_of(SOL_FORM_DAE, 2, 1e-9);
        SimLab *lab = sim_lab_text(texts[i], &options);
        assert_int_equal(run(lab, 2).dae_parts, 0);
        near_to(sim_lab_value(lab, "x"), ends[i], 1e-6);
        sim_lab_close(lab);
    }
}

static void test_wrong_solver(void **state)
{
    (void)state;
    static const char TEXT[] = "model M implementation: static Real x; der(x = x) = 1; end M;";
    SolModel *model =
        sol_load(&(SolLoad){.path = "m.sol", .text = TEXT, .length = sizeof TEXT - 1});
    assert_null(
        sol_create(model, NULL, &(SolOptions){.solver = SOL_SOLVER_RK, .form = SOL_FORM_DAE}));
    assert_int_equal(sol_model_status(model), SOL_USAGE);
    sol_unload(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduction),    cmocka_unit_test(test_tree),
        cmocka_unit_test(test_sparsity),     cmocka_unit_test(test_published),
        cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_changes),      cmocka_unit_test(test_engines),
        cmocka_unit_test(test_wrong_solver), cmocka_unit_test(test_own_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
