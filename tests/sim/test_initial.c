/* equations under `if initial()`: where states begin, by closed forms, and drawn systems against an elimination of the test's own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/random_x.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *name, *text;
    double time;
    struct {
        const char *path;
        double value;
    } is[6];
    const char *said; /* of a model that is wrong: its message */
    SolStatus status;
} Case;

#define MODEL(MEMBERS, BODY)                                                                       \
    "model M\ninterface:\n  static Real " MEMBERS ";\nimplementation:\n" BODY "\nend M;\n"

static const Case cases[] = {
    {"a value",
     MODEL("x", "der(x = x) = -x; if initial() then x = 3; end if;"),
     0,
     {{"x", 3}},
     NULL,
     SOL_OK},
    {"it goes on from there",
     MODEL("x", "der(x = x) = -x; if initial() then x = 3; end if;"),
     1,
     {{"x", 1.1036383235143270}},
     NULL,
     SOL_OK},
    {"steady", /* 2*6 = 3 a, a^2 = 4 b */
     MODEL("a; static Real b; static Real u",
           "der(x = a) = 2*u - 3*a; der(x = b) = a*a - 4*b; u = 6;"
           "if initial() then der(x = a) = 0; der(x = b) = 0; end if;"),
     1,
     {{"a", 4}, {"b", 4}},
     NULL,
     SOL_OK},
    {"of what is no state, beside a start value",
     MODEL("x; static Real y; static Real z",
           "der(x = x, start << 1) = -x; der(x = z, start << 7) = -z; y = x*x;"
           "if initial() then y = 4; end if;"),
     0,
     {{"x", 2}, {"y", 4}, {"z", 7}},
     NULL,
     SOL_OK},
    {"begins where it says nothing", /* the derivative of x*x is 0 at 0 */
     MODEL("x", "der(x = x) = -x; if initial() then x*x = 4; end if;"),
     0,
     {{"x", 2}},
     NULL,
     SOL_OK},
    {"hidden constraints hold", /* 3-4-5: x vx + y vy = 0 */
     MODEL("x; static Real y; static Real vx; static Real vy; static Real f",
           "der(x = x) = vx; der(x = y, start << -1) = vy; der(x = vx) = -f*x; der(x = vy) = -f*y "
           "- 10;"
           "x*x + y*y = 1; if initial() then x = 0.6; vx = 0.8; end if;"),
     0,
     {{"x", 0.6}, {"y", -0.8}, {"vx", 0.8}, {"vy", 0.6}, {"f", 9}},
     NULL,
     SOL_OK},
    {"needed as an equation", /* nothing else determines y then */
     MODEL("x; static Real y; static Real z",
           "der(x = x) = y - x; z = x + y;"
           "if initial() then y = 5; z = 7; else then y = 5*time + 5; end if;"),
     0,
     {{"x", 2}, {"y", 5}, {"z", 7}},
     NULL,
     SOL_OK},
    {"needed as an equation, whichever comes first", /* x = 4 alone holds the state */
     MODEL("x; static Real y; static Real z",
           "der(x = x) = y - x; z = x + y; if initial() then y = 3; x = 4; else then y = 5*time + "
           "5; end if;"),
     0,
     {{"x", 4}, {"y", 5}, {"z", 9}},
     NULL,
     SOL_OK},
    {"needed as an equation, through what is no state",
     MODEL("x; static Real y; static Real z",
           "der(x = x) = y - x; z = 2*x; if initial() then x + y = 3; z = 8; else then y = 5; end "
           "if;"),
     0,
     {{"x", 4}, {"y", 5}, {"z", 8}},
     NULL,
     SOL_OK},
    {"what is born later",
     "model Cell\ninterface:\n  parameter Real k << 1;\n  static Real x;\nimplementation:\n"
     "  der(x = x) = 4 - k*x;\n  if initial() then der(x = x) = 0; end if;\nend Cell;\n"
     "model M\ninterface:\n  static Cell c{k << 2};\n  static Real s; static Real "
     "y;\nimplementation:\n"
     "  der(x = s, start << 1) = 1;\n"
     "  if time > 0.5 then static Cell d{k << 5}; y = d.x; else then y = 0; end if;\nend M;\n",
     1,
     {{"c.x", 2}, {"y", 0.8}, {"s", 2}},
     NULL,
     SOL_OK},
    {"a start that is fixed, of no state and of an array",
     MODEL("x {start << 1}; static Real y {start << 9, fixed << true};"
           "static Real z[2] {start << {1, 2}, fixed << true}; static Real w {fixed << true}",
           "der(x = x) = -x; y = x*x; der(x = z[1]) = 1; der(x = z[2]) = z[1]; der(x = w, start << "
           "4) = 1;"),
     0,
     {{"x", 3}, {"y", 9}, {"z[1]", 1}, {"z[2]", 2}, {"w", 0}},
     NULL,
     SOL_OK},
    {"a start that is a first guess only",
     MODEL("x {fixed << false}; static Real y", "der(x = x, start << -5) = -x; der(x = y, start << "
                                                "2) = -y; if initial() then x*x = 16*y; end if;"),
     0,
     {{"x", -5.656854249492380}, {"y", 2}},
     NULL,
     SOL_OK},
    {"what nothing says is told",
     MODEL("x; static Real z; static Real w {start << 5}",
           "der(x = x) = -x; der(x = z) = x; der(x = w) = x; if initial() then x = 3; end if;"),
     0,
     {{"x", 3}, {"z", 0}, {"w", 5}},
     "1 state begins where no condition and no start says so: z = 0",
     SOL_OK},
    {"within its bounds", /* -3 would be nearer */
     MODEL("x {min << 0, start << 0}",
           "der(x = x) = -x; if initial() then (x - 4)*(x + 3) = 0; end if;"),
     0,
     {{"x", 4}},
     NULL,
     SOL_OK},
    {"within the bounds of what is no state", /* y = -2 would be nearer */
     MODEL("x {start << -5, fixed << false}; static Real y {min << 0}",
           "der(x = x) = -x; y = x + 1; if initial() then y*y - y = 6; end if;"),
     0,
     {{"x", 2}, {"y", 3}},
     NULL,
     SOL_OK},
    {"a loop without a solution at the guess", /* exp(y) + y*y is 0.8 at least */
     MODEL("x; static Real y",
           "der(x = x) = -y; exp(y) + y*y = x; if initial() then y = 1; end if;"),
     0,
     {{"x", 3.718281828459045}, {"y", 1}},
     NULL,
     SOL_OK},
    {"a loop without a solution at the guess, and another state",
     MODEL("x; static Real y; static Real z",
           "der(x = x) = -y; exp(y) + y*y = x; der(x = z) = y;"
           "if initial() then z - y = 1; z + y*y*y = 4; end if;"),
     0,
     {{"x", 4.837313013148975}, {"y", 1.21341166276223}, {"z", 2.21341166276223}},
     NULL,
     SOL_OK},
    {"a four-bar linkage by the angle of its rocker",
     MODEL("a {start << 0.5, fixed << false}; static Real w; static Real b; static Real c",
           "der(x = a) = w; der(x = w) = -sin(a);"
           "cos(a) + 3*cos(b) - 2.5*cos(c) - 3 = 0; sin(a) + 3*sin(b) - 2.5*sin(c) = 0;"
           "if initial() then c = 1.5261971991085412; w = 1; end if;"),
     0,
     {{"a", 0.8}, {"b", 0.63525897696783096}, {"w", 1}},
     NULL,
     SOL_OK},
    {"born later, with a loop without a solution at the guess",
     "model Cell\ninterface:\n  static Real x;\nimplementation:\n"
     "  static Real y;\n  der(x = x) = 0; exp(y) + exp(2*y) = x;\n"
     "  if initial() then y = 0; end if;\nend Cell;\n"
     "model M\ninterface:\n  static Real s; static Real y;\nimplementation:\n"
     "  der(x = s, start << 1) = 1;\n"
     "  if time > 0.5 then static Cell d; y = d.x; else then y = 0; end if;\nend M;\n",
     1,
     {{"y", 2}, {"s", 2}},
     NULL,
     SOL_OK},
    {"no value at the guess", /* log(0) */
     MODEL("x", "der(x = x) = -x; if initial() then log(x) = 1; end if;"),
     0,
     {{"x", 2.718281828459045}},
     NULL,
     SOL_OK},
    {"where a line search is stuck", /* a minimum at -1, the solution behind it */
     MODEL("x", "der(x = x) = -x; if initial() then x*x*x - 3*x + 5 = 0; end if;"),
     0,
     {{"x", -2.279018786165931}},
     NULL,
     SOL_OK},
    {"a parameter of parts, and of start values",
     "model Part\ninterface:\n  parameter Real k;\n  static Real x;\nimplementation:\n"
     "  der(x = x) = 1 - k*x;\n  if initial() then der(x = x) = 0; end if;\nend Part;\n"
     "model M\ninterface:\n  parameter Real p {fixed << false, start << 0.5};\n  static Part r{k "
     "<< p*p};\n"
     "  static Real y; static Real w;\nimplementation:\n  y = 3*r.x; der(x = w, start << 10*p) = "
     "0;\n"
     "  if initial() then y = 12; end if;\nend M;\n",
     1,
     {{"p", 0.5}, {"r.k", 0.25}, {"r.x", 4}, {"w", 5}, {"y", 12}},
     NULL,
     SOL_OK},
    {"a parameter that nothing determines",
     MODEL("x; parameter Real p {fixed << false}",
           "der(x = x) = -p; if initial() then x = 1; end if;"),
     0,
     {{0}},
     "no initial condition determines parameter p: it is to be computed (fixed << false)",
     SOL_MODEL},
    {"a parameter beyond what must hold",
     MODEL("x; parameter Real p {fixed << false, max << 1.5 + 0*q}; parameter Real q << 1",
           "der(x = x) = p - x; if initial() then x = 2; der(x = x) = 0; end if;"),
     0,
     {{0}},
     "'p' must be at most its 'max'",
     SOL_MODEL},
    {"a size that would have to be known",
     MODEL("x[n]; parameter Real p {fixed << false}; parameter Integer n << 1 + floor(p)",
           "der(x = x[1]) = p; if initial() then x[1] = p; end if;"),
     0,
     {{0}},
     "this must be known at instantiation, but it depends on a parameter that initial conditions "
     "determine",
     SOL_MODEL},
    {"says the same",
     MODEL("x; static Real z",
           "der(x = x) = -x; der(x = z) = 1; if initial() then x = 3; x + z = 4; z = 1; end if;"),
     0,
     {{"x", 3}, {"z", 1}},
     NULL,
     SOL_OK},
    {"too many",
     MODEL("x; static Real z",
           "der(x = x) = -x; der(x = z) = 1; if initial() then x = 3; x + z = 4; z = 2; end if;"),
     0,
     {{0}},
     "there are too many initial conditions: 'z = 2' is off by -1 when the others hold",
     SOL_MODEL},
    {"cannot be met",
     MODEL("x", "der(x = x) = -x; if initial() then x*x = -1; end if;"),
     0,
     {{0}},
     "the initial conditions cannot be met: 'x*x = -1' is off by 1",
     SOL_NUMERICS},
    {"what is known already",
     MODEL("x; static Real u", "der(x = x) = u; u = 5; if initial() then x = 1; u = 6; end if;"),
     0,
     {{0}},
     "there are too many initial conditions: 'u = 6' is off by -1 when the others hold",
     SOL_MODEL},
    {"what is needed as an equation is named beside the conditions",
     MODEL("x; static Real y", "der(x = x) = -x; if initial() then y = 2*x; y = 3; x = 1; else "
                               "then y = x; end if;"),
     0,
     {{0}},
     "counts as an equation, because something is not determined without it: y = 2*x",
     SOL_MODEL},
};

