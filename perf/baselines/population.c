/* life forms that divide and die in one tank -> how many live, what they eat, what is left
 *
 * The model of Zimmer's thesis (ETH 18924, section 11.5): nutrition Nc and pollution Pc in V
 * litres; a life form with absorbance r takes in f = s r Nc, and
 *
 *     E' = NE f - M - Pc^2 (0.5 + NE r^2),   Nc' = -sum(f)/V,   Pc' = +sum(f)/V
 *
 * It divides at E >= 2 into two with E = 1, one of which has r (0.9 + spread u), u uniform in
 * [0, 1]; it dies at E < 0.5. First r 0.1, first E 1, Nc 0.2, Pc 0.
 *
 * Struct of arrays, the living without gaps. Nc and Pc do not depend on the energies, so explicit
 * methods integrate two numbers and then sweep once over E: what matters here is how events are
 * found. `exact` uses that the solution is known between events.
 */
#include "common.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double S = 0.02, NE = 100, M = 0.005, NC0 = 0.2, R0 = 0.1, DIVIDE = 2, DIE = 0.5;

typedef struct Colony {
    double *e;     /* [n]: energy; exact: energy it would have had at the start (see there) */
    double *r;     /* [n]: absorbance */
    double *a, *q; /* [n]: E' = a Nc - M - q Pc^2 */
    long n, room;
    double nc, pc, sum_r, volume, spread;
    uint64_t draws;
    long divisions, deaths;
    Record *record;
    long row;
    double interval;
} Colony;

/* ---- The colony --------------------------------------------------------------------------- */

/* Uniform in [0, 1]: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014. */
static double draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double *grown(double *old, long n, long room)
{
    double *fresh = common_alloc((size_t)room, sizeof *fresh);

    if (n)
        memcpy(fresh, old, (size_t)n * sizeof *fresh);
    free(old);
    return fresh;
}

static void add(Colony *c, double r, double e)
{
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->e = grown(c->e, c->n, c->room);
        c->r = grown(c->r, c->n, c->room);
        c->a = grown(c->a, c->n, c->room);
        c->q = grown(c->q, c->n, c->room);
    }
    c->e[c->n] = e;
    c->r[c->n] = r;
    c->a[c->n] = S * NE * r;
    c->q[c->n] = 0.5 + NE * r * r;
    c->sum_r += r;
    c->n++;
}

static void divide(Colony *c, long i)
{
    c->e[i] = 1;
    c->divisions++;
    add(c, c->r[i] * (0.9 + c->spread * draw(&c->draws)), 1);
}

static void die(Colony *c, long i)
{
    long last = --c->n;

    c->sum_r -= c->r[i];
    c->deaths++;
    c->e[i] = c->e[last];
    c->r[i] = c->r[last];
    c->a[i] = c->a[last];
    c->q[i] = c->q[last];
}

/* Everyone beyond a threshold meets it now. */
static void events(Colony *c)
{
    for (long i = 0; i < c->n; i++) {
        if (c->e[i] >= DIVIDE)
            divide(c, i);
        else if (c->e[i] < DIE)
            die(c, i--);
    }
}

static void colony_open(Colony *c, const Options *o, Record *r)
{
    *c = (Colony){.nc = NC0,
                  .volume = o->volume,
                  .spread = o->spread,
                  .record = r,
                  .interval = o->interval,
                  .draws = (uint64_t)o->seed};
    add(c, R0, 1);
}

static void colony_close(Colony *c, Counts *counts)
{
    counts->events = c->divisions + c->deaths;
    free(c->e);
    free(c->r);
    free(c->a);
    free(c->q);
}

/* Output points up to t show what lived there; `nc` is the nutrition there. */
static bool output_due(const Colony *c, double t)
{
    return (double)c->row * c->interval <= t * (1 + 1e-12);
}

static void output(Colony *c, double nc)
{
    double v[3] = {(double)c->n, c->sum_r, nc};

    common_record_add(c->record, (double)c->row++ * c->interval, v);
}

