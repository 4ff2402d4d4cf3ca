/* the planar trebuchet in minimal coordinates -> angles and the projectile's flight
 *
 * Pivot at (0, 9); R(a)(s) turns s clockwise by a. From the pivot: arm to the tip A = R(p)(-10, 0),
 * to the hinge H = R(p)(2.5, 0); counterweight at hinge + K = R(q)(-2, -1.5), where q - p is the
 * angle of its joint; projectile at tip + S = R(s)(rope when it became taut). Bodies: tip 100 kg,
 * 10 kgm2; counterweight 10,000 kg, 12,000 kgm2; projectile 30 kg, 2 kgm2, turning with the rope.
 * With X' = angle' * turn(X), turn(x, y) = (y, -x), Lagrange's equations are
 *
 *     M11 p'' + M12 q'' + M13 s''  = Q1     M11 = It + mt A2 + mc H2 (+ mp A2 on the rope)
 *     M12 p'' + M22 q''            = Q2     M12 = mc H.K, M22 = Ic + mc K2
 *     M13 p''            + M33 s'' = Q3     M13 = mp A.S, M33 = Ip + mp S2
 *
 * Modes of the projectile: at rest on the ground, the rope slack -> (rope taut, an inelastic
 * impulse along it) -> on the rope -> (rope has turned by 3.6) -> free. Apart from that the stop of
 * the counterweight's joint at q - p = -3.8 takes its speed away, inelastic, and lets go at once.
 */
#include "stepper.h"

#include <sunmatrix/sunmatrix_dense.h>

#include <string.h>

static const double G = 9.81, TIP_M = 100, TIP_I = 10, WEIGHT_M = 1e4, WEIGHT_I = 12e3, SHOT_M = 30,
                    SHOT_I = 2, ROPE = 7, RELEASE = 3.6, STOP = -3.8;

enum { SLACK, ON_ROPE, FREE };

typedef struct Vec {
    double x, y;
} Vec;

typedef struct Machine {
    int mode;
    bool stopped;   /* the stop was hit: its event is over */
    Vec rope;       /* from tip to projectile, when it became taut */
    double hold[4]; /* where and how fast the projectile was released: x, y, x', y' */
    double released;
    Record *record;
} Machine;

static Vec turned(double angle, double x, double y)
{
    double c = cos(angle), s = sin(angle);

    return (Vec){c * x + s * y, -s * x + c * y};
}

static double dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y;
}

/* turn(a).b */
static double cross(Vec a, Vec b)
{
    return a.y * b.x - a.x * b.y;
}

/* y = p, q, s, p', q', s'. m: M11 M12 M22 M13 M33; right: Q1 Q2 Q3. */
typedef struct Dynamics {
    Vec tip, hinge, weight, shot;
    double m11, m12, m22, m13, m33;
    double q1, q2, q3;
} Dynamics;

static Dynamics dynamics(const Machine *a, const double *y)
{
    Dynamics d = {.tip = turned(y[0], -10, 0),
                  .hinge = turned(y[0], 2.5, 0),
                  .weight = turned(y[1], -2, -1.5)};
    double hk = cross(d.hinge, d.weight), p2 = y[3] * y[3], q2 = y[4] * y[4], s2 = y[5] * y[5];

    d.m11 = TIP_I + TIP_M * 100 + WEIGHT_M * 6.25;
    d.m12 = WEIGHT_M * dot(d.hinge, d.weight);
    d.m22 = WEIGHT_I + WEIGHT_M * 6.25;
    d.q1 = G * (TIP_M * d.tip.x + WEIGHT_M * d.hinge.x) + WEIGHT_M * q2 * hk;
    d.q2 = G * WEIGHT_M * d.weight.x - WEIGHT_M * p2 * hk;
    d.m33 = 1;
    if (a->mode == ON_ROPE) {
        d.shot = turned(y[2], a->rope.x, a->rope.y);
        double as = cross(d.tip, d.shot);
        d.m11 += SHOT_M * 100;
        d.m13 = SHOT_M * dot(d.tip, d.shot);
        d.m33 = SHOT_I + SHOT_M * dot(d.shot, d.shot);
        d.q1 += G * SHOT_M * d.tip.x + SHOT_M * s2 * as;
        d.q3 = G * SHOT_M * d.shot.x - SHOT_M * p2 * as;
    }
    return d;
}

/* Both outer unknowns are eliminated; p'' is what remains. */
static void rhs(double t, const double *y, double *f, void *user)
{
    Dynamics d = dynamics(user, y);
    double a2 = d.m12 / d.m22, a3 = d.m13 / d.m33;

    (void)t;
    memcpy(f, y + 3, 3 * sizeof *f);
    f[3] = (d.q1 - a2 * d.q2 - a3 * d.q3) / (d.m11 - a2 * d.m12 - a3 * d.m13);
    f[4] = (d.q2 - d.m12 * f[3]) / d.m22;
    f[5] = (d.q3 - d.m13 * f[3]) / d.m33;
}

