/* Choices of states that are singular at the start or on the way: linkages of point masses in
 * Cartesian coordinates, held together by constant distances, that begin with links along the axes,
 * stretched, folded, at dead points. The oracle shares nothing with the program and chooses no
 * states: all coordinates are integrated by a Runge-Kutta method of order 4 with small steps,
 * accelerations from the Lagrange equations by an elimination of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8, RODS = 12, FIXED = -1 };

static const double G = 9.81;

/* Points with masses, and rods between two of them or from one to a fixed place. `guide`: the point
 * moves along a line y = const. */
typedef struct Linkage {
    int n_points, n_rods;
    double mass[POINTS], x[POINTS], y[POINTS], vx[POINTS], vy[POINTS];
    bool guide[POINTS];
    int from[RODS], to[RODS]; /* to FIXED: (px, py) */
    double px[RODS], py[RODS];
} Linkage;

static int add_point(Linkage *l, double mass, double x, double y)
{
    l->mass[l->n_points] = mass;
    l->x[l->n_points] = x;
    l->y[l->n_points] = y;
    return l->n_points++;
}

static void add_rod(Linkage *l, int from, int to)
{
    l->from[l->n_rods] = from;
    l->to[l->n_rods++] = to;
}

static void hang(Linkage *l, int point, double px, double py)
{
    l->px[l->n_rods] = px;
    l->py[l->n_rods] = py;
    add_rod(l, point, FIXED);
}

/* ---- the oracle ---- */

enum { MOST = RODS + POINTS };

/* Rows of the constraints' Jacobian, over x0 y0 x1 y1 ..., and what their second derivatives leave.
 */
static int constraints(const Linkage *l, const double *q, const double *v, double row[][2 * POINTS],
                       double *rest)
{
    int n = 0;
    memset(row, 0, MOST * sizeof *row);
    for (int k = 0; k < l->n_rods; k++, n++) {
        int a = l->from[k], b = l->to[k];
        for (int c = 0, s = 0; c < 2; c++, s++) {
            double there = b == FIXED ? (c ? l->py[k] : l->px[k]) : q[2 * b + c];
            double speed = b == FIXED ? 0 : v[2 * b + c];
            double d = q[2 * a + c] - there, w = v[2 * a + c] - speed;
            row[n][2 * a + c] = d;
            if (b != FIXED)
                row[n][2 * b + c] = -d;
            rest[n] = (s ? rest[n] : 0) + w * w;
        }
    }
    for (int i = 0; i < l->n_points; i++)
        if (l->guide[i]) {
            row[n][2 * i + 1] = 1;
            rest[n++] = 0;
        }
    return n;
}

/* Solves a[n][n] x = b by elimination with complete pivoting; the smallest pivot over the largest.
 */
static double solve(int n, double a[][MOST], double *b, double *x)
{
    int column[MOST];
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; k++)
        column[k] = k;
    for (int k = 0; k < n; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i][column[j]]) > fabs(a[p][column[q]]))
                    p = i, q = j;
        int t = column[k];
        column[k] = column[q];
        column[q] = t;
        for (int j = 0; j < n; j++) {
            double u = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = u;
        }
        double u = b[k];
        b[k] = b[p];
        b[p] = u;
        least = fmin(least, fabs(a[k][column[k]]));
        most = fmax(most, fabs(a[k][column[k]]));
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][column[k]] / a[k][column[k]];
            for (int j = k; j < n; j++)
                a[i][column[j]] -= factor * a[k][column[j]];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n; k-- > 0;) {
        double sum = b[k];
        for (int j = k + 1; j < n; j++)
            sum -= a[k][column[j]] * x[column[j]];
        x[column[k]] = sum / a[k][column[k]];
    }
    return most > 0 ? least / most : 1;
}

