/* random mechanisms with more constraints than they need, against their equations of motion in as many coordinates as they have
 * degrees of freedom: plates that several parallel cranks or rails carry, one on the other, and shafts with gears that form
 * closed ways. The oracle knows each mechanism from how it was drawn, so it has no constraints at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/linear_dae.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 200000, POINTS = 4 };

static uint64_t drawn;

static int draw(int below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (int)((drawn >> 33) % (uint64_t)below);
}

static double draw_from(double low, double high)
{
    return low + (high - low) * draw(1001) / 1000;
}

static const SolOptions options = {
    .stop = 1, .interval = 1, .rtol = 1e-11, .atol = 1e-13, .engine = SOL_ENGINE_INTERP};

static SimLab *open_text(const char *text)
{
    return sim_lab_text(text, &options);
}

static void refused(SimLab *lab, double time, const char *text)
{
    sol_print_messages(lab->model, 0, stderr, false);
    fprintf(stderr, "%s", text);
    fail_msg("refused at %g", time);
}

static void run_to(SimLab *lab, double time, const char *text)
{
    if (sol_run_to(lab->sim, time) != SOL_OK)
        refused(lab, time, text);
}

static void expect(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "%s", text);
    fail_msg("wrong: %s", what);
}

static void compare(SimLab *lab, const char *path, Long wanted, Long size, double time,
                    const char *text)
{
    double found = sim_lab_value(lab, path);
    if (fabsl(found - wanted) <= 1e-9L * (1 + size))
        return;
    fprintf(stderr, "%s", text);
    fail_msg("time %g: %s = %.15g, not %.15Lg", time, path, found, wanted);
}

/* ---- plates ---- */

enum { STAGES = 2, LEGS = 5, FRAMES = 400 };
static const double SLOPE = 0.1;      /* of a line of feet */
static const double NEAR_DEAD = 0.02; /* of cranks to that line, as a sine */

typedef struct Stage {
    bool rails, line;          /* line: all feet are in one */
    int n;                     /* legs, of which one would do, or two */
    double x[LEGS], y[LEGS];   /* feet, in the plate below; heads likewise */
    double length, dx, dy;     /* of a crank; direction of a rail */
    double mass, leg, inertia; /* of the plate, and of each leg at its head */
    double start, speed;
} Stage;

typedef struct Pile {
    int n;
    Stage s[STAGES];
    char text[TEXT];
} Pile;

static void draw_pile(Pile *p)
{
    p->n = 1 + (draw(8) == 7);
    for (int k = 0; k < p->n; k++) {
        Stage *s = &p->s[k];
        double angle = draw_from(0.2, 2.9);
        bool line = draw(4) == 0;
        *s = (Stage){.rails = draw(3) == 0, .line = line};
        s->n = (s->rails ? 2 : 3) + draw(p->n == 1 ? 3 : 2);
        s->length = draw_from(0.4, 1.2);
        s->dx = cos(angle);
        s->dy = sin(angle);
        s->mass = draw_from(0.5, 3);
        s->leg = draw_from(0.1, 0.5);
        s->inertia = draw_from(0.05, 0.3);
        s->start = draw_from(-1, 1);
        s->speed = draw_from(-1, 1);
        for (int i = 0; i < s->n; i++) {
            s->x[i] = i * 0.8 + draw_from(-0.2, 0.2);
            s->y[i] = line ? SLOPE * s->x[i] : draw_from(-0.5, 0.5);
        }
    }
}

static char *at;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    at += vsprintf(at, format, list);
    va_end(list);
}

