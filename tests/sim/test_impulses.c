/* states that new equations bind: they jump such that momentum, charge and flux are kept, by closed forms. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/random_x.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Expected {
    const char *path;
    double value;
} Expected;

typedef struct Case {
    const char *name, *text;
    Expected is[8];      /* behind the impulse, at time 1 */
    const char *said[4]; /* and nothing else of impulses when the first is NULL */
} Case;

/* Momentum of the locked shafts: (1*0 + 2*3)/3; what the clutch takes: 1/2 * (1*2/3) * 3^2. */
#define SHAFTS(EQUATION)                                                                           \
    "model Shafts\ninterface:\n"                                                                   \
    "  static Real w1; static Real w2; static Real f; static Real E;\n"                            \
    "implementation:\n"                                                                            \
    "  der(x = w1, start << 0) = f;\n"                                                             \
    "  2*der(x = w2, start << 3) = -f;\n"                                                          \
    "  der(x = E) = f*(w2 - w1);\n"                                                                \
    "  if time > 0.5 then " EQUATION "; else then f = 0; end if;\n"                                \
    "end Shafts;\n"

/* Masses 1, 2 and 3, and two constraints that come in one event. */
#define MASSES(F1, F2, F3, FIRST, SECOND, E)                                                       \
    "model Masses\ninterface:\n"                                                                   \
    "  static Real x1; static Real x2; static Real x3; static Real f1; static Real f2;\n"          \
    "  static Real E;\n"                                                                           \
    "implementation:\n"                                                                            \
    "  der(x = x1, start << 1) = " F1 ";\n  2*der(x = x2, start << 3) = " F2 ";\n"                 \
    "  3*der(x = x3, start << 5) = " F3 ";\n  " E ";\n"                                            \
    "  if time > 0.5 then " FIRST "; " SECOND "; else then f1 = 0; f2 = 0; end if;\n"              \
    "end Masses;\n"

/* Circuits of two parts and a switch between their pins and the ground. */
#define CIRCUIT(PARTS, WIRES)                                                                      \
    "model Circuit\ninterface:\n" PARTS "  static Electric.Sources.Ground G;\n"                    \
    "implementation:\n" WIRES "end Circuit;\n"
#define WIRE(A, B) "  connection{a << " A ", b << " B "};\n"