/* ---- Events ------------------------------------------------------------------------------- */

static Vec ground_to_tip(const double *y)
{
    Vec tip = turned(y[0], -10, 0);

    return (Vec){tip.x + 1, tip.y + 9};
}

static double event_shot(const Machine *a, const double *y)
{
    if (a->mode == SLACK) {
        Vec r = ground_to_tip(y);
        return dot(r, r) - ROPE * ROPE;
    }
    return a->mode == ON_ROPE ? y[2] - RELEASE : -1;
}

static double event_stop(const Machine *a, const double *y)
{
    return a->stopped ? -1 : STOP - (y[1] - y[0]);
}

static double event(double t, const double *y, void *user)
{
    (void)t;
    return fmax(event_shot(user, y), event_stop(user, y));
}

/* The impulse J along the rope leaves no speed along it between tip and projectile. */
static void rope_taut(Machine *a, double *y)
{
    Dynamics d = dynamics(a, y);
    Vec r = ground_to_tip(y), u = {r.x / ROPE, r.y / ROPE};
    double along = cross(d.tip, u); /* speed of the tip along u for p' = 1 */
    double m = d.m11 - d.m12 * d.m12 / d.m22;
    double j = -along * y[3] / (along * along / m + 1 / SHOT_M);
    double dp = along * j / m;

    y[3] += dp;
    y[4] -= d.m12 / d.m22 * dp;
    /* The projectile moves along the rope; across it only the tip does. */
    y[2] = 0;
    y[5] = (y[3] * dot(d.tip, u)) / ROPE;
    a->rope = (Vec){-r.x, -r.y};
    a->mode = ON_ROPE;
}

static void rope_release(Machine *a, double t, const double *y)
{
    Dynamics d = dynamics(a, y);

    a->hold[0] = d.tip.x + d.shot.x;
    a->hold[1] = 9 + d.tip.y + d.shot.y;
    a->hold[2] = y[3] * d.tip.y + y[5] * d.shot.y;
    a->hold[3] = -y[3] * d.tip.x - y[5] * d.shot.x;
    a->released = t;
    a->mode = FREE;
}

/* Angular momentum of both bodies together about the pivot stays. */
static void stop_hit(Machine *a, double *y)
{
    Dynamics d = dynamics(a, y);
    double l = (d.m11 + d.m12) * y[3] + (d.m12 + d.m22) * y[4];

    if (a->mode == ON_ROPE)
        common_fail("the stop was hit with the projectile on the rope: not written for that");
    y[3] = y[4] = l / (d.m11 + 2 * d.m12 + d.m22);
    a->stopped = true;
}

static void projectile(const Machine *a, double t, const double *y, double *to)
{
    double dt = t - a->released;

    if (a->mode == SLACK) {
        memcpy(to, (double[]){-1, 0, 0, 0}, 4 * sizeof *to);
    } else if (a->mode == ON_ROPE) {
        Machine now = *a;
        rope_release(&now, t, y);
        memcpy(to, now.hold, sizeof now.hold);
    } else { /* a parabola */
        to[0] = a->hold[0] + dt * a->hold[2];
        to[1] = a->hold[1] + dt * (a->hold[3] - 0.5 * G * dt);
        to[2] = a->hold[2];
        to[3] = a->hold[3] - G * dt;
    }
}

static void output(double t, const double *y, void *user)
{
    Machine *a = user;
    double v[6] = {y[0], y[1] - y[0]};

    projectile(a, t, y, v + 2);
    common_record_add(a->record, t, v);
}

/* ---- IDA: F = y' - v and M(y) v' - Q(y, v), with the Jacobian by hand ---------------------- */

static int residual(double t, N_Vector yy, N_Vector yyp, N_Vector to, void *user)
{
    const double *y = N_VGetArrayPointer(yy), *yp = N_VGetArrayPointer(yyp);
    double *r = N_VGetArrayPointer(to);
    Dynamics d = dynamics(user, y);

    (void)t;
    for (int i = 0; i < 3; i++)
        r[i] = yp[i] - y[i + 3];
    r[3] = d.m11 * yp[3] + d.m12 * yp[4] + d.m13 * yp[5] - d.q1;
    r[4] = d.m12 * yp[3] + d.m22 * yp[4] - d.q2;
    r[5] = d.m13 * yp[3] + d.m33 * yp[5] - d.q3;
    return 0;
}

/* Rows 3 and `row` of the coupling of angle 0 with angle `at`: mass m, arm a, other b. With
 * c = a.b and x = turn(a).b: dc/dp = x, dc/dq = -x, dx/dp = -c, dx/dq = c. */
