/* equations under `if initial()`: where states begin, by closed forms, and drawn systems against an elimination of the test's own. */
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
     "the initial conditions cannot be met: 'x*x = -1'",
     SOL_NUMERICS},
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

int main(void)
{
    struct CMUnitTest tests[sizeof cases / sizeof *cases + 1];
    uint32_t n = 0;
    for (; n < sizeof cases / sizeof *cases; n++)
        tests[n] = (struct CMUnitTest){cases[n].name, begins, NULL, NULL, (void *)&cases[n]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(drawn_systems);
    return _cmocka_run_group_tests("initial equations", tests, n, NULL, NULL);
}