/* Components of one leg: foot, joint, crank, head. */
static void put_members(const Stage *s, int k, int i)
{
    put("  static Planar.Parts.Translation F%d%d{sx << %.17g, sy << %.17g};\n", k, i, s->x[i],
        s->y[i]);
    if (s->rails)
        put("  static Planar.Joints.Prismatic R%d%d{sx << %.17g, sy << %.17g, s_start << %.17g, "
            "v_start << %.17g};\n",
            k, i, s->dx, s->dy, s->start, s->speed);
    else if (i == 0)
        put("  static Planar.Joints.Revolute R%d%d{phi_start << %.17g, w_start << %.17g};\n", k, i,
            s->start, s->speed);
    else
        put("  static Planar.Joints.PassiveRevolute R%d%d{phi_start << %.17g};\n", k, i, s->start);
    if (!s->rails)
        put("  static Planar.Parts.Translation T%d%d{sx << %.17g};\n", k, i, s->length);
    put("  static Planar.Parts.Body B%d%d{m << %.17g, I << %.17g};\n", k, i, s->leg, s->inertia);
    put("  static Planar.Parts.Translation H%d%d{sx << %.17g, sy << %.17g};\n", k, i,
        s->x[i] - s->x[0], s->y[i] - s->y[0]);
    if (!s->rails && i == 0)
        put("  static Planar.Joints.PassiveRevolute J%d0{phi_start << %.17g};\n", k, -s->start);
    else if (!s->rails)
        put("  static Planar.Joints.LoopRevolute J%d%d;\n", k, i);
}

static void put_quiet(const char *frame, int k, int i)
{
    put("  %s%d%d.fa.contactIn << false;%s", frame, k, i, *frame == 'B' ? "\n" : "");
    if (*frame != 'B')
        put(" %s%d%d.fb.contactIn << false;\n", frame, k, i);
}

/* P is the plate. Heads begin at it, but the crank that leads to it. */
static void put_leg(const Stage *s, int k, int i)
{
    const char *end = s->rails ? "R" : "T";
    put("  connection{a << P%d.fb, b << F%d%d.fa}; connection{a << F%d%d.fb, b << R%d%d.fa};\n",
        k - 1, k, i, k, i, k, i);
    if (!s->rails)
        put("  connection{a << R%d%d.fb, b << T%d%d.fa};\n", k, i, k, i);
    put("  connection{a << %s%d%d.fb, b << B%d%d.fa};\n", end, k, i, k, i);
    put("  connection{a << P%d.fa, b << H%d%d.fa};\n", k, k, i);
    if (s->rails) {
        put("  connection{a << H%d%d.fb, b << R%d%d.fb};\n", k, i, k, i);
    } else if (i == 0) {
        put("  connection{a << T%d%d.fb, b << J%d%d.fa}; connection{a << J%d%d.fb, b << "
            "H%d%d.fb};\n",
            k, i, k, i, k, i, k, i);
    } else {
        put("  connection{a << H%d%d.fb, b << J%d%d.fa}; connection{a << T%d%d.fb, b << "
            "J%d%d.fb};\n",
            k, i, k, i, k, i, k, i);
    }
    put_quiet("F", k, i);
    put_quiet("R", k, i);
    put_quiet("B", k, i);
    put_quiet("H", k, i);
    if (!s->rails) {
        put_quiet("T", k, i);
        put_quiet("J", k, i);
    }
}

static void write_pile(Pile *p)
{
    at = p->text;
    put("model Pile\ninterface:\n  static Planar.Joints.Fixation G;\n");
    put("  static Planar.Parts.Translation P0{sx << 0, sy << 0};\n");
    for (int k = 1; k <= p->n; k++) {
        put("  static Planar.Parts.Translation P%d{sx << %.17g, sy << 0};\n", k, 0.3);
        put("  static Planar.Parts.Body B%d{m << %.17g, I << 0.7};\n", k, p->s[k - 1].mass);
        for (int i = 0; i < p->s[k - 1].n; i++)
            put_members(&p->s[k - 1], k, i);
    }
    put("implementation:\n  connection{a << G.fa, b << P0.fa};\n  G.fa.contactIn << false;\n");
    put("  P0.fa.contactIn << false; P0.fb.contactIn << false;\n");
    for (int k = 1; k <= p->n; k++) {
        put("  P%d.fa.contactIn << false; P%d.fb.contactIn << false; B%d.fa.contactIn << false;\n",
            k, k, k);
        put("  connection{a << P%d.fa, b << B%d.fa};\n", k, k);
        for (int i = 0; i < p->s[k - 1].n; i++)
            put_leg(&p->s[k - 1], k, i);
        if (k == p->n)
            put("  P%d.fb.fx = 0; P%d.fb.fy = 0; P%d.fb.t = 0; P%d.fb.Px = 0; P%d.fb.Py = 0; "
                "P%d.fb.M = 0;\n",
                k, k, k, k, k, k);
    }
    put("end Pile;\n");
}