static const Case cases[] = {
    {"shafts, w1 = w2",
     SHAFTS("w1 = w2"),
     {{"w1", 2}, {"w2", 2}, {"E", 3}},
     {"w1 jumps from 0 to 2", "w2 jumps from 3 to 2", "the impulse of f is 2"}},
    {"shafts, w2 = w1",
     SHAFTS("w2 = w1"),
     {{"w1", 2}, {"w2", 2}, {"E", 3}},
     {"w1 jumps from 0 to 2", "w2 jumps from 3 to 2", "the impulse of f is 2"}},
    {"shafts, 0 = w1 - w2", SHAFTS("0 = 3*w1 - 3*w2"), {{"w1", 2}, {"w2", 2}, {"E", 3}}, {"jumps"}},
    /* charge (2*5 + 3*1)/5, flux (2*4 + 6*1)/8 */
    {"capacitors",
     CIRCUIT("  static Electric.Basic.Capacitor C1{C << 2, u_start << 5};\n"
             "  static Electric.Basic.Capacitor C2{C << 3, u_start << 1};\n"
             "  static Electric.Switches.Switch S; static Real E;\n",
             WIRE("C1.p", "S.p") WIRE("C2.p", "S.n") WIRE("C1.n", "G.p")
                 WIRE("C2.n", "G.p") "  S.command << time > 0.5;\n  der(x = E) = S.u*S.i;\n"),
     {{"C1.u", 2.6}, {"C2.u", 2.6}, {"E", 9.6}},
     {"C1.u jumps from 5 to 2.6", "C2.u jumps from 1 to 2.6"}},
    {"coils",
     CIRCUIT("  static Electric.Basic.Inductor L1{L << 2, i_start << 4};\n"
             "  static Electric.Basic.Inductor L2{L << 6, i_start << 1};\n"
             "  static Electric.Switches.ImpulsiveSwitch S;\n",
             WIRE("L1.p", "G.p") WIRE("L1.n", "L2.p") WIRE("L1.n", "S.p") WIRE("L2.n", "G.p")
                 WIRE("S.n", "G.p") "  S.command << time < 0.5;\n"),
     {{"L1.i", 1.75}, {"L2.i", 1.75}},
     {"L1.i jumps from 4 to 1.75"}},
    /* A resistor lets no impulse through: the third capacitor stays, 1e-12 s behind the impulse. */
    {"behind a resistor",
     CIRCUIT("  static Electric.Basic.Capacitor C1{C << 2, u_start << 5};\n"
             "  static Electric.Basic.Capacitor C2{C << 3, u_start << 1};\n"
             "  static Electric.Basic.Capacitor C3{C << 1, u_start << 5};\n"
             "  static Electric.Basic.Resistor R{R << 2};\n"
             "  static Electric.Switches.Switch S; static Real Q;\n",
             WIRE("C1.p", "S.p") WIRE("C2.p", "S.n") WIRE("C1.n", "G.p") WIRE("C2.n", "G.p")
                 WIRE("S.p", "R.p") WIRE("R.n", "C3.p") WIRE(
                     "C3.n",
                     "G.p") "  S.command << time > 1 - 1e-12;\n  Q = 2*C1.u + 3*C2.u + C3.u;\n"),
     {{"C1.u", 2.6}, {"C3.u", 5}, {"Q", 18}},
     {"C1.u jumps from 5 to 2.6"}},
    /* w2 leaves w1 and joins w3 at once: it was no state before, and is none behind it. */
    {"changes sides",
     "model Sides\ninterface:\n"
     "  static Real w1; static Real w2; static Real w3; static Real f; static Real g;\n"
     "implementation:\n"
     "  der(x = w1, start << 4) = f;\n  2*der(x = w2) = g - f;\n  3*der(x = w3, start << 1) = -g;\n"
     "  if time > 0.5 then f = 0; w2 = w3; else then g = 0; w2 = w1; end if;\n"
     "end Sides;\n",
     {{"w1", 4}, {"w2", 2.2}, {"w3", 2.2}},
     {"w3 jumps from 1 to 2.2"}},
    /* What is held multiplies: J1 w1 + k J2 w2 is kept, with w2 = k w1: (1 + 2 k^2) w1. */
    {"gear",
     "model Gear\ninterface:\n"
     "  static Real w1; static Real w2; static Real f; static Real k;\n"
     "implementation:\n"
     "  der(x = w1, start << 9) = -k*f;\n  2*der(x = w2) = f;\n  w2 = k*w1;\n"
     "  if initial() then k << 1; end if;\n"
     "  when time > 0.5 then k << 2; end when;\n"
     "end Gear;\n",
     {{"w1", 5}, {"w2", 10}},
     {"w1 jumps from 9 to 5"}},
    /* A mass that meets a rod: what points along it is taken away, 5*(0.6*1) = 3 is the impulse in it; f is per length. */
    {"rod",
     "model Rod\ninterface:\n"
     "  static Real x; static Real y; static Real vx; static Real vy; static Real f;\n"
     "  static Real ax; static Real ay;\n"
     "implementation:\n"
     "  der(x = x, start << 2) = vx;\n  der(x = y, start << 4) = vy;\n"
     "  ax = der(x = vx, start << 1);\n  ay = der(x = vy, start << 0);\n"
     "  5*ax = -f*x;\n  5*ay = -f*y;\n"
     "  static Boolean held;\n  when time >= 1 then held << true; end when;\n"
     "  if held then x*x + y*y = 25; else then f = 0; end if;\n"
     "end Rod;\n",
     {{"x", 3}, {"y", 4}, {"vx", 0.64}, {"vy", -0.48}},
     {"vx jumps from 1 to 0.64", "vy jumps from 0 to -0.48", "the impulse of f is 0.6"}},
    /* Charge u + u^3 of the first, 2 u of the second, 2 + 8 + 2*1 = 12: u + u^3 + 2 u = 12. */
    {"nonlinear capacitor",
     "model Varactor\ninterface:\n"
     "  static Real u; static Real v; static Real i; static Real rest;\n"
     "implementation:\n"
     "  (1 + 3*u*u)*der(x = u, start << 2) = i;\n  2*der(x = v, start << 1) = -i;\n"
     "  if time > 0.5 then u = v; else then i = 0; end if;\n"
     "  rest = u + u*u*u + 2*v;\n"
     "end Varactor;\n",
     {{"rest", 12}},
     {"u jumps from 2"}},
    /* Over x1 and x2 both say the same, so that they bind x3: x1 = x2 = (1*1 + 2*3)/3, x3 = 0. Outputs alone need x1 and x2. */
    {"bound through a factor",
     MASSES("2*f1 - 2*f2", "2*f2 - 2*f1", "-1.5*f2", "2*x1 = 2*x2", "2*x2 - 2*x1 = 1.5*x3",
            "E = x1 + x2"),
     {{"x1", 7 / 3.}, {"x2", 7 / 3.}, {"x3", 0}, {"E", 14 / 3.}},
     {"x3 jumps from 5 to 0", "the impulse of f2 is 10"}},
    /* The same where states depend on x1 and x2, with factors that are not exact: 0.3/0.1 is not 3. E is 4*0.5 and 14/3*0.5. */
    {"bound through tenths",
     MASSES("0.1*f1 + 0.3*f2", "-0.1*f1 - 0.3*f2", "-0.7*f2", "0.1*x1 = 0.1*x2",
            "0.3*x1 - 0.3*x2 = 0.7*x3", "der(x = E) = x1 + x2"),
     {{"x1", 7 / 3.}, {"x2", 7 / 3.}, {"x3", 0}, {"E", 13 / 3.}},
     {"x3 jumps from 5 to 0"}},
    /* Up to rounding both say x1 = x2 + 1: 3 x2 + 1 = 7. */
    {"agree in tenths",
     MASSES("0.1*f1 + 0.3*f2", "-0.1*f1 - 0.3*f2", "0", "0.1*x1 = 0.1*x2 + 0.1",
            "0.3*x1 = 0.3*x2 + 0.3", "E = x1 - x2"),
     {{"x1", 3}, {"x2", 2}, {"x3", 5}, {"E", 1}},
     {"x1 jumps from 1 to 3"}},
    /* A factor that an event changes does it, too: with k = 2 x1 + 2 x2 is kept, before it is 0.75 + 2*1.5. */
    {"bound from now on",
     "model Held\ninterface:\n"
     "  static Real x1; static Real x2; static Real x3 {stateSelect << \"prefer\"};\n"
     "  static Real k {start << 1}; static Real f1; static Real f2;\n"
     "implementation:\n"
     "  der(x = x1) = 2*f1 - 2*f2;\n  2*der(x = x2) = 2*f2 - k*f1;\n"
     "  3*der(x = x3, start << 1) = -1.5*f2;\n"
     "  2*x1 = k*x2;\n  2*x2 - 2*x1 = 1.5*x3;\n"
     "  when time > 0.5 then k << 2; end when;\n"
     "end Held;\n",
     {{"x1", 1.25}, {"x2", 1.25}, {"x3", 0}},
     {"x3 jumps from 1 to 0"}},
    {"stopped",
     "model Stopped\ninterface:\n"
     "  static Real v; static Real f;\n"
     "implementation:\n"
     "  4*der(x = v, start << 3) = f;\n"
     "  if time > 0.5 then v = 0; else then f = 0; end if;\n"
     "end Stopped;\n",
     {{"v", 0}, {"f", 0}},
     {"v jumps from 3 to 0", "the impulse of f is -12"}},
};

