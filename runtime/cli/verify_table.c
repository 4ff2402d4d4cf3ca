/* verify_table.c: runs of one model -> how far they are apart, as a table. */
#include "runtime/cli/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FALLS =
    100; /* the range of what is only errors, at least, where tolerances are 1e-4 times as large */

/* One variable: how far each run is from the tightest one, in parts of its range. */
typedef struct Row {
    const char *path;
    double range;
    double off[VERIFY_RUNS];
    double agrees; /* up to this time all runs do */
} Row;

typedef struct Table {
    Mem *mem;
    const VerifyRun *runs;
    const SolOptions *asked;
    const VerifyOptions *options;
    VEC(uint8_t) skipped; /* [point]: an event of some run lies next to it */
    VEC(Row) rows;
    double agrees;
} Table;

static double time_of(const Table *t, uint32_t point)
{
    return t->asked->start + point * t->asked->interval;
}

/* ---- events ---- */

/* How far an event is from what corresponds to it in another run: the same condition for the same time, or, where one of several
 * conditions of one moment has fired once more or less often there (a diode whose current is 0 but for rounding where
 * it begins to conduct), whatever else happened in that moment. What an event does is compared in the variables. */
static double moved(const VerifyEvent *e, const VerifyRun *other, double allowed)
{
    const VerifyEvent *twin = verify_twin(other, e);
    double least = twin ? fabs(twin->time - e->time) : INFINITY;
    for (uint32_t i = 0; least > allowed && i < other->jumped.n; i++)
        least = fmin(least, fabs(other->jumped.at[i] - e->time));
    return least;
}

/* Between the times of one event in two runs nothing can be compared. */
static void skip_between(Table *t, double from, double to)
{
    double h = t->asked->interval, near = 1e-3 * h;
    double low = fmin(from, to) - near - t->asked->start,
           high = fmax(from, to) + near - t->asked->start;
    for (double k = fmax(0, ceil(low / h)); k <= high / h && k < t->skipped.n; k++)
        t->skipped.at[(uint32_t)k] = 1;
}

static double allowed_move(const Table *t)
{
    return t->options->within * (t->asked->stop - t->asked->start);
}

static void skip_events(Table *t)
{
    const VerifyRun *best = &t->runs[VERIFY_TIGHTEST];
    double allowed = allowed_move(t);
    for (uint32_t i = 0; i < best->n_points; i++)
        vec_push(t->mem, &t->skipped, (uint8_t)0);
    for (int r = 0; r < VERIFY_RUNS; r++) {
        const VerifyRun *run = &t->runs[r];
        for (uint32_t i = 0; i < run->jumped.n; i++)
            skip_between(t, run->jumped.at[i], run->jumped.at[i]);
        for (uint32_t i = 0; i < run->events.n; i++) {
            const VerifyEvent *e = &run->events.at[i];
            double by = moved(e, best, allowed);
            skip_between(t, e->time - (by <= allowed ? by : 0), e->time + (by <= allowed ? by : 0));
        }
    }
}

/* The first event of a run that another one does not have, or has much later or earlier; NULL:
 * none. */
static const VerifyEvent *first_lonely(const VerifyRun *run, const VerifyRun *other, double allowed,
                                       double *most)
{
    for (uint32_t i = 0; i < run->events.n; i++) {
        double by = moved(&run->events.at[i], other, allowed);
        if (by > allowed)
            return &run->events.at[i];
        *most = fmax(*most, by);
    }
    return NULL;
}

static void print_lonely(const VerifyRun *run, const VerifyEvent *e, const VerifyRun *other,
                         FILE *out)
{
    const VerifyEvent *twin = verify_twin(other, e);
    fprintf(out, "\n  %s: %.9g %s (time number %u), ", run->name, e->time, e->trigger, e->ordinal);
    if (twin)
        fprintf(out, "%s: %.9g", other->name, twin->time);
    else
        fprintf(out, "%s: never", other->name);
}

