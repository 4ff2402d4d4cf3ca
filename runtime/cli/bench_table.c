/* bench_table.c: measured runs -> a table, engines side by side. See bench.h. */
#include "runtime/cli/bench.h"

#include <stdlib.h>

enum { LABEL = 31, COLUMN = 23 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the list. */
static double quantile(double *list, uint32_t n, double q)
{
    if (!n)
        return 0;
    qsort(list, n, sizeof *list, ascending);
    return list[(uint32_t)(q * (n - 1) + 0.5)];
}

static double median_of(const Bench *bench, uint32_t engine, double (*get)(const SolStats *stats))
{
    double list[BENCH_MOST_RUNS];
    for (uint32_t i = 0; i < bench->runs; i++)
        list[i] = get(&bench->series[engine].stats[i]);
    return quantile(list, bench->runs, 0.5);
}

/* ---- rows ---- */

static void label(FILE *out, const char *text)
{
    fprintf(out, "%-*s", LABEL, text);
}

static void cell(FILE *out, const char *format, double value)
{
    char text[COLUMN + 1];
    snprintf(text, sizeof text, format, value);
    fprintf(out, "%*s", COLUMN, text);
}

static void row(const Bench *bench, FILE *out, const char *name, const char *format,
                double (*get)(const SolStats *stats))
{
    label(out, name);
    for (uint32_t e = 0; e < BENCH_ENGINES; e++)
        cell(out, format, median_of(bench, e, get));
    fputc('\n', out);
}

#define STAT(NAME, EXPRESSION)                                                                     \
    static double NAME(const SolStats *s)                                                          \
    {                                                                                              \
        return (double)(EXPRESSION);                                                               \
    }

STAT(total, s->total)
STAT(parse, s->parse * 1e3)
STAT(instantiate, s->instantiate * 1e3)
STAT(ddp, s->ddp * 1e3)
STAT(lower, s->lower * 1e3)
STAT(compile_wait, s->compile_wait * 1e3)
STAT(compile_background, s->compile_background * 1e3)
STAT(integrate, s->integrate * 1e3)
STAT(events, s->events * 1e3)
STAT(output, s->output * 1e3)
STAT(steps, s->steps)
STAT(events_count, s->events_count)
STAT(restarts, s->restarts)
STAT(residuals, s->residuals)
STAT(relations, s->relations)
STAT(states_max, s->states_max)
STAT(functions, s->functions_compiled)
STAT(from_disk, s->shapes_from_disk)
STAT(memory, s->relations ? (double)s->memory_peak / 1e3 / s->relations : 0)

/* ---- parts of the table ---- */

static void totals(const Bench *bench, FILE *out)
{
    double base = median_of(bench, SOL_ENGINE_JIT, total);
    row(bench, out, "total, seconds", "%.4f", total);
    label(out, "  least .. most");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++) {
        double list[BENCH_MOST_RUNS];
        for (uint32_t i = 0; i < bench->runs; i++)
            list[i] = bench->series[e].stats[i].total;
        double least = quantile(list, bench->runs, 0), most = list[bench->runs - 1];
        char text[COLUMN + 1];
        snprintf(text, sizeof text, "%.4f .. %.4f", least, most);
        fprintf(out, "%*s", COLUMN, text);
    }
    fputc('\n', out);
    label(out, "  over jit");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++)
        cell(out, "%.2f", median_of(bench, e, total) / base);
    fputc('\n', out);
}

static void stages(const Bench *bench, FILE *out)
{
    fputs("\nby stage, milliseconds\n", out);
    row(bench, out, "  parse", "%.2f", parse);
    row(bench, out, "  instantiate", "%.2f", instantiate);
    row(bench, out, "  ddp", "%.2f", ddp);
    row(bench, out, "  lower", "%.2f", lower);
    row(bench, out, "  compile, waited for", "%.2f", compile_wait);
    row(bench, out, "  compile, in the background", "%.2f", compile_background);
    row(bench, out, "  integrate", "%.2f", integrate);
    row(bench, out, "  events (ddp and so on too)", "%.2f", events);
    row(bench, out, "  output", "%.2f", output);
    label(out, "structural handling, %");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++) {
        const BenchSeries *s = &bench->series[e];
        cell(out, "%.2f", s->structure_us * 1e-4 / s->stats[bench->runs - 1].total);
    }
    fputc('\n', out);
}