static void begins(void **state)
{
    const Case *c = *state;
    uint64_t hash[2];
    for (int engine = 0; engine < 2; engine++) {
        SolOptions options = {.stop = 1,
                              .rtol = 1e-11,
                              .atol = 1e-13,
                              .engine = engine ? SOL_ENGINE_INTERP : SOL_ENGINE_JIT};
        SimLab *lab = sim_lab_text(c->text, &options);
        assert_int_equal(sim_lab_run(lab, c->time), c->status);
        for (int i = 0; i < 6 && c->is[i].path; i++) {
            double value = sim_lab_value(lab, c->is[i].path), want = c->is[i].value;
            if (!(fabs(value - want) <= 1e-9 * (1 + fabs(want))))
                fail_msg("%s: %s = %.16g, not %.16g", c->name, c->is[i].path, value, want);
        }
        if (c->said && !sim_lab_said(lab, c->said))
            fail_msg("%s: nobody said '%s'", c->name, c->said);
        hash[engine] = lab->hash;
        sim_lab_close(lab);
    }
    assert_int_equal(hash[0], hash[1]);
}

/* ---- three phases (seed 004): two grids joined by a resistor and a coil in each phase ---- */

static const double RES = 0.5, COIL = 0.3, OMEGA = 6.283185307179586;