/* Plates do not turn, so each moves by what its leg does: first and second derivatives of that. */
static void leg_motion(const Stage *s, Long q, Long *x, Long *y, Long *xx, Long *yy)
{
    *x = s->rails ? (Long)s->dx : -s->length * sinl(q);
    *y = s->rails ? (Long)s->dy : -s->length * cosl(q);
    *xx = s->rails ? 0 : -s->length * cosl(q);
    *yy = s->rails ? 0 : s->length * sinl(q);
}

static Long mass_from(const Pile *p, int k)
{
    Long mass = 0;
    for (; k < p->n; k++)
        mass += p->s[k].mass + p->s[k].n * (Long)p->s[k].leg;
    return mass;
}

/* Lagrange's equations of the second kind. */
static void pile_slopes(const Pile *p, const Long *z, Long *slope)
{
    Long x[STAGES], y[STAGES], xx[STAGES], yy[STAGES], a[STAGES][STAGES] = {{0}}, b[STAGES] = {0};
    for (int k = 0; k < p->n; k++)
        leg_motion(&p->s[k], z[k], &x[k], &y[k], &xx[k], &yy[k]);
    for (int j = 0; j < p->n; j++) {
        b[j] = -9.81L * mass_from(p, j) * y[j];
        for (int k = 0; k < p->n; k++) {
            Long mass = mass_from(p, j > k ? j : k), w = z[p->n + k];
            a[j][k] = mass * (x[j] * x[k] + y[j] * y[k]);
            b[j] -= mass * (x[j] * xx[k] + y[j] * yy[k]) * w * w;
        }
        a[j][j] += p->s[j].rails ? 0 : p->s[j].n * (Long)p->s[j].inertia;
        slope[j] = z[p->n + j];
    }
    if (p->n == 1) {
        slope[1] = b[0] / a[0][0];
        return;
    }
    Long det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    slope[2] = (b[0] * a[1][1] - b[1] * a[0][1]) / det;
    slope[3] = (b[1] * a[0][0] - b[0] * a[1][0]) / det;
}

