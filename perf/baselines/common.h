/* What the hand-written programs share: options, records of outputs, a clock, IDA without its
 * ceremony, the location of events, and the line of JSON each prints.
 *
 * The programs stand alone on purpose: they use nothing of Solstice, so that they show what an
 * engineer without it would have, and an error of ours cannot hide in both.
 */
#ifndef PERF_COMMON_H
#define PERF_COMMON_H

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <stdbool.h>
#include <stddef.h>

enum { COMMON_COLUMNS_MAX = 16 };

/* Options, the same for all programs; each ignores what does not concern it. */
typedef struct Options {
    const char *method; /* "ida", "dp5", ... */
    const char *csv;    /* file for the outputs, or NULL */
    double stop;
    double interval; /* distance of the output points */
    double rtol, atol;
    double step;   /* of methods with fixed steps */
    double volume; /* population: litres */
    double spread; /* population: width of the draw of a child's absorbance */
    long n;        /* size: circuits, sections */
    long seed;
    int repeat;     /* timed runs */
    int max_order;  /* of IDA */
    bool reference; /* compare with a much more accurate run */
} Options;

Options common_options(int argc, char **argv, Options defaults);

/* Outputs of a run: rows at the output points, `columns` numbers each. */
typedef struct Record {
    const char *const *names; /* [columns] */
    int columns;
    long rows, room;
    double *time;   /* [room] */
    double *values; /* [room * columns], row after row */
} Record;

void common_record_open(Record *r, int columns, const char *const *names, double stop,
                        double interval);
void common_record_add(Record *r, double t, const double *values);
void common_record_close(Record *r);
/* Largest difference over all rows, each column relative to the largest value it takes. */
double common_record_error(const Record *a, const Record *reference);

/* What a run counted. */
typedef struct Counts {
    long steps, residuals, jacobians, events, states;
} Counts;

double common_now(void);
void *common_alloc(size_t count, size_t size); /* zeroed; ends the program when there is none */
void common_fail(const char *what);            /* prints and ends the program */

/* One method applied once: fills the record and the counts. */
typedef void (*CommonRun)(const Options *o, Record *r, Counts *c);

typedef struct Method {
    const char *name;
    CommonRun run;
} Method;

/* The whole program: runs o->method `repeat` times, the reference if wanted, and prints the JSON.
 */
typedef struct Program {
    const char *name;
    const char *const *columns;
    int column_count;
    const Method *methods; /* ends with a NULL name */
    CommonRun reference;
} Program;

int common_main(const Program *p, const Options *o);

/* A time at which `event` is positive, as close as rounding allows to where it becomes so:
 * event(lo) <= 0 < event(hi). Bracketed secant steps (the Illinois variant of regula falsi). */
double common_locate(double (*event)(double t, void *user), void *user, double lo, double hi);

/* ---- IDA ---------------------------------------------------------------------------------- */

typedef struct IdaCase {
    long n;
    IDAResFn residual;
    IDALsJacFn jacobian; /* NULL: finite differences (dense only) */
    long nonzeros;       /* > 0: sparse matrix and KLU; 0: dense */
    void *user;
    double rtol, atol;
    double max_step; /* 0: none */
    int max_order;
} IdaCase;

typedef struct Ida {
    SUNContext context;
    void *mem;
    N_Vector y, yp, probe;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    double *v, *vp; /* the contents of y and yp */
    double t, h;    /* the last step ended at t and was h long */
} Ida;

void common_ida_open(Ida *s, const IdaCase *k);
/* As above, with a linear solver of the caller's, which IDA asks without a matrix. */
void common_ida_open_with(Ida *s, const IdaCase *k, SUNLinearSolver (*make)(SUNContext, void *));
/* Starts at t from s->v and s->vp; `first` is the length of the first step, 0: IDA chooses. */
void common_ida_begin(Ida *s, double t, double first);
void common_ida_step(Ida *s, double stop); /* one step, to s->t */
void common_ida_dense(Ida *s, double t, int derivative, double *to);
void common_ida_count(Ida *s, Counts *c); /* adds what was done since the last begin */
void common_ida_close(Ida *s);

#endif
