/* n buck converters, each on its own -> the voltages of their capacitors
 *
 * U = 24, L = C = 1e-4, R = 10, period 1e-4, on for half of it; converter k of n is ahead by k/n of half a period; all at
 * rest before t = 0. Modes:
 *
 *     on        L i' = U - u,   C u' = i - u/R,   until the clock ends it
 *     carries   L i' = -u,      C u' = i - u/R,   until i < 0 or the clock
 *     neither   i = 0,          C u' = -u/R,      until the clock
 *
 * Method `dp5` integrates and locates i = 0; `exact` has the closed form of each mode.
 */
#include "stepper.h"

static const double U = 24, L = 1e-4, C = 1e-4, R = 10, PERIOD = 1e-4;

typedef enum Mode { ON, CARRIES, NEITHER } Mode;

typedef struct Buck {
    Mode mode;
    Record *record;
    long k, n; /* which converter of how many */
} Buck;

static void rhs(double t, const double *y, double *f, void *user)
{
    const Buck *b = user;

    (void)t;
    f[0] = (y[1] - y[0] / R) / C;
    f[1] = b->mode == NEITHER ? 0 : ((b->mode == ON ? U : 0) - y[0]) / L;
}

static double event(double t, const double *y, void *user)
{
    const Buck *b = user;

    (void)t;
    return b->mode == CARRIES ? -y[1] : -1;
}

static void output(double t, const double *y, void *user)
{
    const Buck *b = user;
    Record *r = b->record;
    long row = r->rows++;
    double *v = r->values + row * r->columns;

    r->time[row] = t;
    if (b->k == 0) {
        v[0] = y[0];
        v[2] = 0;
    }
    v[1] = y[0];
    v[2] += y[0];
}

/* The clock: when half h of the periods ends, counted from the one at t = 0, in which it is on. */
static double half_ends(const Buck *b, long h)
{
    return ((double)(h + 1) - (double)b->k / (double)b->n) / 2 * PERIOD;
}

/* ---- closed forms ------------------------------------------------------------------------ */

/* u and i behind `time` seconds of a mode: a damped oscillation around its resting point. */
static void propagate(Mode mode, double time, const double from[2], double to[2])
{
    const double a = 1 / (2 * R * C), w = sqrt(1 / (L * C) - a * a);
    double rest = mode == ON ? U : 0;

    if (mode == NEITHER) {
        to[0] = from[0] * exp(-time / (R * C));
        to[1] = 0;
        return;
    }
    double u = from[0] - rest, i = from[1] - rest / R, e = exp(-a * time);
    double c = cos(w * time), s = sin(w * time) / w;
    double du = (i - u / R) / C, di = -u / L;
    to[0] = rest + e * (u * c + (du + a * u) * s);
    to[1] = rest / R + e * (i * c + (di + a * i) * s);
}

typedef struct Falling {
    const double *from;
} Falling;

static double falls(double time, void *user)
{
    const Falling *f = user;
    double y[2];

    propagate(CARRIES, time, f->from, y);
    return -y[1];
}

static void exact_outputs(Buck *b, const Options *o, long *row, double from, double to,
                          const double y[2])
{
    double at[2];

    for (; (double)*row * o->interval <= to * (1 + 1e-14); (*row)++) {
        propagate(b->mode, fmax(0, (double)*row * o->interval - from), y, at);
        output((double)*row * o->interval, at, b);
    }
}

static void exact_run(const Options *o, Buck *b, Counts *counts)
{
    double t = 0, y[2] = {0, 0}, next[2];
    long row = 0, h = 0;

    b->record->rows = 0;
    b->mode = ON;
    while (t < o->stop) {
        double until = fmin(half_ends(b, h), o->stop);
        propagate(b->mode, until - t, y, next);
        counts->steps++;
        bool empty = b->mode == CARRIES && next[1] < 0;
        if (empty) {
            until = t + common_locate(falls, &(Falling){y}, 0, until - t);
            propagate(b->mode, until - t, y, next);
        }
        exact_outputs(b, o, &row, t, until, y);
        y[0] = next[0];
        y[1] = empty ? 0 : next[1];
        t = until;
        counts->events += t < o->stop;
        if (empty)
            b->mode = NEITHER;
        else
            b->mode = ++h % 2 == 0 ? ON : CARRIES;
    }
}

static void run_exact(const Options *o, Record *r, Counts *counts)
{
    Buck b = {.record = r, .n = o->n};

    for (b.k = 0; b.k < o->n; b.k++)
        exact_run(o, &b, counts);
    counts->states = 2 * o->n;
}

/* ---- Dormand-Prince ---------------------------------------------------------------------- */

static void buck_run(const Options *o, Stepper *s, Buck *b, Counts *counts)
{
    long row = 0, h = 0;
    double t = 0;
    Phase p = {.stepper = s,
               .event = event,
               .output = output,
               .user = b,
               .interval = o->interval,
               .row = &row};

    b->record->rows = 0;
    b->mode = ON;
    s->y[0] = s->y[1] = 0;
    while (t < o->stop) {
        p.stop = fmin(half_ends(b, h), o->stop);
        bool empty = stepper_phase(&p, t);
        t = s->t;
        counts->events += t < o->stop;
        if (empty) {
            b->mode = NEITHER;
            s->y[1] = 0;
        } else {
            b->mode = ++h % 2 == 0 ? ON : s->y[1] > 0 ? CARRIES : NEITHER;
        }
    }
}

static void run_dp5(const Options *o, Record *r, Counts *counts)
{
    Buck b = {.record = r, .n = o->n};
    Stepper s;

    stepper_open_dp5(&s, 2, rhs, &b, o->rtol, o->atol, 0);
    for (b.k = 0; b.k < o->n; b.k++)
        buck_run(o, &s, &b, counts);
    stepper_close(&s, counts);
    counts->states = 2 * o->n;
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"u_first", "u_last", "u_sum"};
    static const Method methods[] = {{"dp5", run_dp5}, {"exact", run_exact}, {NULL, NULL}};
    Program p = {"buck", columns, 3, methods, run_exact};
    Options o = common_options(argc, argv,
                               (Options){.method = "dp5",
                                         .stop = 0.1,
                                         .interval = 1e-3,
                                         .rtol = 1e-6,
                                         .atol = 1e-6,
                                         .n = 1,
                                         .repeat = 1});

    return common_main(&p, &o);
}