static void couple(SUNMatrix j, int at, double m, Vec a, Vec b, const double *y, const double *yp)
{
    double c = m * dot(a, b), x = m * cross(a, b), p = y[3], q = y[3 + at];
    int row = 3 + at;

    SM_ELEMENT_D(j, 3, 0) += x * yp[row] + q * q * c;
    SM_ELEMENT_D(j, 3, at) += -x * yp[row] - q * q * c;
    SM_ELEMENT_D(j, 3, row) += -2 * q * x;
    SM_ELEMENT_D(j, row, 0) += x * yp[3] - p * p * c;
    SM_ELEMENT_D(j, row, at) += -x * yp[3] + p * p * c;
    SM_ELEMENT_D(j, row, 3) += 2 * p * x;
}

static int jacobian(double t, double cj, N_Vector yy, N_Vector yyp, N_Vector r, SUNMatrix j,
                    void *user, N_Vector w1, N_Vector w2, N_Vector w3)
{
    const double *y = N_VGetArrayPointer(yy), *yp = N_VGetArrayPointer(yyp);
    const Machine *a = user;
    Dynamics d = dynamics(a, y);

    (void)t, (void)r, (void)w1, (void)w2, (void)w3;
    for (int i = 0; i < 3; i++) {
        SM_ELEMENT_D(j, i, i) = cj;
        SM_ELEMENT_D(j, i, i + 3) = -1;
    }
    SM_ELEMENT_D(j, 3, 3) = cj * d.m11;
    SM_ELEMENT_D(j, 3, 4) = SM_ELEMENT_D(j, 4, 3) = cj * d.m12;
    SM_ELEMENT_D(j, 3, 5) = SM_ELEMENT_D(j, 5, 3) = cj * d.m13;
    SM_ELEMENT_D(j, 4, 4) = cj * d.m22;
    SM_ELEMENT_D(j, 5, 5) = cj * d.m33;
    /* d turn/d angle: x' = y, so the weights' moments G m x change by G m y. */
    SM_ELEMENT_D(j, 3, 0) -= G * (TIP_M * d.tip.y + WEIGHT_M * d.hinge.y);
    SM_ELEMENT_D(j, 4, 1) -= G * WEIGHT_M * d.weight.y;
    couple(j, 1, WEIGHT_M, d.hinge, d.weight, y, yp);
    if (a->mode == ON_ROPE) {
        SM_ELEMENT_D(j, 3, 0) -= G * SHOT_M * d.tip.y;
        SM_ELEMENT_D(j, 5, 2) -= G * SHOT_M * d.shot.y;
        couple(j, 2, SHOT_M, d.tip, d.shot, y, yp);
    }
    return 0;
}

/* ---- Runs --------------------------------------------------------------------------------- */

static void run(const Options *o, Stepper *s, Machine *a, Counts *c)
{
    long row = 0;
    double t = 0;
    Phase p = {.stepper = s,
               .stop = o->stop,
               .event = event,
               .output = output,
               .user = a,
               .interval = o->interval,
               .row = &row};

    s->y[0] = s->y[1] = -1.1;
    while (stepper_phase(&p, t)) {
        t = s->t;
        c->events++;
        if (event_stop(a, s->y) > 0)
            stop_hit(a, s->y);
        else if (a->mode == SLACK)
            rope_taut(a, s->y);
        else
            rope_release(a, t, s->y);
    }
    c->states = s->n;
    stepper_close(s, c);
}

static void run_dp5(const Options *o, Record *r, Counts *c)
{
    Machine a = {.record = r};
    Stepper s;

    stepper_open_dp5(&s, 6, rhs, &a, o->rtol, o->atol, 0);
    run(o, &s, &a, c);
}

static void run_ida(const Options *o, Record *r, Counts *c)
{
    Machine a = {.record = r};
    IdaCase k = {.n = 6,
                 .residual = residual,
                 .jacobian = jacobian,
                 .user = &a,
                 .rtol = o->rtol,
                 .atol = o->atol,
                 .max_order = o->max_order};
    Stepper s;

    stepper_open_ida(&s, &k, rhs);
    run(o, &s, &a, c);
}

static void run_reference(const Options *o, Record *r, Counts *c)
{
    Options tight = *o;

    tight.rtol = tight.atol = 1e-13;
    run_dp5(&tight, r, c);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"R1_phi", "R2_phi", "x", "y", "vx", "vy"};
    static const Method methods[] = {{"ida", run_ida}, {"dp5", run_dp5}, {NULL, NULL}};
    Program p = {"trebuchet", columns, 6, methods, run_reference};
    Options o = common_options(
        argc, argv,
        (Options){
            .method = "dp5", .stop = 2, .interval = 2e-3, .rtol = 1e-8, .atol = 1e-8, .repeat = 1});

    return common_main(&p, &o);
}