static SimLab *run(const char *text, SolSolver solver, SolEngine engine, double time,
                   SolStatus want)
{
    SolOptions options = {.stop = 2,
                          .rtol = 1e-10,
                          .atol = 1e-12,
                          .solver = solver,
                          .step = solver == SOL_SOLVER_EULER ? 1.0 / 64 : 0,
                          .engine = engine};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, time), want);
    return lab;
}

static void check(const Case *c, SimLab *lab)
{
    for (int i = 0; i < 8 && c->is[i].path; i++) {
        double value = sim_lab_value(lab, c->is[i].path), want = c->is[i].value;
        if (!(fabs(value - want) <= 1e-12 * (1 + fabs(want))))
            fail_msg("%s: %s = %.16g, not %.16g", c->name, c->is[i].path, value, want);
    }
    for (int i = 0; i < 4 && c->said[i]; i++)
        if (!sim_lab_said(lab, c->said[i]))
            fail_msg("%s: nobody said '%s'", c->name, c->said[i]);
}

static void is_kept(void **state)
{
    const Case *c = *state;
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER};
    uint64_t hash[2];
    for (int i = 0; i < 3; i++)
        for (int engine = 0; engine < 2; engine++) {
            SimLab *lab =
                run(c->text, solvers[i], engine ? SOL_ENGINE_INTERP : SOL_ENGINE_JIT, 1, SOL_OK);
            check(c, lab);
            hash[engine] = lab->hash;
            if (engine)
                assert_int_equal(hash[0], hash[1]);
            sim_lab_close(lab);
        }
}

