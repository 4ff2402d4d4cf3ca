/* a ladder of RLC sections that grows while it runs -> voltages along it
 *
 * Section k has a resistor R and an inductor L in line and a capacitor C to ground; the source
 * sin(2 pi t) drives the first, the last is open:
 *
 *     L i_k' = u_(k-1) - u_k - R i_k        C u_k' = i_k - i_(k+1)
 *
 * Every ten seconds sections are added, at rest, as in Hydra's benchmark (Giorgidze's thesis,
 * Nottingham 2012, the section on performance): 200 components and so 1,000 equations more at each
 * growth. Source and ground are two components, so mode m has floor((200 m - 2) / 3) sections.
 * --n is the number of modes.
 */
#include "stepper.h"

#include <sunmatrix/sunmatrix_sparse.h>

#include <stdlib.h>
#include <string.h>

static const double R = 0.02, L = 0.1, C = 0.1, EVERY = 10;
enum { COMPONENTS = 200 };

/* y: i_1, u_1, i_2, u_2, ... : the Jacobian is tridiagonal. */
typedef struct Ladder {
    long sections;
    long first; /* sections before the first growth */
    Record *record;
} Ladder;

static long sections_in_mode(long mode)
{
    return (COMPONENTS * mode - 2) / 3;
}

static void rhs(double t, const double *y, double *f, void *user)
{
    const Ladder *a = user;
    long n = 2 * a->sections;

    f[0] = (sin(2 * M_PI * t) - y[1] - R * y[0]) * (1 / L);
    for (long k = 1; k < n - 1; k += 2) {
        f[k] = (y[k - 1] - y[k + 1]) * (1 / C);
        f[k + 1] = (y[k] - y[k + 2] - R * y[k + 1]) * (1 / L);
    }
    f[n - 1] = y[n - 2] * (1 / C);
}

static void output(double t, const double *y, void *user)
{
    const Ladder *a = user;
    double v[3] = {y[0], y[2 * a->first - 1], y[2 * a->sections - 1]};

    common_record_add(a->record, t, v);
}

static int residual(double t, N_Vector y, N_Vector yp, N_Vector to, void *user)
{
    const Ladder *a = user;
    double *r = N_VGetArrayPointer(to), *vp = N_VGetArrayPointer(yp);

    rhs(t, N_VGetArrayPointer(y), r, user);
    for (long k = 0; k < 2 * a->sections; k++)
        r[k] = vp[k] - r[k];
    return 0;
}

static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix to,
                    void *user, N_Vector w1, N_Vector w2, N_Vector w3)
{
    const Ladder *a = user;
    sunindextype *start = SM_INDEXPTRS_S(to), *row = SM_INDEXVALS_S(to), used = 0;
    double *value = SM_DATA_S(to);
    long n = 2 * a->sections;

    (void)t, (void)y, (void)yp, (void)r, (void)w1, (void)w2, (void)w3;
    for (long k = 0; k < n; k++) {
        bool current = k % 2 == 0;
        double other = current ? 1 / C : 1 / L; /* of the rows beside the diagonal */
        start[k] = used;
        if (k > 0) {
            row[used] = k - 1;
            value[used++] = other;
        }
        row[used] = k;
        value[used++] = current ? cj + R / L : cj;
        if (k < n - 1) {
            row[used] = k + 1;
            value[used++] = -other;
        }
    }
    start[n] = used;
    return 0;
}

typedef void (*Opener)(const Options *o, Stepper *s, Ladder *a);

static void open_dp5(const Options *o, Stepper *s, Ladder *a)
{
    stepper_open_dp5(s, (int)(2 * a->sections), rhs, a, o->rtol, o->atol, 0);
}

static void open_rk4(const Options *o, Stepper *s, Ladder *a)
{
    stepper_open_rk4(s, (int)(2 * a->sections), rhs, a, o->step);
}

static void open_ida(const Options *o, Stepper *s, Ladder *a)
{
    long n = 2 * a->sections;
    IdaCase k = {.n = n,
                 .residual = residual,
                 .jacobian = jacobian,
                 .nonzeros = 3 * n,
                 .user = a,
                 .rtol = o->rtol,
                 .atol = o->atol,
                 .max_order = o->max_order};

    stepper_open_ida(s, &k, rhs);
}

static void open_ida_dense(const Options *o, Stepper *s, Ladder *a)
{
    IdaCase k = {.n = 2 * a->sections,
                 .residual = residual,
                 .user = a,
                 .rtol = o->rtol,
                 .atol = o->atol,
                 .max_order = o->max_order};

    stepper_open_ida(s, &k, rhs);
}

/* Each mode has vectors of its own size; the old state is copied, new sections are at rest. */
static void run(const Options *o, Record *r, Counts *c, Opener open)
{
    Ladder a = {.first = sections_in_mode(1), .record = r};
    double *old = common_alloc((size_t)(2 * sections_in_mode(o->n)), sizeof *old);
    long row = 0, last = 0;

    for (long mode = 1; mode <= o->n; mode++) {
        double from = EVERY * (double)(mode - 1), to = EVERY * (double)mode;
        Stepper s;
        Phase p = {.stepper = &s,
                   .stop = mode == o->n ? o->stop : fmin(to, o->stop),
                   .output = output,
                   .user = &a,
                   .interval = o->interval,
                   .row = &row};
        if (from >= o->stop)
            break;
        a.sections = sections_in_mode(mode);
        open(o, &s, &a);
        memcpy(s.y, old, (size_t)last * sizeof *old);
        stepper_phase(&p, from);
        last = 2 * a.sections;
        memcpy(old, s.y, (size_t)last * sizeof *old);
        stepper_close(&s, c);
        c->events += mode > 1;
    }
    c->states = last;
    free(old);
}

static void run_ida(const Options *o, Record *r, Counts *c)
{
    run(o, r, c, open_ida);
}

static void run_ida_dense(const Options *o, Record *r, Counts *c)
{
    run(o, r, c, open_ida_dense);
}

static void run_dp5(const Options *o, Record *r, Counts *c)
{
    run(o, r, c, open_dp5);
}

static void run_rk4(const Options *o, Record *r, Counts *c)
{
    run(o, r, c, open_rk4);
}

static void run_reference(const Options *o, Record *r, Counts *c)
{
    Options tight = *o;

    tight.rtol = tight.atol = 1e-12;
    run(&tight, r, c, open_dp5);
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"i_first", "u_66", "u_last"};
    static const Method methods[] = {{"ida", run_ida},
                                     {"ida-dense-differences", run_ida_dense},
                                     {"dp5", run_dp5},
                                     {"rk4", run_rk4},
                                     {NULL, NULL}};
    Program p = {"ladder", columns, 3, methods, run_reference};
    Options o = common_options(argc, argv,
                               (Options){.method = "ida",
                                         .stop = 60,
                                         .interval = 1e-3,
                                         .rtol = 1e-6,
                                         .atol = 1e-6,
                                         .step = 0.01,
                                         .n = 6,
                                         .repeat = 1});

    return common_main(&p, &o);
}