/* "12.3", "1234": as short as it is of use */
static int put_short(char *out, size_t size, double value, bool whole)
{
    return snprintf(out, size, "%.*f", whole || value >= 1000 ? 0 : 1, value);
}

static void cost_row(Bench *bench, FILE *out, const char *name, BenchCost cost, bool whole)
{
    static const double quantiles[] = {0.5, 0.95, 1};
    label(out, name);
    for (uint32_t e = 0; e < BENCH_ENGINES; e++) {
        BenchList *list = &bench->series[e].costs[cost];
        char text[100];
        size_t used = 0;
        for (int i = 0; i < 3; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", i ? " / " : "");
            used += (size_t)put_short(text + used, sizeof text - used,
                                      quantile(list->at, list->n, quantiles[i]), whole);
        }
        fprintf(out, " %*s", COLUMN - 1, list->n ? text : "-");
    }
    fputc('\n', out);
}

static void per_event(Bench *bench, FILE *out)
{
    fputs("\nper structural event: median / 95 % / worst\n", out);
    cost_row(bench, out, "  structure, us", BENCH_STRUCTURE, false);
    cost_row(bench, out, "  restart, us", BENCH_RESTART, false);
    cost_row(bench, out, "  both (the wait), us", BENCH_WAIT, false);
    cost_row(bench, out, "  relations visited", BENCH_VISITED, true);
    cost_row(bench, out, "  blocks kept", BENCH_KEPT, true);
    cost_row(bench, out, "  blocks rebuilt", BENCH_REBUILT, true);
}

static void counts(const Bench *bench, FILE *out)
{
    fputs("\ncounted\n", out);
    row(bench, out, "  steps", "%.0f", steps);
    row(bench, out, "  residuals", "%.0f", residuals);
    row(bench, out, "  events", "%.0f", events_count);
    label(out, "  structural events");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++)
        cell(out, "%.0f", (double)bench->series[e].structural);
    fputc('\n', out);
    row(bench, out, "  restarts of integrators", "%.0f", restarts);
    row(bench, out, "  relations at the end", "%.0f", relations);
    row(bench, out, "  states, most", "%.0f", states_max);
    row(bench, out, "  functions compiled", "%.0f", functions);
    row(bench, out, "  functions from the disk", "%.0f", from_disk);
    row(bench, out, "  model, MB per 1,000 relations", "%.2f", memory);
}

static void start_row(Bench *bench, FILE *out, const char *name, bool again)
{
    label(out, name);
    for (uint32_t e = 0; e < BENCH_ENGINES; e++) {
        BenchStart *start = again ? &bench->series[e].again : &bench->series[e].first;
        if (start->seconds.n)
            cell(out, "%.1f", quantile(start->seconds.at, start->seconds.n, 0.5) * 1e3);
        else
            fprintf(out, "%*s", COLUMN, "-");
    }
    fputc('\n', out);
}

static void starts(Bench *bench, FILE *out)
{
    if (!bench->starts)
        return;
    fprintf(out, "\nwhole process, start to exit, milliseconds: medians of %u\n", bench->starts);
    start_row(bench, out, "  cold (empty cache)", false);
    start_row(bench, out, "  warm (full cache)", true);
    label(out, "  its peak of memory, MB");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++)
        cell(out, "%.1f", bench->series[e].first.peak_bytes / 1e6);
    fputs("\n", out);
    label(out, "  the same per 1,000 relations");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++) {
        double n = median_of(bench, e, relations);
        cell(out, "%.2f", n > 0 ? bench->series[e].first.peak_bytes / 1e3 / n : 0);
    }
    fputs("\n", out);
}

void bench_table(Bench *bench, FILE *out)
{
    fprintf(out, "%s from %g to %g: medians of %u runs of each engine, in turn\n\n", bench->operand,
            bench->options.start, bench->options.stop, bench->runs);
    label(out, "engine");
    for (uint32_t e = 0; e < BENCH_ENGINES; e++)
        fprintf(out, "%*s", COLUMN, bench_engines[e]);
    fputc('\n', out);
    totals(bench, out);
    stages(bench, out);
    per_event(bench, out);
    counts(bench, out);
    starts(bench, out);
}