static const char RATES[] = "for k in 1:3 then p[k] = der(x = i[k]); end for;";
static const char STEADY[] = "der(x = id) = 0; der(x = iq) = 0; der(x = i0) = 0;";

/* `shift`: of one grid; `lasting`: equations beside; `begins`: what begins it, or is computed. */
static void three_phases(char *text, size_t size, const char *shift, const char *lasting,
                         const char *begins)
{
    FILE *out = fmemopen(text, size, "w");
    fprintf(out, "model M\ninterface:\n  %s\n  static Real id; static Real iq; static Real i0;\n",
            shift);
    fputs("  static Real u[3]; static Real v[3]; static Real i[3]; static Real power;\n"
          "implementation:\n  static Real f[3]; static Real g; static Real w; static Real p[3];\n",
          out);
    fprintf(out, "  g = sqrt(2/3); w = %.17g;\n", OMEGA);
    for (int k = 1; k <= 3; k++)
        fprintf(out,
                "  f[%d] = w*time + %.17g; u[%d] = sin(f[%d] + shift); v[%d] = sin(f[%d]);\n"
                "  %g*i[%d] + %g*p[%d] = u[%d] - v[%d];\n",
                k, (k - 1) * OMEGA / 3, k, k, k, k, RES, k, COIL, k, k, k);
    fputs("  id = g*(sin(f[1])*i[1] + sin(f[2])*i[2] + sin(f[3])*i[3]);\n"
          "  iq = g*(cos(f[1])*i[1] + cos(f[2])*i[2] + cos(f[3])*i[3]);\n"
          "  i0 = g*sqrt(0.5)*(i[1] + i[2] + i[3]);\n"
          "  power = u[1]*i[1] + u[2]*i[2] + u[3]*i[3];\n",
          out);
    fprintf(out, "  %s\n  if initial() then %s end if;\nend M;\n", lasting, begins);
    fclose(out);
}