static void count_states(const Colony *c, Counts *counts)
{
    counts->states = c->n + 2 > counts->states ? c->n + 2 : counts->states;
}

/* ---- Euler, as the thesis' program did ---------------------------------------------------- */

static void run_euler(const Options *o, Record *r, Counts *counts)
{
    Colony c;
    long steps = lround(o->stop / o->step);

    colony_open(&c, o, r);
    for (long k = 0; k <= steps; k++) {
        while (output_due(&c, (double)k * o->step))
            output(&c, c.nc);
        double h = o->step, da = h * c.nc, dq = h * c.pc * c.pc, f = h * S * c.nc * c.sum_r;
        double low = INFINITY, high = 0;
        for (long i = 0; i < c.n; i++) {
            c.e[i] += c.a[i] * da - M * h - c.q[i] * dq;
            low = c.e[i] < low ? c.e[i] : low;
            high = c.e[i] > high ? c.e[i] : high;
        }
        c.nc -= f / c.volume;
        c.pc += f / c.volume;
        if (high >= DIVIDE || low < DIE)
            events(&c);
        count_states(&c, counts);
    }
    counts->steps = counts->residuals = steps;
    colony_close(&c, counts);
}

/* ---- Runge-Kutta 4 with located events ---------------------------------------------------- */

/* The integrals over a step of length h that every E needs, and Nc, Pc at its end. */
typedef struct Advance {
    double h, nc, pc, a, q; /* a: integral of Nc, q: of Pc^2 */
} Advance;

static Advance rk4_advance(const Colony *c, double h)
{
    double k = S * c->sum_r / c->volume, n1 = c->nc, n2 = n1 - 0.5 * h * k * n1;
    double n3 = n1 - 0.5 * h * k * n2, n4 = n1 - h * k * n3, total = c->nc + c->pc;
    double p1 = total - n1, p2 = total - n2, p3 = total - n3, p4 = total - n4;
    Advance d = {.h = h,
                 .a = h / 6 * (n1 + 2 * (n2 + n3) + n4),
                 .q = h / 6 * (p1 * p1 + 2 * (p2 * p2 + p3 * p3) + p4 * p4)};

    d.nc = n1 - k * d.a;
    d.pc = total - d.nc;
    return d;
}

static double energy(const Colony *c, long i, const Advance *d)
{
    return c->e[i] + c->a[i] * d->a - M * d->h - c->q[i] * d->q;
}

typedef struct Candidate {
    const Colony *colony;
    long i;
    bool up;
} Candidate;

static double beyond(double h, void *user)
{
    const Candidate *k = user;
    Advance d = rk4_advance(k->colony, h);
    double e = energy(k->colony, k->i, &d);

    return k->up ? e - DIVIDE : DIE - e;
}

/* Shortens the step to the first event in it. A threshold counts as reached within rounding. */
static double first_event(const Colony *c, const Advance *d)
{
    double h = d->h;
    Advance now = *d;

    for (long i = 0; i < c->n; i++) {
        double e = energy(c, i, &now);
        if (e >= DIVIDE || e < DIE) {
            Candidate k = {c, i, e >= DIVIDE};
            h = common_locate(beyond, &k, 0, h);
            now = rk4_advance(c, h);
        }
    }
    return h;
}

static bool any_beyond(const Colony *c, const Advance *d)
{
    double low = INFINITY, high = 0;

    for (long i = 0; i < c->n; i++) {
        double e = energy(c, i, d);
        low = e < low ? e : low;
        high = e > high ? e : high;
    }
    return high >= DIVIDE || low < DIE;
}

static void advance(Colony *c, const Advance *d)
{
    for (long i = 0; i < c->n; i++)
        c->e[i] = energy(c, i, d);
    c->nc = d->nc;
    c->pc = d->pc;
}