/* A position cannot jump while its speed is finite. */
static void positions_do_not_jump(void **state)
{
    (void)state;
    SimLab *lab =
        run("model Angles\ninterface:\n"
            "  static Real p1; static Real p2; static Real w1; static Real w2; static Real f;\n"
            "implementation:\n"
            "  der(x = p1, start << 1) = w1;\n  der(x = p2, start << 2) = w2;\n"
            "  der(x = w1) = f;\n  der(x = w2) = -f;\n"
            "  if time > 0.5 then p1 = p2; else then f = 0; end if;\n"
            "end Angles;\n",
            SOL_SOLVER_IDA, SOL_ENGINE_JIT, 1, SOL_MODEL);
    assert_true(sim_lab_said(lab, "no impulse can do that"));
    sim_lab_close(lab);
}

/* Equations that differ by more than rounding have no solution, whatever their factors. */
static void contradictions_are_refused(void **state)
{
    (void)state;
    static const char *const text[] = {
        MASSES("f1 + 1.5*f2", "-f1 - 1.5*f2", "0", "x1 = x2", "1.5*x1 - 1.5*x2 = 1", "E = x1"),
        MASSES("0.1*f1 + 0.3*f2", "-0.1*f1 - 0.3*f2", "0", "0.1*x1 = 0.1*x2 + 0.1",
               "0.3*x1 = 0.3*x2 + 0.3000001", "der(x = E) = x1"),
    };
    for (int i = 0; i < 2; i++) {
        SimLab *lab = run(text[i], SOL_SOLVER_IDA, SOL_ENGINE_JIT, 1, SOL_MODEL);
        assert_true(sim_lab_said(lab, "2 equations contradict each other"));
        sim_lab_close(lab);
    }
}

/* A clutch that locks again and again is told of once; what it does is right each time. */
static void is_told_once(void **state)
{
    (void)state;
    SimLab *lab = run("model Again\ninterface:\n"
                      "  static Real w1; static Real w2; static Real f; static Boolean locked;\n"
                      "implementation:\n"
                      "  locked << mod(time, 0.5) > 0.25;\n"
                      "  der(x = w1, start << 0) = f;\n  2*der(x = w2, start << 3) = -f + 3;\n"
                      "  if locked then w1 = w2; else then f = 0; end if;\n"
                      "end Again;\n",
                      SOL_SOLVER_RK, SOL_ENGINE_JIT, 1.9, SOL_OK);
    /* 3 N m over time is all that changes the momentum 6 */
    double momentum = sim_lab_value(lab, "w1") + 2 * sim_lab_value(lab, "w2");
    assert_true(fabs(momentum - (6 + 3 * 1.9)) < 1e-9);
    assert_int_equal(sol_warning_count(lab->model), 1);
    sim_lab_close(lab);
}

/* Doses of four instances are set to 0, two of them in one event: both of these are told, no later ones. */
static void is_told_of_one_declaration_once(void **state)
{
    (void)state;
    SimLab *lab = run("model Dose\ninterface:\n"
                      "  parameter Real until; static Real dose;\nimplementation:\n"
                      "  if time < until then der(dose, start << 0) = 1; else then dose = 0; end;\n"
                      "end Dose;\n"
                      "model Doses\ninterface:\n"
                      "  static Dose d[4]{until << {0.5, 0.5, 1, 1.5}};\n"
                      "end Doses;\n",
                      SOL_SOLVER_RK, SOL_ENGINE_JIT, 1.9, SOL_OK);
    assert_true(sim_lab_said(lab, "the state d[1].dose jumps from 0.5 to 0"));
    assert_true(sim_lab_said(lab, "the state d[2].dose jumps from 0.5 to 0"));
    assert_int_equal(sol_warning_count(lab->model), 2);
    sim_lab_close(lab);
}

/* ---- masses and constraints that are drawn ---- */

enum { MOST = 6 };

typedef struct Drawn {
    uint32_t n, k; /* masses, constraints */
    double m[MOST], x[MOST], g[MOST][MOST];
} Drawn;