/* With lambda from J W J' lambda = right, W the inverse masses: out = given - W J' lambda. */
static double project(const Linkage *l, int n, double row[][2 * POINTS], double *right,
                      const double *given, double *out)
{
    double a[MOST][MOST], lambda[MOST];
    int m = 2 * l->n_points;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = 0;
            for (int k = 0; k < m; k++)
                a[i][j] += row[i][k] * row[j][k] / l->mass[k / 2];
        }
    double quality = solve(n, a, right, lambda);
    for (int k = 0; k < m; k++) {
        out[k] = given[k];
        for (int i = 0; i < n; i++)
            out[k] -= row[i][k] * lambda[i] / l->mass[k / 2];
    }
    return quality;
}

static double acceleration(const Linkage *l, const double *q, const double *v, double *a)
{
    double row[MOST][2 * POINTS], right[MOST], gravity[2 * POINTS];
    int n = constraints(l, q, v, row, right);
    for (int k = 0; k < 2 * l->n_points; k++)
        gravity[k] = k % 2 ? -G : 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2 * l->n_points; k++)
            right[i] += row[i][k] * gravity[k];
    return project(l, n, row, right, gravity, a);
}

static void rk4(const Linkage *l, double h, double *q, double *v)
{
    int m = 2 * l->n_points;
    double kq[4][2 * POINTS], kv[4][2 * POINTS], tq[2 * POINTS], tv[2 * POINTS];
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < m; k++) {
            tq[k] = q[k] + (s ? h * at[s] * kq[s - 1][k] : 0);
            tv[k] = v[k] + (s ? h * at[s] * kv[s - 1][k] : 0);
        }
        memcpy(kq[s], tv, sizeof tv);
        acceleration(l, tq, tv, kv[s]);
    }
    for (int k = 0; k < m; k++) {
        q[k] += h / 6 * (kq[0][k] + 2 * kq[1][k] + 2 * kq[2][k] + kq[3][k]);
        v[k] += h / 6 * (kv[0][k] + 2 * kv[1][k] + 2 * kv[2][k] + kv[3][k]);
    }
}

static void begin(const Linkage *l, double *q, double *v)
{
    for (int i = 0; i < l->n_points; i++) {
        q[2 * i] = l->x[i];
        q[2 * i + 1] = l->y[i];
        v[2 * i] = l->vx[i];
        v[2 * i + 1] = l->vy[i];
    }
}

static void oracle(const Linkage *l, double stop, int steps, double *q, double *v)
{
    begin(l, q, v);
    for (int i = 0; i < steps; i++)
        rk4(l, stop / steps, q, v);
}

/* Speeds that the rods allow, nearest to those given. The constraints' own quality there: near 0
 * the linkage may go two ways, and nobody can say which. */
static double allow_speeds(Linkage *l)
{
    double q[2 * POINTS], v[2 * POINTS], out[2 * POINTS], row[MOST][2 * POINTS], right[MOST];
    begin(l, q, v);
    int n = constraints(l, q, v, row, right);
    for (int i = 0; i < n; i++) {
        right[i] = 0;
        for (int k = 0; k < 2 * l->n_points; k++)
            right[i] += row[i][k] * v[k];
    }
    double quality = project(l, n, row, right, v, out);
    for (int i = 0; i < l->n_points; i++) {
        l->vx[i] = out[2 * i];
        l->vy[i] = out[2 * i + 1];
    }
    return quality;
}

static double moving(const Linkage *l, const double *v)
{
    double sum = 0;
    for (int i = 0; i < l->n_points; i++)
        sum += l->mass[i] * (v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) / 2;
    return sum;
}

static double energy(const Linkage *l, const double *q, const double *v)
{
    double sum = 0;
    for (int i = 0; i < l->n_points; i++)
        sum += l->mass[i] * G * q[2 * i + 1];
    return sum + moving(l, v);
}

/* ---- as a model ---- */