static void run_rk4(const Options *o, Record *r, Counts *counts)
{
    Colony c;
    double t = 0;

    colony_open(&c, o, r);
    output(&c, c.nc);
    while (t < o->stop) {
        bool last = t + o->step * (1 + 1e-9) >= o->stop;
        Advance d = rk4_advance(&c, last ? o->stop - t : o->step);
        bool event = any_beyond(&c, &d);
        if (event)
            d = rk4_advance(&c, first_event(&c, &d));
        double end = last && !event ? o->stop : t + d.h;
        while (output_due(&c, end))
            output(&c, rk4_advance(&c, (double)c.row * c.interval - t).nc);
        advance(&c, &d);
        t = end;
        if (event)
            events(&c);
        counts->steps++;
        counts->residuals += 4;
        count_states(&c, counts);
    }
    colony_close(&c, counts);
}

/* ---- IDA on all of it: Nc, Pc, E_1 ... E_n ------------------------------------------------ */

static int residual(double t, N_Vector y, N_Vector yp, N_Vector to, void *user)
{
    const Colony *c = user;
    const double *v = N_VGetArrayPointer(y), *vp = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(to), k = S * c->sum_r / c->volume, p2 = v[1] * v[1];

    (void)t;
    r[0] = vp[0] + k * v[0];
    r[1] = vp[1] - k * v[0];
    for (long i = 0; i < c->n; i++)
        r[i + 2] = vp[i + 2] - (c->a[i] * v[0] - M - c->q[i] * p2);
    return 0;
}

/* The matrix is triangular: solved in one sweep, nothing stored. */
typedef struct Arrow {
    void *ida;
    const Colony *colony;
} Arrow;

static int arrow_solve(SUNLinearSolver s, SUNMatrix m, N_Vector x, N_Vector b, double tolerance)
{
    const Arrow *w = s->content;
    const Colony *c = w->colony;
    double cj, *to = N_VGetArrayPointer(x), k = S * c->sum_r / c->volume;
    const double *from = N_VGetArrayPointer(b);
    N_Vector y;

    (void)m, (void)tolerance;
    IDAGetCurrentCj(w->ida, &cj);
    IDAGetCurrentY(w->ida, &y);
    double p = N_VGetArrayPointer(y)[1];
    to[0] = from[0] / (cj + k);
    to[1] = (from[1] + k * to[0]) / cj;
    for (long i = 0; i < c->n; i++)
        to[i + 2] = (from[i + 2] + c->a[i] * to[0] - 2 * p * c->q[i] * to[1]) * (1 / cj);
    return 0;
}

static SUNLinearSolver_Type arrow_type(SUNLinearSolver s)
{
    (void)s;
    return SUNLINEARSOLVER_MATRIX_EMBEDDED;
}

static int arrow_free(SUNLinearSolver s)
{
    free(s->content);
    s->content = NULL;
    SUNLinSolFreeEmpty(s);
    return 0;
}

static SUNLinearSolver arrow_make(SUNContext context, void *ida)
{
    SUNLinearSolver s = SUNLinSolNewEmpty(context);
    Arrow *w = common_alloc(1, sizeof *w);
    void *user;

    IDAGetUserData(ida, &user);
    *w = (Arrow){ida, user};
    s->ops->gettype = arrow_type;
    s->ops->solve = arrow_solve;
    s->ops->free = arrow_free;
    s->content = w;
    return s;
}

/* Is someone beyond a threshold at time t of the last step? */
typedef struct Probe {
    Ida *ida;
    long n;
    double *y;
} Probe;

static double colony_beyond(double t, void *user)
{
    Probe *p = user;
    double most = -1;

    common_ida_dense(p->ida, t, 0, p->y);
    for (long i = 2; i < p->n; i++)
        most = fmax(most, fmax(p->y[i] - DIVIDE, DIE - p->y[i]));
    return most;
}