/* Phasors: i of phase k is the imaginary part of I exp(j(wt + 2 pi k/3)). */
static double complex current(double shift)
{
    return (cexp(I * shift) - 1) / (RES + I * OMEGA * COIL);
}

static double power_at(double shift)
{
    return 1.5 * creal(cexp(I * shift) * conj(current(shift)));
}

static void close_to(const SimLab *lab, const char *path, double want, double within)
{
    double is = sim_lab_value((SimLab *)lab, path);
    if (!(fabs(is - want) <= within))
        fail_msg("%s = %.16g, not %.16g", path, is, want);
}

static void three_phase_values(SimLab *lab, double time, double shift, double within)
{
    static const char *const path[] = {"i[1]", "i[2]", "i[3]"};
    for (int k = 0; k < 3; k++)
        close_to(lab, path[k], cimag(current(shift) * cexp(I * OMEGA * (time + k / 3.0))), within);
    close_to(lab, "id", sqrt(1.5) * creal(current(shift)), within);
    close_to(lab, "iq", sqrt(1.5) * cimag(current(shift)), within);
    close_to(lab, "i0", 0, within);
    close_to(lab, "power", power_at(shift), within);
}

static void three_phase(const char *text, double shift)
{
    SolOptions options = {.stop = 2, .rtol = 1e-11, .atol = 1e-13, .audit = 1e-9};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    three_phase_values(lab, 0, shift, 1e-9);
    assert_int_equal(sim_lab_run(lab, 1.3), SOL_OK);
    three_phase_values(lab, 1.3, shift, 1e-8);
    sim_lab_close(lab);
}

static void three_phases_begin_steady(void **state)
{
    (void)state;
    char text[4000];
    three_phases(text, sizeof text, "parameter Real shift << 0.4;", RATES, STEADY);
    three_phase(text, 0.4);
}