static size_t write_forces(const Linkage *l, int i, char axis, char *text, size_t size)
{
    size_t at = 0;
    for (int k = 0; k < l->n_rods; k++) {
        int other = l->from[k] == i ? l->to[k] : l->to[k] == i ? l->from[k] : -2;
        if (other == FIXED)
            at += (size_t)snprintf(text + at, size - at, " - f%d*(%c%d - (%.17g))", k, axis, i,
                                   axis == 'x' ? l->px[k] : l->py[k]);
        else if (other >= 0)
            at += (size_t)snprintf(text + at, size - at, " - f%d*(%c%d - %c%d)", k, axis, i, axis,
                                   other);
    }
    if (l->guide[i] && axis == 'y')
        at += (size_t)snprintf(text + at, size - at, " - g%d", i);
    return at;
}

/* Declarations in the order of the points, or in the reverse order. */
static void write_model(const Linkage *l, bool reverse, char *text, size_t size)
{
    size_t at = 0;
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    ADD("model M\ninterface:\n");
    for (int i = 0; i < l->n_points; i++)
        ADD("  static Real x%d; static Real y%d; static Real vx%d; static Real vy%d;\n", i, i, i,
            i);
    ADD("implementation:\n");
    for (int k = 0; k < l->n_rods; k++)
        ADD("  static Real f%d;\n", k);
    for (int j = 0; j < l->n_points; j++) {
        int i = reverse ? l->n_points - 1 - j : j;
        for (int c = 0; c < 2; c++) {
            bool y = reverse ? c == 0 : c == 1;
            char axis = y ? 'y' : 'x';
            ADD("  v%c%d = der(x = %c%d, start << %.17g);\n", axis, i, axis, i,
                y ? l->y[i] : l->x[i]);
            ADD("  %.17g*der(x = v%c%d, start << %.17g) = %s", l->mass[i], axis, i,
                y ? l->vy[i] : l->vx[i], "0");
            if (y)
                ADD(" - %.17g", l->mass[i] * G);
            at += write_forces(l, i, axis, text + at, size - at);
            ADD(";\n");
        }
        if (l->guide[i])
            ADD("  static Real g%d; y%d = %.17g;\n", i, i, l->y[i]);
    }
    for (int k = 0; k < l->n_rods; k++) {
        int a = l->from[k], b = l->to[k];
        double dx = l->x[a] - (b == FIXED ? l->px[k] : l->x[b]);
        double dy = l->y[a] - (b == FIXED ? l->py[k] : l->y[b]);
        if (b == FIXED)
            ADD("  (x%d - (%.17g))^2 + (y%d - (%.17g))^2 = %.17g;\n", a, l->px[k], a, l->py[k],
                dx * dx + dy * dy);
        else
            ADD("  (x%d - x%d)^2 + (y%d - y%d)^2 = %.17g;\n", a, b, a, b, dx * dx + dy * dy);
    }
    ADD("end M;\n");
#undef ADD
    assert_true(at < size);
}

static double value(SimLab *lab, const char *name, int i)
{
    char path[16];
    snprintf(path, sizeof path, "%s%d", name, i);
    return sim_lab_value(lab, path);
}

/* drift: of the energy, relative to what moves. longest: a bound on steps, or 0. */
typedef struct Check {
    double stop, rtol, tolerance, drift, longest;
    SolSolver solver;
    SolForm form;
    bool reverse;
} Check;

typedef enum Verdict { AGREES, REFUSED, WRONG } Verdict;

/* Other than AGREES with a line that says so: the run failed, or something differs by more than the
 * tolerance. */