static void compare_events(Table *t, FILE *out)
{
    double allowed = allowed_move(t), most = 0;
    const VerifyRun *best = &t->runs[VERIFY_TIGHTEST];
    fprintf(out, "events: %u with the tightest tolerance", best->n_events);
    for (int r = 0; r < VERIFY_RUNS; r++) {
        const VerifyRun *run = &t->runs[r];
        const VerifyEvent *here = first_lonely(run, best, allowed, &most);
        const VerifyEvent *there = first_lonely(best, run, allowed, &most);
        if (!here && !there)
            continue;
        bool first = here && (!there || here->time <= there->time);
        t->agrees = fmin(t->agrees, first ? here->time : there->time);
        print_lonely(first ? run : best, first ? here : there, first ? best : run, out);
    }
    fprintf(out, "; the others moved by at most %.2g\n", most);
}

/* ---- variables ---- */

static double range_of(const VerifyColumn *column, uint32_t n, const uint8_t *skipped)
{
    double low = INFINITY, high = -INFINITY, largest = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!skipped[i] && isfinite(column->value[i])) {
            low = fmin(low, column->value[i]);
            high = fmax(high, column->value[i]);
            largest = fmax(largest, fabs(column->value[i]));
        }
    /* what hardly moves is compared with its size */
    return fmax(high - low, 0.1 * largest);
}

/* How long the path of its instance is, with the dot. */
static size_t instance_length(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? (size_t)(dot - path) + 1 : 0;
}

/* What falls with the tolerance as a whole is zero but for errors: a difference of others that are equal. It is compared
 * with the largest range in its instance. */
static double range_beside(const Table *t, const VerifyColumn *best)
{
    const VerifyRun *tightest = &t->runs[VERIFY_TIGHTEST];
    const VerifyColumn *asked = verify_column(&t->runs[VERIFY_ASKED], best->path);
    uint32_t n = tightest->n_points;
    double range = range_of(best, n, t->skipped.at);
    size_t length = instance_length(best->path);
    if (best->type != SOL_REAL || !asked || !(range_of(asked, n, t->skipped.at) > FALLS * range))
        return range;
    for (uint32_t i = 0; i < tightest->columns.n; i++) {
        const VerifyColumn *other = &tightest->columns.at[i];
        if (other->type == SOL_REAL && instance_length(other->path) == length &&
            memcmp(other->path, best->path, length) == 0)
            range = fmax(range, range_of(other, n, t->skipped.at));
    }
    return range;
}

static double distance(const VerifyColumn *a, const VerifyColumn *b, uint32_t point, double range,
                       double atol)
{
    double x = a->value[point], y = b->value[point];
    if (isnan(x) || isnan(y))
        return isnan(x) == isnan(y) ? 0 : INFINITY;
    if (b->type != SOL_REAL)
        return x == y ? 0 : INFINITY;
    return x == y ? 0 : fabs(x - y) / fmax(range, 1e2 * atol);
}

static void compare_column(Table *t, const VerifyColumn *best)
{
    uint32_t n = t->runs[VERIFY_TIGHTEST].n_points;
    Row row = {.path = best->path, .agrees = INFINITY};
    double atol = t->asked->atol;
    row.range = range_beside(t, best);
    for (int r = 0; r < VERIFY_RUNS; r++) {
        const VerifyColumn *column = verify_column(&t->runs[r], best->path);
        for (uint32_t i = 0; i < n; i++) {
            if (t->skipped.at[i] || time_of(t, i) > t->runs[r].reached)
                continue;
            double off = column ? distance(column, best, i, row.range, atol) : INFINITY;
            row.off[r] = fmax(row.off[r], off);
            if (off > t->options->within)
                row.agrees = fmin(row.agrees, time_of(t, i));
        }
    }
    t->agrees = fmin(t->agrees, row.agrees);
    vec_push(t->mem, &t->rows, row);
}