static void pile_step(const Pile *p, Long *z, Long h)
{
    Long k[4][2 * STAGES], y[2 * STAGES];
    int n = 2 * p->n;
    static const Long share[] = {0.5L, 0.5L, 1};
    pile_slopes(p, z, k[0]);
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < n; i++)
            y[i] = z[i] + share[s] * h * k[s][i];
        pile_slopes(p, y, k[s + 1]);
    }
    for (int i = 0; i < n; i++)
        z[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* How far the cranks are from the line of their feet, if there is one. In it the plate could turn as well as move, and no force along
 * the cranks keeps it from that: on the way there forces grow as 1/distance, so that the equations have no solution
 * behind that point, though the oracle, whose plates cannot turn, has one. */
static Long from_dead_point(const Pile *p, const Long *z)
{
    Long least = 1;
    for (int k = 0; k < p->n; k++)
        if (p->s[k].line && !p->s[k].rails)
            least = fminl(least, fabsl(sinl(z[k] + atanl(SLOPE))));
    return least;
}

static void move_to(const Pile *p, Long *z, Long *now, Long time)
{
    int steps = 1 + (int)((time - *now) / 0.00012L);
    for (int i = 0; i < steps; i++)
        pile_step(p, z, (time - *now) / steps);
    *now = time;
}

/* It may be refused at a dead point, and nowhere else. */
static void check_refused(SimLab *lab, const Pile *p, Long *z, Long *now)
{
    double time = sol_time(lab->sim);
    move_to(p, z, now, time);
    if (from_dead_point(p, z) > NEAR_DEAD || !sim_lab_said(lab, "leave open how the motion"))
        refused(lab, time, p->text);
}

static void check_pile(Pile *p)
{
    const double step = 0.12;
    Long z[2 * STAGES], now = 0;
    write_pile(p);
    SimLab *lab = open_text(p->text);
    for (int k = 0; k < p->n; k++) {
        z[k] = p->s[k].start;
        z[p->n + k] = p->s[k].speed;
    }
    for (int t = 1; t <= POINTS; t++) {
        if (sol_run_to(lab->sim, t * step) != SOL_OK) {
            check_refused(lab, p, z, &now);
            sim_lab_close(lab);
            return;
        }
        move_to(p, z, &now, t * (Long)step);
        for (int k = 0; k < p->n; k++) {
            char path[40];
            for (int i = 0; i < p->s[k].n; i++) {
                sprintf(path, "R%d%d.%s", k + 1, i, p->s[k].rails ? "s" : "phi");
                compare(lab, path, z[k], fabsl(z[k]), t * step, p->text);
            }
            sprintf(path, "R%d0.%s", k + 1, p->s[k].rails ? "v" : "w");
            compare(lab, path, z[p->n + k], fabsl(z[p->n + k]), t * step, p->text);
        }
    }
    SolStats stats;
    sol_stats(lab->sim, &stats);
    expect(stats.states == 2u * (unsigned)p->n, "states", p->text);
    expect(sim_lab_said(lab, "it is set aside"), "what is told", p->text);
    sim_lab_close(lab);
}

static void check_seed(Pile *p, uint64_t seed)
{
    drawn = seed * 7919 + 1;
    draw_pile(p);
    check_pile(p);
}

static void random_piles(void **state)
{
    (void)state;
    Pile *p = malloc(sizeof *p);
    Soak soak = soak_begin("piles of plates", 3, 0.5);
    while (soak_next(&soak))
        check_seed(p, soak.seed);
    soak_end(&soak);
    free(p);
}

/* Each was refused or wrong once. */
static void piles_found(void **state)
{
    (void)state;
    static const uint64_t seed[] = {
        81118002, /* two plates: places that some factors of a loop depend on counted, others did not */
        500033, /* an angle of 0 was off by the rounding of places */
        3035,   /* not the preferred states, near a dead point */
        720124, /* rounding, amplified near a dead point, was taken for a jump */
        500109, /* nor of speeds */
        990101, /* a large loop left to the integrator's iteration */
        3028,   /* a dead point: refused by name, or right */
        930023, /* likewise; the audit was the first to refuse, and named no cause */
    };
    Pile *p = malloc(sizeof *p);
    for (size_t i = 0; i < sizeof seed / sizeof *seed && !soak_is_long(); i++)
        check_seed(p, seed[i]);
    free(p);
}

/* ---- shafts ---- */

enum { SHAFTS = 9, GROUPS = 3, GEARS = 14, SPRINGS = 6 };

typedef struct Gear {
    int a, b;
} Gear;

typedef struct Spring {
    int a, b; /* b -1: the ground */
    double c, d;
} Spring;

typedef struct Train {
    int n, n_groups, n_gears, n_springs;
    bool exact; /* ways around agree to the last digit */
    int wrong; /* gear that does not agree with the others of its group, which stands still; -1: none */
    double wrong_by;
    int group[SHAFTS];
    double speed[SHAFTS]; /* of the shaft, when its group turns by one */
    double inertia[SHAFTS];
    Gear gear[GEARS];
    Spring spring[SPRINGS];
    double start[GROUPS], rate[GROUPS], torque[GROUPS]; /* on the first shaft of the group */
    char text[TEXT];
} Train;

/* Products of powers of two are exact, others are rounded. */
static double draw_ratio(bool exact)
{
    return exact ? ldexp(1, draw(5) - 2) : draw_from(0.3, 3);
}

/* Shaft k of a group hangs on one before it; then there are gears between others, of the ratio that they have already. */
static void draw_train(Train *t)
{
    *t = (Train){.n_groups = 1 + draw(GROUPS), .exact = draw(3) == 0, .wrong = -1};
    t->n = t->n_groups * 2 + draw(SHAFTS - t->n_groups * 2 + 1);
    for (int k = 0; k < t->n; k++) {
        t->group[k] = k % t->n_groups;
        t->speed[k] = 1;
        t->inertia[k] = draw_from(0.3, 2);
        if (k < t->n_groups)
            continue;
        int from = k - t->n_groups * (1 + draw(k / t->n_groups));
        t->speed[k] = t->speed[from] * (draw(3) ? 1 : -1) * draw_ratio(t->exact);
        t->gear[t->n_gears++] = draw(2) ? (Gear){from, k} : (Gear){k, from};
    }
    for (int i = 1 + draw(4); i > 0; i--) {
        int a = draw(t->n), b = draw(t->n);
        if (a == b || t->group[a] != t->group[b] || t->n_gears == GEARS)
            i++;
        else
            t->gear[t->n_gears++] = (Gear){a, b};
    }
    if (draw(4) == 0) {
        t->wrong = t->n_gears - 1;
        t->wrong_by = pow(10, -draw_from(1, 9));
    }
    t->n_springs = 1 + draw(SPRINGS);
    for (int i = 0; i < t->n_springs; i++) {
        Spring *s = &t->spring[i];
        *s = (Spring){draw(t->n), draw(t->n + 1) - 1, draw_from(0.5, 5), draw_from(0, 0.5)};
        if (s->b == s->a || i == 0)
            s->b = -1;
    }
    for (int g = 0; g < t->n_groups; g++) {
        t->start[g] = draw_from(-1, 1);
        t->rate[g] = draw_from(-1, 1);
        t->torque[g] = draw_from(-3, 3);
    }
}

static bool stands_still(const Train *t, int group)
{
    return t->wrong >= 0 && t->group[t->gear[t->wrong].a] == group;
}

static void write_train(Train *t)
{
    at = t->text;
    put("model Train\ninterface:\n  static Rotational.Sources.Fixed G;\n");
    for (int k = 0; k < t->n; k++)
        put("  static Rotational.Basic.Inertia S%d{J << %.17g, phi_start << %.17g, w_start << "
            "%.17g};\n",
            k, t->inertia[k], t->speed[k] * t->start[t->group[k]],
            t->speed[k] * t->rate[t->group[k]]);
    for (int i = 0; i < t->n_gears; i++)
        put("  static Rotational.Basic.Gear W%d{ratio << %.17g};\n", i,
            t->speed[t->gear[i].a] / t->speed[t->gear[i].b] *
                (i == t->wrong ? 1 + t->wrong_by : 1));
    for (int i = 0; i < t->n_springs; i++)
        put("  static Rotational.Basic.SpringDamper Z%d{c << %.17g, d << %.17g};\n", i,
            t->spring[i].c, t->spring[i].d);
    put("implementation:\n");
    for (int k = 0; k < t->n; k++) {
        if (k < t->n_groups)
            put("  S%d.a.t = %.17g*sin(3*time);\n", k, t->torque[k]);
        else
            put("  S%d.a.t = 0;\n", k);
    }
    for (int i = 0; i < t->n_gears; i++)
        put("  connection{a << S%d.b, b << W%d.a}; connection{a << S%d.b, b << W%d.b};\n",
            t->gear[i].a, i, t->gear[i].b, i);
    for (int i = 0; i < t->n_springs; i++) {
        put("  connection{a << S%d.b, b << Z%d.a}; ", t->spring[i].a, i);
        if (t->spring[i].b < 0)
            put("connection{a << G.f, b << Z%d.b};\n", i);
        else
            put("connection{a << S%d.b, b << Z%d.b};\n", t->spring[i].b, i);
    }
    put("end Train;\n");
}

/* Variables: sine, cosine, then angle and speed of each group. */
static bool train_flow(const Train *t, Long step, LinearFlow *flow)
{
    static LinearDae d;
    memset(&d, 0, sizeof d);
    d.n = 2 + 2 * t->n_groups;
    d.e[0][0] = d.e[1][1] = 1;
    d.a[0][1] = 3;
    d.a[1][0] = -3;
    for (int g = 0; g < t->n_groups; g++) {
        int q = 2 + 2 * g;
        d.e[q][q] = 1;
        d.a[q][q + 1] = 1;
        for (int k = g; k < t->n; k += t->n_groups)
            d.e[q + 1][q + 1] += t->inertia[k] * (Long)t->speed[k] * t->speed[k];
        d.a[q + 1][0] = stands_still(t, g) ? 0 : t->torque[g];
    }
    for (int i = 0; i < t->n_springs; i++) {
        const Spring *s = &t->spring[i];
        Long by[2 + 2 * GROUPS] = {0}; /* how far it is turned, by angle of group */
        if (!stands_still(t, t->group[s->a]))
            by[2 + 2 * t->group[s->a]] -= t->speed[s->a];
        if (s->b >= 0 && !stands_still(t, t->group[s->b]))
            by[2 + 2 * t->group[s->b]] += t->speed[s->b];
        for (int q = 2; q < d.n; q += 2)
            for (int r = 2; r < d.n; r += 2) {
                d.a[q + 1][r] -= by[q] * s->c * by[r];
                d.a[q + 1][r + 1] -= by[q] * s->d * by[r];
            }
    }
    return linear_flow_make(flow, &d, step) == LINEAR_SOLVED;
}

/* Of the group that moves most: where one passes zero, steps follow the others. */
static Long motion_size(const Train *t, const LinearMotion *motion, const Long *x)
{
    Long most = 0;
    for (int i = 2; i < 2 + 2 * t->n_groups; i++)
        most = fmaxl(most, fabsl(linear_motion_value(motion, i, x)));
    return most;
}

static void check_train(Train *t)
{
    static LinearFlow flow;
    const double step = 0.25;
    LinearForm form[2 + 2 * GROUPS];
    Long value[2 + 2 * GROUPS] = {0, 1}, x[LD_FREE], conflict;
    write_train(t);
    SimLab *lab = open_text(t->text);
    assert_true(train_flow(t, step, &flow));
    for (int i = 0; i < 2 + 2 * t->n_groups; i++)
        form[i] = (LinearForm){1, {i}, {1}};
    for (int g = 0; g < t->n_groups; g++) {
        if (stands_still(t, g))
            continue;
        value[2 + 2 * g] = t->start[g];
        value[3 + 2 * g] = t->rate[g];
    }
    assert_true(linear_motion_start(&flow.motion, 2 + 2 * t->n_groups, form, value, x, &conflict));
    for (int k = 1; k <= POINTS; k++) {
        linear_flow_move(&flow, 0, x);
        run_to(lab, k * step, t->text);
        Long most = motion_size(t, &flow.motion, x);
        for (int i = 0; i < t->n; i++) {
            char path[20];
            Long size = most * fabsl(t->speed[i]);
            Long phi = t->speed[i] * linear_motion_value(&flow.motion, 2 + 2 * t->group[i], x);
            Long w = t->speed[i] * linear_motion_value(&flow.motion, 3 + 2 * t->group[i], x);
            sprintf(path, "S%d.phi", i);
            compare(lab, path, phi, size, k * step, t->text);
            sprintf(path, "S%d.w", i);
            compare(lab, path, w, size, k * step, t->text);
        }
    }
    SolStats stats;
    sol_stats(lab->sim, &stats);
    expect(stats.states == 2u * (unsigned)(t->n_groups - (t->wrong >= 0)), "states", t->text);
    expect(sim_lab_said(lab, "it stands still") == (t->wrong >= 0), "what is told", t->text);
    sim_lab_close(lab);
}

static void random_trains(void **state)
{
    (void)state;
    Train *t = malloc(sizeof *t);
    Soak soak = soak_begin("trains of gears", 60, 0.5);
    while (soak_next(&soak)) {
        drawn = soak.seed * 7919 + 5;
        draw_train(t);
        check_train(t);
    }
    soak_end(&soak);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_piles),
                                       cmocka_unit_test(piles_found),
                                       cmocka_unit_test(random_trains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