static Verdict verdict(const Linkage *l, const Check *check, const char *name)
{
    static char text[20000];
    double q[2 * POINTS], v[2 * POINTS], oq[2 * POINTS], ov[2 * POINTS], worst = 0;
    write_model(l, check->reverse, text, sizeof text);
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = check->stop,
                                                   .steps = 20,
                                                   .max_step = check->longest,
                                                   .rtol = check->rtol,
                                                   .solver = check->solver,
                                                   .form = check->form});
    bool fine = sim_lab_run(lab, check->stop) == SOL_OK;
    for (int i = 0; i < l->n_points; i++) {
        q[2 * i] = value(lab, "x", i);
        q[2 * i + 1] = value(lab, "y", i);
        v[2 * i] = value(lab, "vx", i);
        v[2 * i + 1] = value(lab, "vy", i);
    }
    sim_lab_close(lab);
    oracle(l, check->stop, 4000, oq, ov);
    for (int k = 0; k < 2 * l->n_points; k++)
        worst = fmax(worst, isnan(q[k]) ? INFINITY : fabs(q[k] - oq[k]));
    begin(l, oq, ov);
    double lost = fabs(energy(l, q, v) - energy(l, oq, ov)) / (1 + moving(l, v));
    if (fine && worst <= check->tolerance && lost <= check->drift)
        return AGREES;
    printf("%s, solver %d, form %d%s: %s, off by %g, energy off by %g\n", name, (int)check->solver,
           (int)check->form, check->reverse ? ", declared in reverse" : "", fine ? "ran" : "failed",
           worst, lost);
    if (getenv("SHOW"))
        printf("%s", text);
    return fine ? WRONG : REFUSED;
}

/* Both solvers, and the dae form, declared both ways; how many runs there are of each verdict is added to `count`. */
static void try_all(const Linkage *l, const Check *check, const char *name, int count[3])
{
    for (int k = 0; k < 6; k++) {
        Check one = *check;
        one.solver = k % 3 == 1 ? SOL_SOLVER_RK : SOL_SOLVER_IDA;
        one.form = k % 3 == 2 ? SOL_FORM_DAE : SOL_FORM_ODE;
        one.reverse = k > 2;
        count[verdict(l, &one, name)]++;
    }
}

static int differences(const Linkage *l, double stop, double tolerance, const char *name)
{
    Check check = {.stop = stop,
                   .rtol = 1e-9,
                   .tolerance = tolerance,
                   .drift = 10 * tolerance,
                   .longest = stop / 200};
    int count[3] = {0};
    try_all(l, &check, name, count);
    return count[REFUSED] + count[WRONG];
}

/* ---- tests ---- */

static const double PI = 3.14159265358979323846;

/* A pendulum let go level, hanging, upright, at 45 degrees; at rest, and with a push. Cosines of
 * right angles are 0 or 6e-17: both. */
static void test_pendulum(void **state)
{
    (void)state;
    int bad = 0;
    for (int i = 0; i < 8; i++)
        for (int push = -1; push <= 1; push++)
            for (int exact = 0; exact < 2; exact++) {
                double a = i * PI / 4;
                if (i == 2 && !push) /* upright and at rest: it falls to any side */
                    continue;
                Linkage l = {0};
                add_point(&l, 1, exact ? round(cos(a) * 1e8) / 1e8 : cos(a),
                          exact ? round(sin(a) * 1e8) / 1e8 : sin(a));
                l.vx[0] = -3 * push * l.y[0];
                l.vy[0] = 3 * push * l.x[0];
                hang(&l, 0, 0, 0);
                char name[60];
                snprintf(name, sizeof name, "pendulum at %d degrees, push %d", 45 * i, push);
                bad += differences(&l, 1.5, 2e-6, name);
            }
    assert_int_equal(bad, 0);
}

/* Each rod to a side that the digits of `code` say. */
static Linkage chain(int n, int code, double speed)
{
    Linkage l = {0};
    double x = 0, y = 0;
    for (int i = 0; i < n; i++, code /= 4) {
        double a = code % 4 * PI / 2, length = 1 - 0.2 * i;
        x += round(cos(a)) * length;
        y += round(sin(a)) * length;
        add_point(&l, 1 + 0.3 * i, x, y);
        l.vx[i] = speed * (i + 1);
        l.vy[i] = -speed * i;
        if (i)
            add_rod(&l, i, i - 1);
        else
            hang(&l, i, 0, 0);
    }
    allow_speeds(&l);
    return l;
}