static int by_worst(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    double u = fmax(x->off[VERIFY_ASKED], x->off[VERIFY_OTHER]);
    double v = fmax(y->off[VERIFY_ASKED], y->off[VERIFY_OTHER]);
    if (u != v)
        return u > v ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* An error that is there and does not become a third when the tolerance becomes a hundredth. */
static const char *falls(const Row *row, double rounding)
{
    double loose = row->off[VERIFY_ASKED], tight = row->off[VERIFY_TIGHT];
    if (loose <= rounding)
        return "exact";
    return tight <= loose / 3 ? "falls" : tight <= rounding ? "falls" : "stays";
}

static void print_rows(Table *t, FILE *out)
{
    uint32_t shown = t->rows.n < t->options->rows ? t->rows.n : t->options->rows;
    size_t width = strlen("variable");
    for (uint32_t i = 0; i < shown; i++)
        width = fmax(width, strlen(t->rows.at[i].path));
    fprintf(out, "%-*s  %9s  %9s  %9s  %9s  %-6s  agrees up to\n", (int)width, "variable", "range",
            "off", "tighter", "solver", "error");
    for (uint32_t i = 0; i < shown; i++) {
        const Row *row = &t->rows.at[i];
        fprintf(out, "%-*s  %9.3g  %9.1e  %9.1e  %9.1e  %-6s  ", (int)width, row->path, row->range,
                row->off[VERIFY_ASKED], row->off[VERIFY_TIGHT], row->off[VERIFY_OTHER],
                falls(row, 1e-11));
        if (isfinite(row->agrees))
            fprintf(out, "%g\n", row->agrees);
        else
            fputs("the end\n", out);
    }
    if (shown < t->rows.n)
        fprintf(out, "and %u more that are apart by less\n", t->rows.n - shown);
}

/* ---- all ---- */

static void print_runs(const Table *t, FILE *out)
{
    for (int r = 0; r < VERIFY_RUNS; r++) {
        const VerifyRun *run = &t->runs[r];
        fprintf(out, "%-28s %9" PRIu64 " steps, %5u events, audit %.1e", run->name, run->steps,
                run->n_events, run->audit.worst);
        if (run->status != SOL_OK)
            fprintf(out, ", FAILED at %g", run->reached);
        fputc('\n', out);
    }
    bool same = t->runs[VERIFY_ASKED].hash == t->runs[VERIFY_CODE].hash;
    fprintf(out, "interpreted and compiled: %s\n", same ? "the same bits" : "DIFFERENT BITS");
}

bool verify_table(Mem *mem, const VerifyRun runs[VERIFY_RUNS], const SolOptions *asked,
                  const VerifyOptions *options, FILE *out)
{
    Table t = {.mem = mem, .runs = runs, .asked = asked, .options = options, .agrees = INFINITY};
    bool fine = runs[VERIFY_ASKED].hash == runs[VERIFY_CODE].hash;
    for (int r = 0; r < VERIFY_RUNS; r++)
        if (runs[r].status != SOL_OK)
            t.agrees = fmin(t.agrees, runs[r].reached);
    print_runs(&t, out);
    skip_events(&t);
    compare_events(&t, out);
    for (uint32_t i = 0; i < runs[VERIFY_TIGHTEST].columns.n; i++)
        compare_column(&t, &runs[VERIFY_TIGHTEST].columns.at[i]);
    if (t.rows.n)
        qsort(t.rows.at, t.rows.n, sizeof *t.rows.at, by_worst);
    print_rows(&t, out);
    if (t.agrees > options->until)
        fprintf(out, "all runs agree within %g of each range up to %g\n", options->within,
                options->until);
    else
        fprintf(out, "all runs agree within %g of each range up to %g only\n", options->within,
                t.agrees);
    fine = fine && t.agrees > options->until;
    vec_free(mem, &t.rows);
    vec_free(mem, &t.skipped);
    return fine;
}