/* "Non-linear equation, no unique solution": from the start value 0.1 the one next to it. */
static void a_parameter_from_power(void **state)
{
    (void)state;
    char text[4000], condition[200];
    snprintf(condition, sizeof condition, "%s power = %.17g;", STEADY, power_at(-0.7));
    three_phases(text, sizeof text, "parameter Real shift {fixed << false, start << -0.5};", RATES,
                 condition);
    three_phase(text, -0.7);
}

/* The currents of the rotating frame are the states. */
static void states_of_the_rotating_frame(void **state)
{
    (void)state;
    char text[4000];
    three_phases(text, sizeof text,
                 "parameter Real shift << 0.4; static Real a; static Real b; static Real c;",
                 "for k in 1:3 then p[k] = der(x = i[k]); end for;"
                 "a = derState(x = id); b = derState(x = iq); c = derState(x = i0);",
                 STEADY);
    three_phase(text, 0.4);
}

/* The derivatives of the rotating frame written down, by those of the currents: nothing is differentiated. Variables that conditions alone
 * use, beside the currents as states; or derivatives, which make states of the rotating frame's currents alone. */
static void derivatives_written_down(void **state)
{
    static const char *const as[2][3] = {{"a", "b", "c"},
                                         {"der(x = id)", "der(x = iq)", "der(x = i0)"}};
    (void)state;
    for (int form = 0; form < 2; form++) {
        char text[6000], lasting[3000], begins[200];
        const char *const *d = as[form];
        snprintf(lasting, sizeof lasting,
                 "%s %s = w*iq + g*(sin(f[1])*p[1] + sin(f[2])*p[2] + sin(f[3])*p[3]);"
                 "%s = -w*id + g*(cos(f[1])*p[1] + cos(f[2])*p[2] + cos(f[3])*p[3]);"
                 "%s = g*sqrt(0.5)*(p[1] + p[2] + p[3]);",
                 form ? "" : RATES, d[0], d[1], d[2]);
        snprintf(begins, sizeof begins, "%s = 0; %s = 0; %s = 0;", d[0], d[1], d[2]);
        three_phases(
            text, sizeof text,
            form ? "parameter Real shift << 0.4;"
                 : "parameter Real shift << 0.4; static Real a; static Real b; static Real c;",
            lasting, begins);
        three_phase(text, 0.4);
    }
}

/* A start value that conditions overrule is no surprise; one that gives way to another start value is. */
static void overruled_starts(void **state)
{
    (void)state;
    static const char by_condition[] =
        MODEL("x; static Real y", "der(x = x, start << 1) = -x; der(x = y, start << 2) = -y;"
                                  "if initial() then x = 3; x + y = 7; end if;");
    static const char by_start[] =
        MODEL("x; static Real y", "der(x = x, start << 1) = -x; der(x = y, start << 2) = -y;"
                                  "if initial() then x + y = 7; end if;");
    SolOptions options = {.stop = 1};
    SimLab *lab = sim_lab_text(by_condition, &options);
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    assert_false(sim_lab_said(lab, "first guess"));
    sim_lab_close(lab);
    lab = sim_lab_text(by_start, &options);
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    close_to(lab, "x", 1, 1e-9);
    close_to(lab, "y", 6, 1e-9);
    assert_true(sim_lab_said(lab, "y starts at 6: its start value 2 was only a first guess"));
    sim_lab_close(lab);
}

/* ---- drawn ---- */

enum { MOST = 5, ROWS = 2 * MOST };

typedef struct Drawn {
    int n, k; /* states, conditions */
    double a[MOST][MOST], c[MOST], start[MOST];
    double g[ROWS][MOST], h[ROWS], want[ROWS]; /* g x + h der(x1) = want */
} Drawn;

static double whole(Rng *rng)
{
    return (double)rng_below(rng, 7) - 3;
}

static Drawn draw(Rng *rng)
{
    Drawn d = {.n = 1 + (int)rng_below(rng, MOST)};
    d.k = 1 + (int)rng_below(rng, (uint32_t)d.n + 1);
    for (int i = 0; i < d.n; i++) {
        d.c[i] = whole(rng);
        d.start[i] = whole(rng);
        for (int j = 0; j < d.n; j++)
            d.a[i][j] = rng_below(rng, 2) ? whole(rng) : 0;
    }
    for (int r = 0; r < d.k; r++) {
        d.want[r] = whole(rng);
        d.h[r] = rng_below(rng, 3) == 0 ? whole(rng) : 0;
        for (int j = 0; j < d.n; j++)
            d.g[r][j] = rng_below(rng, 2) ? whole(rng) : 0;
        d.g[r][rng_below(rng, (uint32_t)d.n)] += 5;
    }
    return d;
}