/* Chains of two and three rods along the axes, in all 16 and 64 ways. */
static void test_chains(void **state)
{
    (void)state;
    int bad = 0;
    char name[60];
    for (int n = 2; n <= 3; n++)
        for (int code = 0; code < 1 << 2 * n; code += n == 2 ? 1 : 5)
            for (int speed = 0; speed < 2; speed++) {
                Linkage l = chain(n, code, speed);
                if (!speed && n == 2 && (code == 5 || code == 15 || code == 13 || code == 7))
                    continue; /* an equilibrium, and not always a stable one */
                snprintf(name, sizeof name, "chain %d of %d rods, speed %d", code, n, speed);
                bad += differences(&l, 0.5, 1e-5, name);
            }
    assert_int_equal(bad, 0);
}

/* Crank of 0.3, rod of 0.8, piston on the axis: at both dead points, and half way. */
static void test_slider_crank(void **state)
{
    (void)state;
    int bad = 0;
    char name[60];
    for (int i = 0; i < 8; i++)
        for (int turning = 0; turning < 2; turning++) {
            Linkage l = {0};
            double c = round(cos(i * PI / 4) * 1e15) / 1e15,
                   s = round(sin(i * PI / 4) * 1e15) / 1e15;
            int pin = add_point(&l, 1, 0.3 * c, 0.3 * s);
            int piston = add_point(&l, 3, 0.3 * c + sqrt(0.64 - 0.09 * s * s), 0);
            l.guide[piston] = true;
            hang(&l, pin, 0, 0);
            add_rod(&l, piston, pin);
            l.vx[pin] = turning ? -4 * s : 0;
            l.vy[pin] = turning ? 4 * c : 0;
            allow_speeds(&l);
            snprintf(name, sizeof name, "slider crank at %d degrees, turning %d", 45 * i, turning);
            bad += differences(&l, 0.6, 1e-5, name);
        }
    assert_int_equal(bad, 0);
}

/* Crank 1 at (0, 0), coupler b, rocker c at (d, 0). Crank and coupler in one line, stretched and
 * folded: the rocker stands still whatever the crank does. */
static void test_four_bar(void **state)
{
    (void)state;
    int bad = 0;
    char name[60];
    double b = 2, c = 2.2, d = 2.4;
    for (int folded = 0; folded < 2; folded++)
        for (int speed = 0; speed < 2; speed++) {
            double r = folded ? b - 1 : b + 1; /* from crank's place to the end of the coupler */
            double x = (r * r - c * c + d * d) / (2 * d), y = sqrt(r * r - x * x);
            Linkage l = {0};
            int pin = add_point(&l, 1, (folded ? -1 : 1) * x / r, (folded ? -1 : 1) * y / r);
            int end = add_point(&l, 2, x, y);
            hang(&l, pin, 0, 0);
            add_rod(&l, end, pin);
            hang(&l, end, d, 0);
            l.vx[pin] = -6 * speed * l.y[pin];
            l.vy[pin] = 6 * speed * l.x[pin];
            allow_speeds(&l);
            snprintf(name, sizeof name, "four-bar linkage, folded %d, speed %d", folded, speed);
            bad += differences(&l, 0.5, 1e-5, name);
        }
    assert_int_equal(bad, 0);
}

static uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double between(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * (double)(random_bits(seed) >> 11) / 9007199254740992.0;
}

/* Points that hang on one or two earlier ones or on fixed places, many of them straight beside or
 * below. */
