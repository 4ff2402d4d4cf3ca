/* an integrator and an automaton's conditions -> the state at the next event */
#include "stepper.h"

#include <stdlib.h>
#include <string.h>

/* ---- Dormand-Prince ----------------------------------------------------------------------- */

static void dp5_stepper_begin(Stepper *s, double t)
{
    /* A restart inside a smooth stretch may try the step that was just good. */
    double h = s->dp5.steps ? 0.5 * s->dp5.h : 0;

    if (s->n == 2)
        dp5_begin(&s->dp5, 2, s->rhs, s->user, t, h);
    else
        dp5_begin(&s->dp5, s->n, s->rhs, s->user, t, h);
    s->t0 = s->t = t;
}

static void dp5_stepper_step(Stepper *s, double stop)
{
    if (s->n == 2) /* the loops get their length at compile time */
        dp5_step(&s->dp5, 2, s->rhs, s->user, stop);
    else
        dp5_step(&s->dp5, s->n, s->rhs, s->user, stop);
    s->t0 = s->dp5.t0;
    s->t = s->dp5.t;
}

static void dp5_stepper_dense(Stepper *s, double t, double *y)
{
    for (int i = 0; i < s->n; i++)
        y[i] = dp5_dense(&s->dp5, i, t);
}

static void dp5_stepper_close(Stepper *s, Counts *c)
{
    c->steps += s->dp5.steps;
    c->residuals += s->dp5.calls;
}

static void explicit_open(Stepper *s, int n, Dp5Rhs rhs, void *user)
{
    *s = (Stepper){.n = n, .rhs = rhs, .user = user};
    s->room = common_alloc((size_t)(dp5_room(n) + n), sizeof(double));
    dp5_place(&s->dp5, n, s->room);
    s->y = s->dp5.y;
    s->close = dp5_stepper_close;
}

void stepper_open_dp5(Stepper *s, int n, Dp5Rhs rhs, void *user, double rtol, double atol,
                      double max_step)
{
    explicit_open(s, n, rhs, user);
    s->begin = dp5_stepper_begin;
    s->step = dp5_stepper_step;
    s->dense = dp5_stepper_dense;
    s->dp5.rtol = rtol;
    s->dp5.atol = atol;
    s->dp5.max_step = max_step;
}

/* ---- Runge-Kutta 4, in the arrays of the one above ---------------------------------------- */

static void rk4_begin(Stepper *s, double t)
{
    s->t0 = s->t = t;
    s->rhs(t, s->y, s->dp5.k[6], s->user);
    s->dp5.calls++;
}

static void rk4_step(Stepper *s, double stop)
{
    double *y0 = s->dp5.y0, *stage = s->dp5.stage, **k = s->dp5.k, *first = k[0];
    double h = s->dp5.max_step;
    bool last = s->t + h * (1 + 1e-9) >= stop;
    const double at[3] = {0.5, 0.5, 1};

    if (last)
        h = stop - s->t;
    k[0] = k[6];
    k[6] = first;
    memcpy(y0, s->y, (size_t)s->n * sizeof *y0);
    s->t0 = s->t;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < s->n; i++)
            stage[i] = y0[i] + h * at[j] * k[j][i];
        s->rhs(s->t0 + h * at[j], stage, k[j + 1], s->user);
    }
    for (int i = 0; i < s->n; i++)
        s->y[i] = y0[i] + h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    s->t = last ? stop : s->t0 + h;
    s->rhs(s->t, s->y, k[6], s->user);
    s->dp5.calls += 4;
    s->dp5.steps++;
}

static void rk4_dense(Stepper *s, double t, double *y)
{
    double h = s->t - s->t0, x = (t - s->t0) / h, x1 = 1 - x;
    double *const *k = s->dp5.k;

    for (int i = 0; i < s->n; i++) {
        double a = s->dp5.y0[i], b = s->y[i], d = b - a;
        y[i] = x1 * a + x * b +
               x * (x - 1) * ((1 - 2 * x) * d + h * ((x - 1) * k[0][i] + x * k[6][i]));
    }
}

void stepper_open_rk4(Stepper *s, int n, Dp5Rhs rhs, void *user, double step)
{
    explicit_open(s, n, rhs, user);
    s->begin = rk4_begin;
    s->step = rk4_step;
    s->dense = rk4_dense;
    s->dp5.max_step = step;
}

/* ---- IDA ---------------------------------------------------------------------------------- */

static void ida_stepper_begin(Stepper *s, double t)
{
    /* A hundredth of the last step saves most of the ramp from IDA's own, careful guess. */
    double first = 0.01 * s->ida.h;

    common_ida_count(&s->ida, &s->counts);
    s->rhs(t, s->y, s->ida.vp, s->user);
    common_ida_begin(&s->ida, t, first);
    s->t0 = s->t = t;
}

static void ida_stepper_step(Stepper *s, double stop)
{
    s->t0 = s->ida.t;
    common_ida_step(&s->ida, stop);
    s->t = s->ida.t;
}

static void ida_stepper_dense(Stepper *s, double t, double *y)
{
    common_ida_dense(&s->ida, t, 0, y);
}

static void ida_stepper_close(Stepper *s, Counts *c)
{
    common_ida_count(&s->ida, &s->counts);
    c->steps += s->counts.steps;
    c->residuals += s->counts.residuals;
    c->jacobians += s->counts.jacobians;
    common_ida_close(&s->ida);
}

void stepper_open_ida(Stepper *s, const IdaCase *k, Dp5Rhs rhs)
{
    *s = (Stepper){.n = (int)k->n, .rhs = rhs, .user = k->user};
    s->begin = ida_stepper_begin;
    s->step = ida_stepper_step;
    s->dense = ida_stepper_dense;
    s->close = ida_stepper_close;
    common_ida_open(&s->ida, k);
    s->y = s->ida.v;
    s->room = common_alloc((size_t)s->n, sizeof(double));
}

void stepper_close(Stepper *s, Counts *c)
{
    s->close(s, c);
    free(s->room);
}

/* ---- Phases ------------------------------------------------------------------------------- */

/* The last n numbers of the room serve states inside a step. */
static double *probe(Stepper *s)
{
    return s->room + (s->close == ida_stepper_close ? 0 : dp5_room(s->n));
}

static double event_at(double t, void *user)
{
    const Phase *p = user;

    p->stepper->dense(p->stepper, t, probe(p->stepper));
    return p->event(t, probe(p->stepper), p->user);
}

static void outputs(const Phase *p, double from, double to)
{
    Stepper *s = p->stepper;
    double *y = probe(s);

    for (;; (*p->row)++) {
        double t = (double)*p->row * p->interval;
        if (t > to * (1 + 1e-14))
            return;
        if (t <= from)
            p->output(t, s->y, p->user);
        else {
            s->dense(s, t < s->t ? t : s->t, y);
            p->output(t, y, p->user);
        }
    }
}

bool stepper_phase(const Phase *p, double t)
{
    Stepper *s = p->stepper;

    s->begin(s, t);
    outputs(p, t, t);
    while (s->t < p->stop) {
        s->step(s, p->stop);
        if (p->event && p->event(s->t, s->y, p->user) > 0) {
            double at = common_locate(event_at, (void *)p, s->t0, s->t);
            outputs(p, s->t0, at);
            s->dense(s, at, probe(s));
            memcpy(s->y, probe(s), (size_t)s->n * sizeof *s->y);
            s->t = at;
            return true;
        }
        outputs(p, s->t0, s->t);
    }
    return false;
}