static void write_model(FILE *out, const Drawn *d)
{
    fputs("model M\ninterface:\n", out);
    for (int i = 0; i < d->n; i++)
        fprintf(out, "  static Real x%d; static Real v%d;\n", i, i);
    fputs("implementation:\n", out);
    for (int i = 0; i < d->n; i++) {
        fprintf(out, "  v%d = der(x = x%d, start << %g);\n  v%d = (%g)", i, i, d->start[i], i,
                d->c[i]);
        for (int j = 0; j < d->n; j++)
            if (d->a[i][j] != 0)
                fprintf(out, " + (%g)*x%d", d->a[i][j], j);
        fputs(";\n", out);
    }
    fputs("  if initial() then\n", out);
    for (int r = 0; r < d->k; r++) {
        fprintf(out, "    %g = 0", d->want[r]);
        if (d->h[r] != 0)
            fprintf(out, " + (%g)*v0", d->h[r]);
        for (int j = 0; j < d->n; j++)
            if (d->g[r][j] != 0)
                fprintf(out, " + (%g)*x%d", d->g[r][j], j);
        fputs(";\n", out);
    }
    fputs("  end if;\nend M;\n", out);
}

typedef struct Elimination {
    int n, rank;
    double row[ROWS][MOST + 1];
    int pivot[ROWS];
} Elimination;

/* A row that is new takes part; 0: it says nothing new, 1: it contradicts the others. */
static int take(Elimination *e, double *row)
{
    double most = 0;
    int at = 0;
    for (int k = 0; k < e->rank; k++) {
        double factor = row[e->pivot[k]] / e->row[k][e->pivot[k]];
        for (int j = 0; j <= e->n; j++)
            row[j] -= factor * e->row[k][j];
        row[e->pivot[k]] = 0;
    }
    for (int j = 0; j < e->n; j++)
        if (fabs(row[j]) > most) {
            most = fabs(row[j]);
            at = j;
        }
    if (most < 1e-9)
        return fabs(row[e->n]) > 1e-9;
    memcpy(e->row[e->rank], row, sizeof e->row[0]);
    e->pivot[e->rank++] = at;
    return 0;
}

/* False: the conditions contradict each other. */
static bool solve_drawn(const Drawn *d, double *x)
{
    Elimination e = {.n = d->n};
    for (int r = 0; r < d->k; r++) {
        double row[MOST + 1] = {0};
        for (int j = 0; j < d->n; j++)
            row[j] = d->g[r][j] + d->h[r] * d->a[0][j];
        row[d->n] = d->want[r] - d->h[r] * d->c[0];
        if (take(&e, row))
            return false;
    }
    for (int i = 0; i < d->n; i++) {
        double row[MOST + 1] = {0};
        row[i] = 1;
        row[d->n] = d->start[i];
        take(&e, row);
    }
    for (int k = e.rank; k-- > 0;) {
        double sum = e.row[k][d->n];
        for (int j = 0; j < d->n; j++)
            if (j != e.pivot[k])
                sum -= e.row[k][j] * x[j];
        x[e.pivot[k]] = sum / e.row[k][e.pivot[k]];
    }
    return true;
}

static void drawn_systems(void **state)
{
    (void)state;
    Soak soak = soak_begin("initial conditions", 200, 1);
    while (soak_next(&soak)) {
        static char text[20000];
        Rng rng = {soak.seed};
        Drawn d = draw(&rng);
        double x[MOST] = {0};
        bool fits = solve_drawn(&d, x);
        FILE *out = fmemopen(text, sizeof text, "w");
        write_model(out, &d);
        fclose(out);
        SolOptions options = {.stop = 1, .engine = SOL_ENGINE_INTERP};
        SimLab *lab = sim_lab_text(text, &options);
        SolStatus status = sim_lab_run(lab, 0);
        if ((status == SOL_OK) != fits)
            fail_msg("seed %llu: status %d\n%s", (unsigned long long)soak.seed, status, text);
        for (int i = 0; i < d.n && fits; i++) {
            char name[16];
            snprintf(name, sizeof name, "x%d", i);
            double is = sim_lab_value(lab, name);
            if (!(fabs(is - x[i]) <= 1e-9 * (1 + fabs(x[i]))))
                fail_msg("seed %llu: %s = %.16g, not %.16g\n%s", (unsigned long long)soak.seed,
                         name, is, x[i], text);
        }
        sim_lab_close(lab);
    }
    soak_end(&soak);
}