static double draw(Rng *rng, double low, double high)
{
    return low + (high - low) * (rng_below(rng, 1000001) / 1e6);
}

static Drawn draw_system(Rng *rng)
{
    Drawn d = {.n = 2 + rng_below(rng, MOST - 1)};
    d.k = 1 + rng_below(rng, d.n - 1);
    for (uint32_t i = 0; i < d.n; i++) {
        d.m[i] = draw(rng, 0.5, 5);
        d.x[i] = draw(rng, -3, 3);
    }
    for (uint32_t r = 0; r < d.k; r++)
        for (uint32_t i = 0; i < d.n; i++) {
            bool whole = rng_below(rng, 2), there = rng_below(rng, 3) || i == r;
            double g = whole ? (double)rng_below(rng, 5) - 2 : draw(rng, -2, 2);
            d.g[r][i] = there ? g + (i == r ? 4 : 0) : 0;
        }
    return d;
}

static void write_sum(FILE *out, Rng *rng, uint32_t n, const double *factor, const char *name)
{
    uint32_t cut = rng_below(rng, n + 1); /* what stands behind it goes to the other side */
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s(%.17g)*%s%u",
                i == cut ? (i ? " = " : "0 = ")
                : i      ? " + "
                         : "",
                i >= cut ? -factor[i] : factor[i], name, i + 1);
    fprintf(out, "%s;\n", cut >= n ? " = 0" : "");
}

static void write_model(FILE *out, Rng *rng, const Drawn *d)
{
    fputs("model Drawn\ninterface:\n", out);
    for (uint32_t i = 0; i < d->n; i++)
        fprintf(out, "  static Real x%u;\n", i + 1);
    for (uint32_t r = 0; r < d->k; r++)
        fprintf(out, "  static Real f%u;\n", r + 1);
    fputs("implementation:\n", out);
    for (uint32_t i = 0; i < d->n; i++) {
        fprintf(out, "  %.17g*der(x = x%u, start << %.17g)", d->m[i], i + 1, d->x[i]);
        for (uint32_t r = 0; r < d->k; r++)
            fprintf(out, " %s (%.17g)*f%u", r ? "+" : "=", d->g[r][i], r + 1);
        fputs(";\n", out);
    }
    fputs("  if time > 0.5 then\n", out);
    for (uint32_t r = 0; r < d->k; r++) {
        fputs("    ", out);
        write_sum(out, rng, d->n, d->g[r], "x");
    }
    fputs("  else then\n", out);
    for (uint32_t r = 0; r < d->k; r++)
        fprintf(out, "    f%u = 0;\n", r + 1);
    fputs("  end if;\nend Drawn;\n", out);
}

/* Constraints that are, but for one mass, what another one is, some times: there the choice of states matters. */
static void repeat_rows(Rng *rng, Drawn *d)
{
    for (uint32_t r = 1; r < d->k; r++) {
        uint32_t from = rng_below(rng, r), but = rng_below(rng, d->n);
        double times = rng_below(rng, 2) ? draw(rng, 0.5, 2) : 1 - 2 * (double)rng_below(rng, 2);
        if (!rng_below(rng, 2))
            continue;
        for (uint32_t i = 0; i < d->n; i++)
            if (i != but)
                d->g[r][i] = times * d->g[from][i];
    }
}

/* By elimination: G M^-1 G' p = -G x, x+ = x + M^-1 G' p, with digits to spare. False: the constraints hardly differ. */
static bool solve_drawn(const Drawn *d, double *x)
{
    long double a[MOST][MOST + 1] = {{0}};
    for (uint32_t r = 0; r < d->k; r++)
        for (uint32_t i = 0; i < d->n; i++) {
            for (uint32_t c = 0; c < d->k; c++)
                a[r][c] += (long double)d->g[r][i] / d->m[i] * d->g[c][i];
            a[r][d->k] -= (long double)d->g[r][i] * d->x[i];
        }
    for (uint32_t p = 0; p < d->k; p++) {
        if (fabsl(a[p][p]) < 0.1L)
            return false;
        for (uint32_t r = 0; r < d->k; r++)
            for (uint32_t c = d->k + 1; c-- > p && r != p;)
                a[r][c] -= a[r][p] / a[p][p] * a[p][c];
    }
    for (uint32_t i = 0; i < d->n; i++) {
        long double sum = d->x[i];
        for (uint32_t r = 0; r < d->k; r++)
            sum += d->g[r][i] / d->m[i] * (a[r][d->k] / a[r][r]);
        x[i] = (double)sum;
    }
    return true;
}