static double ida_steps(Colony *c, Ida *s, double *y, double stop)
{
    Probe p = {s, c->n + 2, y};

    for (;;) {
        double from = s->t, to;
        common_ida_step(s, stop);
        to = s->t;
        bool event = colony_beyond(to, &p) > 0;
        if (event)
            to = common_locate(colony_beyond, &p, from, to);
        while (output_due(c, to)) {
            common_ida_dense(s, fmin((double)c->row * c->interval, s->t), 0, y);
            output(c, y[0]);
        }
        common_ida_dense(s, to, 0, y);
        if (event || to >= stop)
            return to;
    }
}

/* One phase, from t to the next event; IDA cannot change its size, so it is made anew. */
static double ida_phase(Colony *c, const Options *o, double t, Counts *counts, double *h)
{
    IdaCase k = {.n = c->n + 2,
                 .residual = residual,
                 .user = c,
                 .rtol = o->rtol,
                 .atol = o->atol,
                 .max_order = o->max_order};
    double *y = common_alloc((size_t)k.n, sizeof *y);
    Ida s;

    common_ida_open_with(&s, &k, arrow_make);
    s.v[0] = c->nc;
    s.v[1] = c->pc;
    memcpy(s.v + 2, c->e, (size_t)c->n * sizeof *y);
    N_VConst(0, s.yp);
    residual(t, s.y, s.yp, s.yp, c); /* what it leaves is -y' */
    N_VScale(-1, s.yp, s.yp);
    common_ida_begin(&s, t, *h);
    t = ida_steps(c, &s, y, o->stop);
    *h = 0.1 * s.h;
    c->nc = y[0];
    c->pc = y[1];
    memcpy(c->e, y + 2, (size_t)c->n * sizeof *y);
    common_ida_count(&s, counts);
    common_ida_close(&s);
    free(y);
    return t;
}

static void run_ida(const Options *o, Record *r, Counts *counts)
{
    Colony c;
    double t = 0, h = 0;

    colony_open(&c, o, r);
    while (t < o->stop) {
        t = ida_phase(&c, o, t, counts, &h);
        events(&c);
        count_states(&c, counts);
    }
    colony_close(&c, counts);
}

/* ---- The exact solution and a queue ------------------------------------------------------- */

/* With A = integral of Nc, B = integral of Pc^2 since the start, E_i = e_i + a_i A - M t - q_i B,
 * where e_i is fixed at birth. Nc only falls and Pc only rises, so E_i is concave: the tangent
 * gives a time before which it cannot divide, and -M - q_i (Nc + Pc)^2 bounds its fall. Everyone
 * waits in a heap for the time at which it has to be looked at again. */
typedef struct Waiting {
    double time;
    long who;
} Waiting;

typedef struct Exact {
    Colony c;
    double t, a, b, total;
    Waiting *heap;
    long waiting, room;
} Exact;

static void exact_to(Exact *x, double t)
{
    double h = t - x->t, k = S * x->c.sum_r / x->c.volume, n = x->c.nc;
    double left = -expm1(-k * h), a = k > 0 ? n * left / k : n * h;
    double squares = k > 0 ? n * n * -expm1(-2 * k * h) / (2 * k) : n * n * h;

    x->a += a;
    x->b += x->total * x->total * h - 2 * x->total * a + squares;
    x->c.nc = n - n * left;
    x->c.pc = x->total - x->c.nc;
    x->t = t;
}

static double exact_nutrition(const Exact *x, double t)
{
    return x->c.nc * exp(-S * x->c.sum_r / x->c.volume * (t - x->t));
}

static double exact_energy(const Exact *x, long i)
{
    return x->c.e[i] + x->c.a[i] * x->a - M * x->t - x->c.q[i] * x->b;
}

static void heap_down(Exact *x, long at)
{
    Waiting moved = x->heap[at];

    for (long child; (child = 2 * at + 1) < x->waiting; at = child) {
        if (child + 1 < x->waiting && x->heap[child + 1].time < x->heap[child].time)
            child++;
        if (moved.time <= x->heap[child].time)
            break;
        x->heap[at] = x->heap[child];
    }
    x->heap[at] = moved;
}

