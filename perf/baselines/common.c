/* options -> a timed run of a hand-written program -> one line of JSON */
#include "common.h"

#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void common_fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

double common_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *common_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        common_fail("out of memory");
    return p;
}

/* ---- Options ------------------------------------------------------------------------------ */

typedef struct Slot {
    const char *name;
    double *real;
    long *whole;
    int *small;
    const char **text;
} Slot;

static void option_set(const Slot *s, const char *value)
{
    if (s->real)
        *s->real = strtod(value, NULL);
    else if (s->whole)
        *s->whole = strtol(value, NULL, 10);
    else if (s->small)
        *s->small = (int)strtol(value, NULL, 10);
    else
        *s->text = value;
}

Options common_options(int argc, char **argv, Options o)
{
    const Slot slots[] = {
        {"--method", .text = &o.method},
        {"--csv", .text = &o.csv},
        {"--stop", .real = &o.stop},
        {"--interval", .real = &o.interval},
        {"--rtol", .real = &o.rtol},
        {"--atol", .real = &o.atol},
        {"--step", .real = &o.step},
        {"--volume", .real = &o.volume},
        {"--spread", .real = &o.spread},
        {"--n", .whole = &o.n},
        {"--seed", .whole = &o.seed},
        {"--repeat", .small = &o.repeat},
        {"--max-order", .small = &o.max_order},
    };

    for (int i = 1; i < argc; i++) {
        size_t s = 0, count = sizeof slots / sizeof *slots;
        if (!strcmp(argv[i], "--reference")) {
            o.reference = true;
            continue;
        }
        while (s < count && strcmp(argv[i], slots[s].name))
            s++;
        if (s == count || i + 1 == argc) {
            fprintf(stderr, "%s: option not known or without value\n", argv[i]);
            exit(2);
        }
        option_set(&slots[s], argv[++i]);
    }
    return o;
}

/* ---- Records ------------------------------------------------------------------------------ */

void common_record_open(Record *r, int columns, const char *const *names, double stop,
                        double interval)
{
    r->names = names;
    r->columns = columns;
    r->rows = 0;
    r->room = (long)floor(stop / interval + 1e-6) + 2;
    r->time = common_alloc((size_t)r->room, sizeof(double));
    r->values = common_alloc((size_t)(r->room * columns), sizeof(double));
}

void common_record_add(Record *r, double t, const double *values)
{
    if (r->rows == r->room)
        common_fail("more output points than expected");
    r->time[r->rows] = t;
    memcpy(r->values + r->rows * r->columns, values, (size_t)r->columns * sizeof *values);
    r->rows++;
}

void common_record_close(Record *r)
{
    free(r->time);
    free(r->values);
}

double common_record_error(const Record *a, const Record *b)
{
    double worst = 0;

    if (a->rows != b->rows)
        return INFINITY;
    for (int c = 0; c < a->columns; c++) {
        double scale = 0, difference = 0;
        for (long k = c; k < a->rows * a->columns; k += a->columns) {
            scale = fmax(scale, fabs(b->values[k]));
            difference = fmax(difference, fabs(a->values[k] - b->values[k]));
        }
        if (difference > 0)
            worst = fmax(worst, difference / fmax(scale, 1e-12));
    }
    return worst;
}

static void record_write(const Record *r, const char *file)
{
    FILE *f = fopen(file, "w");

    if (!f)
        common_fail("cannot write the outputs");
    fprintf(f, "time");
    for (int c = 0; c < r->columns; c++)
        fprintf(f, ",%s", r->names[c]);
    for (long k = 0; k < r->rows; k++) {
        fprintf(f, "\n%.17g", r->time[k]);
        for (int c = 0; c < r->columns; c++)
            fprintf(f, ",%.17g", r->values[k * r->columns + c]);
    }
    fprintf(f, "\n");
    if (fclose(f))
        common_fail("cannot write the outputs");
}

/* ---- The program -------------------------------------------------------------------------- */

static CommonRun method_find(const Program *p, const char *name)
{
    for (const Method *m = p->methods; m->name; m++)
        if (!strcmp(m->name, name))
            return m->run;
    fprintf(stderr, "%s: no method '%s'; there are:", p->name, name);
    for (const Method *m = p->methods; m->name; m++)
        fprintf(stderr, " %s", m->name);
    fprintf(stderr, "\n");
    exit(2);
}

static void print_end(const Record *r)
{
    const double *last = r->values + (r->rows - 1) * r->columns;

    printf(", \"end\": {\"time\": %.17g", r->rows ? r->time[r->rows - 1] : 0.0);
    for (int c = 0; r->rows && c < r->columns; c++)
        printf(", \"%s\": %.17g", r->names[c], last[c]);
    printf("}");
}

static double reference_error(const Program *p, const Options *o, const Record *r)
{
    Record reference;
    Counts counts = {0};
    double error;

    common_record_open(&reference, p->column_count, p->columns, o->stop, o->interval);
    p->reference(o, &reference, &counts);
    error = common_record_error(r, &reference);
    common_record_close(&reference);
    return error;
}