/* Many conditions, each for a state of its own, of which Newton's method on all of them together finds none: where x is 0 nothing moves
 * x^3. And as many that are tied to each other: the rod is as warm as its ends say. */
static void many_conditions(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  define n as 700;\ninterface:\n  static Real x[n]; static Real "
        "T[n];\nimplementation:\n"
        "  for i in 1:n then\n    der(x[i]) = i - x[i]*x[i]*x[i];\n"
        "    if initial() then der(x[i]) = 0; der(T[i]) = 0; end;\n  end for;\n"
        "  der(T[1]) = 100*(3 - 2*T[1] + T[2]);\n"
        "  for i in 2:n-1 then der(T[i]) = 100*(T[i-1] - 2*T[i] + T[i+1]); end for;\n"
        "  der(T[n]) = 100*(T[n-1] - 2*T[n] + 10);\nend M;\n";
    SolOptions options = {.stop = 1, .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    for (int i = 1; i <= 700; i++) {
        char name[16];
        snprintf(name, sizeof name, "x[%d]", i);
        double is = sim_lab_value(lab, name);
        assert_true(fabs(is - cbrt(i)) < 1e-9 * is);
        snprintf(name, sizeof name, "T[%d]", i);
        assert_true(fabs(sim_lab_value(lab, name) - (3 + 7. * i / 701)) < 1e-9);
    }
    sim_lab_close(lab);
}

/* 300 conditions that hang together, each on two states: sparse factors; the solution is i/300. */
static void many_conditions_in_one_set(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text("model M interface: static Real T[300]; implementation:\n"
                               "  for i in 1:300 then der(T[i], start << 0.5) = 0; end for;\n"
                               "  if initial() then\n"
                               "    for i in 1:299 then 3*T[i] + T[i]^3 + T[i+1] = i/100 + "
                               "(i/300)^3 + (i + 1)/300; end for;\n"
                               "    3*T[300] + T[300]^3 + T[299] = 4 + 299/300;\n"
                               "  end if;\nend M;\n",
                               &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    for (int i = 1; i <= 300; i++) {
        char path[20];
        snprintf(path, sizeof path, "T[%d]", i);
        assert_true(fabs(sim_lab_value(lab, path) - i / 300.) < 1e-9);
    }
    sim_lab_close(lab);
}

/* One condition beside 20,000 start values: all ranks would be those of a matrix of 3 GB. */
static void one_condition_beside_many_starts(void **state)
{
    (void)state;
    SimLab *lab =
        sim_lab_text("model M interface: static Real x[20000]; static Real y; implementation:\n"
                     "  for i in 1:20000 then der(x[i], start << i) = -x[i]; end for;\n"
                     "  der(y) = x[3] - y;\n"
                     "  if initial() then der(y) = 0; end if;\nend M;\n",
                     &(SolOptions){.stop = 1});
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    close_to(lab, "y", 3, 1e-12);
    close_to(lab, "x[20000]", 20000, 0);
    sim_lab_close(lab);
}

int main(void)
{
    struct CMUnitTest tests[sizeof cases / sizeof *cases + 10];
    uint32_t n = 0;
    for (; n < sizeof cases / sizeof *cases; n++)
        tests[n] = (struct CMUnitTest){cases[n].name, begins, NULL, NULL, (void *)&cases[n]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(many_conditions_in_one_set);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(one_condition_beside_many_starts);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(three_phases_begin_steady);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_parameter_from_power);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(states_of_the_rotating_frame);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(derivatives_written_down);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(overruled_starts);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(many_conditions);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(drawn_systems);
    return _cmocka_run_group_tests("initial equations", tests, n, NULL, NULL);
}