static void heap_add(Exact *x, double time, long who)
{
    long at = x->waiting++;

    if (at == x->room) {
        x->room = x->room ? 2 * x->room : 64;
        Waiting *fresh = common_alloc((size_t)x->room, sizeof *fresh);
        if (at)
            memcpy(fresh, x->heap, (size_t)at * sizeof *fresh);
        free(x->heap);
        x->heap = fresh;
    }
    for (; at && x->heap[(at - 1) / 2].time > time; at = (at - 1) / 2)
        x->heap[at] = x->heap[(at - 1) / 2];
    x->heap[at] = (Waiting){time, who};
}

static double look_again(const Exact *x, long i, double e)
{
    double rate = x->c.a[i] * x->c.nc - M - x->c.q[i] * x->c.pc * x->c.pc;
    double rise = rate > 0 ? (DIVIDE - e) / rate : INFINITY;
    double fall = (e - DIE) / (M + x->c.q[i] * x->total * x->total);

    return x->t + fmin(rise, fall);
}

/* Places keep their numbers here: a dead one's is not used again. */
static void exact_divide(Exact *x, long i)
{
    Colony *c = &x->c;
    double child = c->r[i] * (0.9 + c->spread * draw(&c->draws)), zero;

    c->divisions++;
    add(c, child, 0);
    zero = exact_energy(x, i);
    c->e[i] += 1 - zero;
    c->e[c->n - 1] = 1 - exact_energy(x, c->n - 1);
    heap_add(x, look_again(x, c->n - 1, 1), c->n - 1);
}

static void exact_visit(Exact *x)
{
    const double near = 1e-11;
    long i = x->heap[0].who;
    double e = exact_energy(x, i);

    if (e < DIE + near) {
        x->c.sum_r -= x->c.r[i];
        x->c.deaths++;
        x->heap[0] = x->heap[--x->waiting];
    } else {
        bool divides = e >= DIVIDE - near;
        x->heap[0].time = look_again(x, i, divides ? 1 : e);
        heap_down(x, 0);
        if (divides)
            exact_divide(x, i);
        return;
    }
    if (x->waiting)
        heap_down(x, 0);
}

static void run_exact(const Options *o, Record *r, Counts *counts)
{
    Exact x = {.total = NC0};

    colony_open(&x.c, o, r);
    heap_add(&x, look_again(&x, 0, 1), 0);
    while (x.t < o->stop) {
        double t = x.waiting ? fmin(x.heap[0].time, o->stop) : o->stop;
        while (output_due(&x.c, t)) {
            double v[3] = {(double)x.waiting, x.c.sum_r,
                           exact_nutrition(&x, (double)x.c.row * x.c.interval)};
            common_record_add(r, (double)x.c.row++ * x.c.interval, v);
        }
        exact_to(&x, t);
        if (t < o->stop)
            exact_visit(&x);
        counts->steps++;
        counts->states = x.waiting + 2 > counts->states ? x.waiting + 2 : counts->states;
    }
    free(x.heap);
    colony_close(&x.c, counts);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"living", "sum_r", "Nc"};
    static const Method methods[] = {{"ida", run_ida},
                                     {"rk4", run_rk4},
                                     {"euler", run_euler},
                                     {"exact", run_exact},
                                     {NULL, NULL}};
    Program p = {"population", columns, 3, methods, run_exact};
    Options o = common_options(argc, argv,
                               (Options){.method = "rk4",
                                         .stop = 600,
                                         .interval = 1,
                                         .rtol = 1e-6,
                                         .atol = 1e-6,
                                         .step = 1,
                                         .volume = 100,
                                         .spread = 0.2,
                                         .seed = 1,
                                         .repeat = 1});

    return common_main(&p, &o);
}
