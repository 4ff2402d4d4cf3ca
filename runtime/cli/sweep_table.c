/* sweep_table.c: outcomes -> a table as CSV; failures and statistics for people. See sweep.h. */
#include "runtime/cli/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {"end", "min", "max", "event"};

static void write_cell(OutFile *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        out_text(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            out_text(out, "\"");
        out_bytes(out, text, 1);
    }
    if (quoted)
        out_text(out, "\"");
}

void sweep_quantity_name(const SweepQuantity *q, char *name, size_t size)
{
    if (q->by)
        snprintf(name, size, "d(%s(%s))/d(%s)", kinds[q->kind], q->name, q->by);
    else
        snprintf(name, size, "%s(%s)", kinds[q->kind], q->name);
}

static void write_names(const Sweep *s, OutFile *out)
{
    char name[4200];
    out_text(out, "case");
    for (uint32_t i = 0; i < sweep_path_count(s->job->cases); i++) {
        out_text(out, ",");
        write_cell(out, sweep_path(s->job->cases, i));
    }
    out_text(out, ",status");
    for (uint32_t i = 0; i < s->job->n_quantities; i++) {
        sweep_quantity_name(&s->job->quantities[i], name, sizeof name);
        out_text(out, ",");
        write_cell(out, name);
    }
    out_text(out, ",message\n");
}

static void write_case(const Sweep *s, OutFile *out, uint64_t index)
{
    char value[SWEEP_VALUE];
    out_number(out, (double)(index + 1));
    for (uint32_t i = 0; i < sweep_path_count(s->job->cases); i++) {
        out_text(out, ",");
        if (sweep_value(s->job->cases, index, i, value))
            write_cell(out, value);
    }
    out_text(out, s->done[index] == 1 ? ",ok" : ",failed");
    for (uint32_t i = 0; i < s->job->n_quantities; i++) {
        double x = s->values[index * s->job->n_quantities + i];
        out_text(out, ",");
        if (!isnan(x))
            out_number(out, x);
    }
    out_text(out, ",");
    if (s->message[index])
        write_cell(out, s->messages.at[s->message[index] - 1]);
    out_text(out, "\n");
}

bool sweep_write_table(const Sweep *s, const char *path, int *error)
{
    OutFile *out = mem_alloc(s->mem, sizeof *out);
    char *part = mem_alloc(s->mem, strlen(path) + 8);
    bool to_stdout = strcmp(path, "-") == 0;
    sprintf(part, "%s.part", path);
    if (to_stdout)
        out_attach(out, STDOUT_FILENO);
    else if (!out_create(out, part)) {
        *error = out->error;
        return false;
    }
    write_names(s, out);
    for (uint64_t i = 0; i < s->job->cases->n; i++)
        write_case(s, out, i);
    out_close(out);
    *error = out->error;
    return !out->error && (to_stdout || rename(part, path) == 0);
}

/* ---- for people ---- */

static void print_failures(const Sweep *s, FILE *out)
{
    enum { MOST = 10 };
    char value[SWEEP_VALUE];
    uint32_t shown = 0;
    for (uint64_t i = 0; i < s->job->cases->n && shown < MOST; i++) {
        if (s->done[i] != 2)
            continue;
        shown++;
        fprintf(out, "  case %" PRIu64, i + 1);
        for (uint32_t k = 0; k < sweep_path_count(s->job->cases); k++)
            if (sweep_value(s->job->cases, i, k, value))
                fprintf(out, "%s%s=%s", k ? ", " : " (", sweep_path(s->job->cases, k), value);
        fprintf(out, "%s: %s\n", sweep_path_count(s->job->cases) ? ")" : "",
                s->message[i] ? s->messages.at[s->message[i] - 1] : "failed");
    }
    if (s->n_failed > MOST)
        fprintf(out, "  and %" PRIu64 " more: the table has them all\n", s->n_failed - MOST);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sweep_quantile(const double *sorted, uint64_t n, double part)
{
    double at = part * (double)(n - 1);
    uint64_t below = (uint64_t)at;
    double rest = at - (double)below;
    return below + 1 < n ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
                         : sorted[below];
}

/* One pass, for numbers of any size. */
SweepStatistics sweep_statistics(const double *values, uint64_t n)
{
    double mean = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++) {
        double d = values[i] - mean;
        mean += d / (double)(i + 1);
        squares += d * (values[i] - mean);
    }
    return (SweepStatistics){mean, n > 1 ? sqrt(squares / (double)(n - 1)) : 0};
}

static void print_statistics(const Sweep *s, uint32_t quantity, double *sorted, FILE *out)
{
    char name[4200];
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->job->cases->n; i++) {
        double x = s->values[i * s->job->n_quantities + quantity];
        if (s->done[i] == 1 && !isnan(x))
            sorted[n++] = x;
    }
    sweep_quantity_name(&s->job->quantities[quantity], name, sizeof name);
    if (n == 0) {
        fprintf(out, "  %-20s no case had it\n", name);
        return;
    }
    SweepStatistics of = sweep_statistics(sorted, n);
    qsort(sorted, n, sizeof *sorted, by_size);
    fprintf(out, "  %-20s %8" PRIu64 " %12.6g %12.4g %12.6g %12.6g %12.6g %12.6g %12.6g\n", name, n,
            of.mean, of.deviation, sorted[0], sweep_quantile(sorted, n, 0.05),
            sweep_quantile(sorted, n, 0.5), sweep_quantile(sorted, n, 0.95), sorted[n - 1]);
}

void sweep_print_summary(const Sweep *s, double seconds, uint32_t jobs, FILE *out)
{
    uint64_t n = s->job->cases->n;
    fprintf(out, "%" PRIu64 " cases in %.3g s with %u processes", n - s->n_before, seconds, jobs);
    if (s->n_before)
        fprintf(out, ", %" PRIu64 " were there already", s->n_before);
    fprintf(out, ": %" PRIu64 " done, %" PRIu64 " failed\n", s->n_done - s->n_failed, s->n_failed);
    if (s->n_failed)
        print_failures(s, out);
    double *sorted = mem_alloc(s->mem, (n + 1) * sizeof *sorted);
    fprintf(out, "  %-20s %8s %12s %12s %12s %12s %12s %12s %12s\n", "", "cases", "mean",
            "deviation", "least", "5 %", "median", "95 %", "most");
    for (uint32_t i = 0; i < s->job->n_quantities; i++)
        print_statistics(s, i, sorted, out);
    mem_free(s->mem, sorted);
}