static void check_drawn(uint64_t seed, bool repeats)
{
    Rng rng = {seed};
    static char text[20000];
    double x[MOST];
    Drawn d = draw_system(&rng);
    if (repeats)
        repeat_rows(&rng, &d);
    FILE *out = fmemopen(text, sizeof text, "w");
    write_model(out, &rng, &d);
    fclose(out);
    if (!solve_drawn(&d, x))
        return;
    SimLab *lab = run(text, SOL_SOLVER_IDA, SOL_ENGINE_INTERP, 1, SOL_OK);
    for (uint32_t i = 0; i < d.n; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%u", i + 1);
        double is = sim_lab_value(lab, name);
        if (!(fabs(is - x[i]) <= 1e-12 * (1 + fabs(x[i]))))
            fail_msg("seed %llu: %s = %.16g, not %.16g\n%s", (unsigned long long)seed, name, is,
                     x[i], text);
    }
    sim_lab_close(lab);
}

static void drawn_systems(void **state)
{
    (void)state;
    check_drawn(27129361, false); /* x1 and x2 say the same in two constraints, which so bind x5 */
    Soak soak = soak_begin("impulses", 60, 0.5);
    while (soak_next(&soak))
        check_drawn(soak.seed, false);
    soak_end(&soak);
}

static void drawn_repetitions(void **state)
{
    (void)state;
    Soak soak = soak_begin("impulses of constraints that repeat others", 60, 0.5);
    while (soak_next(&soak))
        check_drawn(soak.seed, true);
    soak_end(&soak);
}

/* Two clutches lock at one time, whatever says so: three inertias have one speed, and nothing is chosen. */
static void two_locks_at_once(void **state)
{
    static const char *const pairs[][2] = {
        {"time >= 1", "time >= 1"},
        {"time >= 1 and time < 2", "time >= 1 and time < 3"},
        {"x >= 1", "x >= 1"},
        {"x >= 1", "y >= 1"},
        {"x >= 1", "time >= 1"},
        {"floor(time) > 0 and time < 2", "time >= 1"},
        {"sin(time) > 0.5 or l", "sin(time) > 0.5 or l"},
        {"l", "m"},
        {"l", "time >= 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int solver = SOL_SOLVER_AUTO; solver <= SOL_SOLVER_RK; solver++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "model M\ninterface:\n  static Real a; static Real b; static Real c;\n"
                     "  static Real x; static Real y; static Boolean l; static Boolean m;\n"
                     "implementation:\n  static Real s; static Real t; static Integer n;\n"
                     "  der(x = a, start << 1) = s; 2*der(x = b, start << 4) = t - s;\n"
                     "  3*der(x = c, start << -1) = -t;\n"
                     "  der(x = x, start << 0) = 1; der(x = y, start << 0) = 1;\n"
                     "  if %s then a = b; else then s = 0; end if;\n"
                     "  if %s then b = c; else then t = 0; end if;\n"
                     "  when time >= 1 then l << true; end when;\n"
                     "  when x >= 1 then m << true; n << pre(n) + 1; end when;\nend M;\n",
                     pairs[i][0], pairs[i][1]);
            SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 4, .solver = (SolSolver)solver});
            assert_int_equal(sim_lab_run(lab, 4), SOL_OK);
            assert_true(fabs(sim_lab_value(lab, "a") - 1) < 1e-9);
            assert_true(fabs(sim_lab_value(lab, "b") - 1) < 1e-9);
            assert_true(fabs(sim_lab_value(lab, "c") - 1) < 1e-9);
            sim_lab_close(lab);
        }
}

int main(void)
{
    struct CMUnitTest tests[sizeof cases / sizeof *cases + 7];
    uint32_t n = 0;
    for (; n < sizeof cases / sizeof *cases; n++)
        tests[n] = (struct CMUnitTest){cases[n].name, is_kept, NULL, NULL, (void *)&cases[n]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(positions_do_not_jump);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(is_told_once);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(is_told_of_one_declaration_once);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(contradictions_are_refused);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(drawn_systems);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(drawn_repetitions);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(two_locks_at_once);
    return _cmocka_run_group_tests("impulses", tests, n, NULL, NULL);
}