int common_main(const Program *p, const Options *o)
{
    CommonRun run = method_find(p, o->method);
    Record r;
    Counts counts = {0};

    printf("{\"name\": \"%s\", \"method\": \"%s\", \"n\": %ld, \"rtol\": %g, \"atol\": %g, "
           "\"stop\": %g, \"seconds\": [",
           p->name, o->method, o->n, o->rtol, o->atol, o->stop);
    common_record_open(&r, p->column_count, p->columns, o->stop, o->interval);
    for (int k = 0; k < o->repeat; k++) {
        counts = (Counts){0};
        r.rows = 0;
        double start = common_now();
        run(o, &r, &counts);
        printf("%s%.9g", k ? ", " : "", common_now() - start);
    }
    printf("], \"steps\": %ld, \"residuals\": %ld, \"jacobians\": %ld, \"events\": %ld, "
           "\"states\": %ld",
           counts.steps, counts.residuals, counts.jacobians, counts.events, counts.states);
    print_end(&r);
    if (o->reference && p->reference)
        printf(", \"error\": %.3g", reference_error(p, o, &r));
    printf("}\n");
    if (o->csv)
        record_write(&r, o->csv);
    common_record_close(&r);
    return 0;
}

double common_locate(double (*event)(double, void *), void *user, double lo, double hi)
{
    double g_lo = event(lo, user), g_hi = event(hi, user);
    int side = 0;

    while (hi - lo > 1e-14 * fabs(hi) + 1e-300) {
        double t = g_lo < g_hi ? hi - g_hi * (hi - lo) / (g_hi - g_lo) : hi;
        if (!(t > lo && t < hi))
            t = lo + 0.5 * (hi - lo);
        if (!(t > lo && t < hi))
            return hi;
        double g = event(t, user);
        if (g > 0) {
            hi = t;
            g_hi = g;
            g_lo *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            lo = t;
            g_lo = g;
            g_hi *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    return hi;
}

/* ---- IDA ---------------------------------------------------------------------------------- */

static void check(int flag, const char *what)
{
    if (flag < 0) {
        fprintf(stderr, "IDA: %s failed with %d\n", what, flag);
        exit(3);
    }
}

static void vectors_open(Ida *s, const IdaCase *k)
{
    check(SUNContext_Create(NULL, &s->context), "context");
    s->y = N_VNew_Serial(k->n, s->context);
    s->yp = N_VNew_Serial(k->n, s->context);
    s->probe = N_VNewEmpty_Serial(k->n, s->context);
    s->v = N_VGetArrayPointer(s->y);
    s->vp = N_VGetArrayPointer(s->yp);
    N_VConst(0, s->y);
    N_VConst(0, s->yp);
    s->mem = IDACreate(s->context);
    check(IDAInit(s->mem, k->residual, 0, s->y, s->yp), "init");
    check(IDASStolerances(s->mem, k->rtol, k->atol), "tolerances");
    check(IDASetUserData(s->mem, k->user), "user data");
    check(IDASetMaxNumSteps(s->mem, -1), "steps");
    if (k->max_order)
        check(IDASetMaxOrd(s->mem, k->max_order), "order");
    if (k->max_step > 0)
        check(IDASetMaxStep(s->mem, k->max_step), "longest step");
}

void common_ida_open(Ida *s, const IdaCase *k)
{
    vectors_open(s, k);
    if (k->nonzeros) {
        s->matrix = SUNSparseMatrix(k->n, k->n, k->nonzeros, CSC_MAT, s->context);
        s->solver = SUNLinSol_KLU(s->y, s->matrix, s->context);
    } else {
        s->matrix = SUNDenseMatrix(k->n, k->n, s->context);
        s->solver = SUNLinSol_Dense(s->y, s->matrix, s->context);
    }
    check(IDASetLinearSolver(s->mem, s->solver, s->matrix), "linear solver");
    if (k->jacobian)
        check(IDASetJacFn(s->mem, k->jacobian), "Jacobian");
}

void common_ida_open_with(Ida *s, const IdaCase *k, SUNLinearSolver (*make)(SUNContext, void *))
{
    vectors_open(s, k);
    s->matrix = NULL;
    s->solver = make(s->context, s->mem);
    check(IDASetLinearSolver(s->mem, s->solver, NULL), "linear solver");
}

void common_ida_begin(Ida *s, double t, double first)
{
    s->t = t;
    s->h = 0;
    check(IDASetInitStep(s->mem, first), "first step");
    check(IDAReInit(s->mem, t, s->y, s->yp), "restart");
}

void common_ida_step(Ida *s, double stop)
{
    check(IDASetStopTime(s->mem, stop), "stop time");
    check(IDASolve(s->mem, stop, &s->t, s->y, s->yp, IDA_ONE_STEP), "step");
    IDAGetLastStep(s->mem, &s->h);
}

void common_ida_dense(Ida *s, double t, int derivative, double *to)
{
    N_VSetArrayPointer(to, s->probe);
    check(IDAGetDky(s->mem, t, derivative, s->probe), "dense output");
}

void common_ida_count(Ida *s, Counts *c)
{
    long steps = 0, residuals = 0, jacobians = 0;

    IDAGetNumSteps(s->mem, &steps);
    IDAGetNumResEvals(s->mem, &residuals);
    IDAGetNumJacEvals(s->mem, &jacobians);
    c->steps += steps;
    c->residuals += residuals;
    c->jacobians += jacobians;
}

void common_ida_close(Ida *s)
{
    IDAFree(&s->mem);
    SUNLinSolFree(s->solver);
    if (s->matrix)
        SUNMatDestroy(s->matrix);
    N_VDestroy(s->probe);
    N_VDestroy(s->y);
    N_VDestroy(s->yp);
    SUNContext_Free(&s->context);
}