static Linkage random_linkage(uint64_t *seed)
{
    static const double way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    Linkage l = {0};
    int n = 1 + (int)(random_bits(seed) % 4);
    for (int i = 0; i < n; i++) {
        int from = i && random_bits(seed) % 4 ? (int)(random_bits(seed) % (uint64_t)i) : FIXED;
        double bx = from == FIXED ? between(seed, -1, 1) : l.x[from];
        double by = from == FIXED ? between(seed, -1, 1) : l.y[from];
        double length = between(seed, 0.3, 1.5), a = between(seed, 0, 2 * PI);
        bool along = random_bits(seed) % 3;
        const double *w = way[random_bits(seed) % 4];
        int p = add_point(&l, between(seed, 0.5, 2), bx + length * (along ? w[0] : cos(a)),
                          by + length * (along ? w[1] : sin(a)));
        l.vx[p] = random_bits(seed) % 2 ? between(seed, -2, 2) : 0;
        l.vy[p] = random_bits(seed) % 2 ? between(seed, -2, 2) : 0;
        if (from == FIXED)
            hang(&l, p, bx, by);
        else
            add_rod(&l, p, from);
    }
    for (int i = 0; i + 2 < n && i < 1 && random_bits(seed) % 2; i++) /* a loop */
        add_rod(&l, n - 1, n - 3);
    return l;
}

/* Steps as long as the tolerance allows: at a tight and at a usual tolerance. */
static void try_linkage(uint64_t first, int count[3])
{
    static const Check checks[2] = {
        {.stop = 1, .rtol = 1e-9, .tolerance = 1e-3, .drift = 1e-4},
        {.stop = 1, .rtol = 1e-6, .tolerance = 5e-2, .drift = 5e-2},
    };
    uint64_t seed = first * UINT64_C(0x9e3779b97f4a7c15) + 1;
    Linkage l = random_linkage(&seed);
    char name[60];
    snprintf(name, sizeof name, "linkage of seed %llu", (unsigned long long)first);
    if (allow_speeds(&l) < 1e-3)
        return;
    for (int i = 0; i < 2; i++)
        try_all(&l, &checks[i], name, count);
}

/* One run in a hundred may be refused: the slopes of the dense output near a singular point are less exact
 * than the audit wants. */
static void test_random_linkages(void **state)
{
    (void)state;
    Soak soak = soak_begin("linkages", SLOW_BUILD ? 8 : 40, 0.9);
    int count[3] = {0};
    while (soak_next(&soak)) {
        int before = count[WRONG];
        try_linkage(soak.seed, count);
        if (count[WRONG] > before)
            soak_failed(&soak);
    }
    soak_end(&soak);
    printf("%d runs agree, %d refused, %d wrong\n", count[AGREES], count[REFUSED], count[WRONG]);
    assert_true(count[AGREES] > 0);
    assert_int_equal(count[WRONG], 0);
    assert_true(count[REFUSED] <= 1 + count[AGREES] / 100);
}

/* The end that the test sets publish, at several tolerances: an angle that has turned often, and dead
 * points of all that could be states. */
static void test_squeezing_mechanism(void **state)
{
    (void)state;
    static const char *const names[7] = {"beta",  "theta", "gamma",  "phi",
                                         "delta", "omega", "epsilon"};
    static const double published[7] = {
        15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
        0.5244099658805304, 0.5347301163226948, 1.048080741042263};
    for (int k = 0; k < 8; k++) {
        SolOptions options = {.stop = 0.03,
                              .steps = 10,
                              .rtol = pow(10, -5 - k / 2 * 2),
                              .solver = k % 2 ? SOL_SOLVER_RK : SOL_SOLVER_IDA};
        SimLab *lab = sim_lab_open("published/linkages.sol", "SqueezingMechanism", &options);
        assert_int_equal(sim_lab_run(lab, 0.03), SOL_OK);
        for (int i = 0; i < 7; i++)
            assert_true(fabs(sim_lab_value(lab, names[i]) - published[i]) < 1e4 * options.rtol);
        sim_lab_close(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_slider_crank),    cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_random_linkages), cmocka_unit_test(test_squeezing_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
