/* n half-way rectifiers with line inductance, each on its own -> their capacitors' voltages
 *
 * Source sin(2 pi 50 t), L = 0.2, R1 = 10, ideal diode, R2 = 50 parallel to C = 0.001 (1 + k/n) for
 * circuit k; all at rest and the diode open before t = 0. Two modes:
 *
 *     conducting   L i' = u0 - R1 i - u,   C u' = i - u/R2,   until i < 0
 *     open         i = 0,                  C u' = -u/R2,      until u0 - u > 0
 */
#include "stepper.h"

#include <sunmatrix/sunmatrix_dense.h>

static const double L = 0.2, R1 = 10, R2 = 50, OMEGA = 2 * M_PI * 50;

typedef struct Circuit {
    double c;
    bool closed;
    Record *record;
    long k, n; /* which circuit of how many */
} Circuit;

static void rhs(double t, const double *y, double *f, void *user)
{
    const Circuit *c = user;

    f[0] = (y[1] - y[0] / R2) / c->c;
    f[1] = c->closed ? (sin(OMEGA * t) - R1 * y[1] - y[0]) / L : 0;
}

static double event(double t, const double *y, void *user)
{
    const Circuit *c = user;

    return c->closed ? -y[1] : sin(OMEGA * t) - y[0];
}

/* Columns: voltage of the first circuit, of the last, and the sum of all. */
static void output(double t, const double *y, void *user)
{
    const Circuit *c = user;
    Record *r = c->record;
    long row = r->rows++;

    r->time[row] = t;
    double *v = r->values + row * r->columns;
    if (c->k == 0) {
        v[0] = y[0];
        v[2] = 0;
    }
    v[1] = y[0];
    v[2] += y[0];
}

static void circuit_run(const Options *o, Stepper *s, Circuit *c, Counts *counts)
{
    long row = 0;
    double t = 0;
    Phase p = {.stepper = s,
               .stop = o->stop,
               .event = event,
               .output = output,
               .user = c,
               .interval = o->interval,
               .row = &row};

    c->c = 0.001 * (1 + (double)c->k / (double)c->n);
    c->record->rows = 0;
    c->closed = true; /* u0 - u is 0 at the start and grows */
    s->y[0] = s->y[1] = 0;
    counts->events++;
    while (stepper_phase(&p, t)) {
        t = s->t;
        c->closed = !c->closed;
        s->y[1] = 0;
        counts->events++;
    }
}

static void run_all(const Options *o, Stepper *s, Circuit *c, Counts *counts)
{
    for (c->k = 0; c->k < o->n; c->k++)
        circuit_run(o, s, c, counts);
    stepper_close(s, counts);
    counts->states = 2 * o->n;
}

static void run_dp5(const Options *o, Record *r, Counts *counts)
{
    Circuit c = {.record = r, .n = o->n};
    Stepper s;

    stepper_open_dp5(&s, 2, rhs, &c, o->rtol, o->atol, 0.004);
    run_all(o, &s, &c, counts);
}

static int residual(double t, N_Vector y, N_Vector yp, N_Vector to, void *user)
{
    double *r = N_VGetArrayPointer(to), *vp = N_VGetArrayPointer(yp);

    rhs(t, N_VGetArrayPointer(y), r, user);
    r[0] = vp[0] - r[0];
    r[1] = vp[1] - r[1];
    return 0;
}

static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix to,
                    void *user, N_Vector a, N_Vector b, N_Vector d)
{
    const Circuit *c = user;

    (void)t, (void)y, (void)yp, (void)r, (void)a, (void)b, (void)d;
    SM_ELEMENT_D(to, 0, 0) = cj + 1 / (R2 * c->c);
    SM_ELEMENT_D(to, 0, 1) = -1 / c->c;
    SM_ELEMENT_D(to, 1, 0) = c->closed ? 1 / L : 0;
    SM_ELEMENT_D(to, 1, 1) = c->closed ? cj + R1 / L : cj;
    return 0;
}

static void run_ida(const Options *o, Record *r, Counts *counts)
{
    Circuit c = {.record = r, .n = o->n};
    IdaCase k = {.n = 2,
                 .residual = residual,
                 .jacobian = jacobian,
                 .user = &c,
                 .rtol = o->rtol,
                 .atol = o->atol,
                 .max_step = 0.004,
                 .max_order = o->max_order};
    Stepper s;

    stepper_open_ida(&s, &k, rhs);
    run_all(o, &s, &c, counts);
}

static void run_reference(const Options *o, Record *r, Counts *counts)
{
    Options tight = *o;

    tight.rtol = tight.atol = 1e-13;
    run_dp5(&tight, r, counts);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"uC_first", "uC_last", "uC_sum"};
    static const Method methods[] = {{"ida", run_ida}, {"dp5", run_dp5}, {NULL, NULL}};
    Program p = {"rectifier", columns, 3, methods, run_reference};
    Options o = common_options(argc, argv,
                               (Options){.method = "dp5",
                                         .stop = 1,
                                         .interval = 1e-3,
                                         .rtol = 1e-6,
                                         .atol = 1e-6,
                                         .n = 1,
                                         .repeat = 1});

    return common_main(&p, &o);
}
