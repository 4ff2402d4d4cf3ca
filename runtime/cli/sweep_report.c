/* sweep_report.c: outcomes of a sweep -> one HTML page: statistics, histograms, scatter plots, failures. See sweep.h.
 *
 * Pictures are SVG inside of the page, which needs no other file and no network. */
#include "runtime/cli/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDE = 320,
    HIGH = 190,
    LEFT = 8,
    BELOW = 18,
    MOST_POINTS = 2000,
    MOST_SCATTERS = 60,
    MOST_BINS = 40,
    MOST_FAILED = 1000
};

typedef struct Values {
    uint64_t n;
    double *x, *y; /* y: of scatters; x: sorted in histograms */
    double x_low, x_high, y_low, y_high;
    bool log; /* x are logarithms */
} Values;

/* ---- texts ---- */

static void put_escaped(OutFile *out, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                                        : NULL;
        if (as)
            out_text(out, as);
        else
            out_bytes(out, text, 1);
    }
}

static void put(OutFile *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(OutFile *out, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    out_text(out, text);
}

static void begin_picture(OutFile *out, const char *title, const char *below)
{
    put(out, "<figure><figcaption>");
    put_escaped(out, title);
    if (below) {
        put(out, " over ");
        put_escaped(out, below);
    }
    put(out, "</figcaption><svg viewBox='0 0 %d %d' width='%d' height='%d'>", WIDE, HIGH, WIDE,
        HIGH);
    put(out, "<rect x='%d' y='0' width='%d' height='%d' class='frame'/>", LEFT, WIDE - 2 * LEFT,
        HIGH - BELOW);
}

/* Ends of the axes, and the end of the picture. */
static void end_picture(OutFile *out, const Values *v, double most, const char *unit)
{
    double low = v->log ? exp(v->x_low) : v->x_low, high = v->log ? exp(v->x_high) : v->x_high;
    put(out, "<text x='%d' y='%d'>%.4g</text><text x='%d' y='%d' class='right'>%.4g</text>", LEFT,
        HIGH - 5, low, WIDE - LEFT, HIGH - 5, high);
    put(out, "<text x='%d' y='12'>%.4g%s</text></svg></figure>\n", LEFT + 3, most, unit);
}

static double across(const Values *v, double x)
{
    double span = v->x_high - v->x_low;
    return LEFT + (span > 0 ? (x - v->x_low) / span : 0.5) * (WIDE - 2 * LEFT);
}

/* ---- histograms ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void gather(const Sweep *s, uint32_t quantity, Values *v)
{
    v->n = 0;
    for (uint64_t i = 0; i < s->job->cases->n; i++) {
        double x = s->values[i * s->job->n_quantities + quantity];
        if (s->done[i] == 1 && isfinite(x))
            v->x[v->n++] = x;
    }
    qsort(v->x, v->n, sizeof *v->x, by_size);
    v->x_low = v->n ? v->x[0] : 0;
    v->x_high = v->n ? v->x[v->n - 1] : 0;
}

static void draw_histogram(OutFile *out, const char *name, const Values *v)
{
    uint64_t count[MOST_BINS] = {0}, most = 0;
    uint32_t bins = (uint32_t)sqrt((double)v->n);
    bins = bins < 5 ? 5 : bins > MOST_BINS ? MOST_BINS : bins;
    double span = v->x_high - v->x_low, width = (double)(WIDE - 2 * LEFT) / bins;
    for (uint64_t i = 0; i < v->n; i++) {
        uint32_t bin = span > 0 ? (uint32_t)((v->x[i] - v->x_low) / span * bins) : bins / 2;
        bin = bin >= bins ? bins - 1 : bin;
        most = ++count[bin] > most ? count[bin] : most;
    }
    begin_picture(out, name, NULL);
    for (uint32_t i = 0; i < bins; i++) {
        double high = most ? (double)count[i] / (double)most * (HIGH - BELOW - 16) : 0;
        put(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='bar'/>",
            LEFT + i * width, HIGH - BELOW - high, width - 1, high);
    }
    end_picture(out, v, (double)most, " cases");
}

static void put_numbers(OutFile *out, const char *name, const Values *v)
{
    static const double parts[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
    SweepStatistics of = sweep_statistics(v->x, v->n);
    put(out, "<tr><th>");
    put_escaped(out, name);
    put(out, "</th><td>%" PRIu64 "</td><td>%.6g</td><td>%.4g</td>", v->n, of.mean, of.deviation);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put(out, "<td>%.6g</td>", v->n ? sweep_quantile(v->x, v->n, parts[i]) : NAN);
    put(out, "</tr>\n");
}

/* ---- scatter plots ---- */

static void widen(double x, bool first, double *low, double *high)
{
    *low = first || x < *low ? x : *low;
    *high = first || x > *high ? x : *high;
}

/* Values of a quantity over those of what varied, as far as both are numbers; every so many of them. */
static void gather_pairs(const Sweep *s, uint32_t path, uint32_t quantity, Values *v)
{
    char text[SWEEP_VALUE], *end;
    uint64_t every = s->job->cases->n / MOST_POINTS + 1;
    v->n = 0;
    v->log = sweep_is_log(s->job->cases, path);
    for (uint64_t i = 0; i < s->job->cases->n; i += every) {
        double y = s->values[i * s->job->n_quantities + quantity];
        if (s->done[i] != 1 || !isfinite(y) || !sweep_value(s->job->cases, i, path, text))
            continue;
        double x = strtod(text, &end);
        if (*end || !isfinite(x))
            continue;
        x = v->log ? log(x) : x;
        widen(x, v->n == 0, &v->x_low, &v->x_high);
        widen(y, v->n == 0, &v->y_low, &v->y_high);
        v->x[v->n] = x;
        v->y[v->n++] = y;
    }
}

static void draw_scatter(OutFile *out, const char *name, const char *path, const Values *v)
{
    double span = v->y_high - v->y_low;
    begin_picture(out, name, path);
    for (uint64_t i = 0; i < v->n; i++)
        put(out, "<circle cx='%.1f' cy='%.1f' r='1.5'/>", across(v, v->x[i]),
            (HIGH - BELOW - 4) -
                (span > 0 ? (v->y[i] - v->y_low) / span : 0.5) * (HIGH - BELOW - 22));
    put(out, "<text x='%d' y='%d'>%.4g</text>", LEFT + 3, HIGH - BELOW - 4, v->y_low);
    end_picture(out, v, v->y_high, "");
}

/* ---- the page ---- */

static const char page_head[] =
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Sweep</title><style>"
    "body{font:14px sans-serif;margin:2em;max-width:1100px}table{border-collapse:collapse}"
    "td,th{padding:2px 10px;text-align:right;border-bottom:1px solid "
    "#ddd}th:first-child{text-align:left}"
    "figure{display:inline-block;margin:8px}figcaption{font-size:13px}svg text{font-size:11px}"
    ".frame{fill:none;stroke:#bbb}.bar{fill:#4878a8}circle{fill:#4878a8;fill-opacity:.5}"
    ".right{text-anchor:end}.failed td{text-align:left}</style>\n";

static void put_failures(const Sweep *s, OutFile *out)
{
    char value[SWEEP_VALUE];
    uint32_t shown = 0;
    put(out, "<h2>Cases that failed</h2><table class='failed'>\n");
    for (uint64_t i = 0; i < s->job->cases->n && shown < MOST_FAILED; i++) {
        if (s->done[i] != 2)
            continue;
        shown++;
        put(out, "<tr><th>%" PRIu64 "</th><td>", i + 1);
        for (uint32_t k = 0; k < sweep_path_count(s->job->cases); k++)
            if (sweep_value(s->job->cases, i, k, value)) {
                put_escaped(out, sweep_path(s->job->cases, k));
                out_text(out, " = ");
                put_escaped(out, value);
                out_text(out, " ");
            }
        out_text(out, "</td><td>");
        put_escaped(out, s->message[i] ? s->messages.at[s->message[i] - 1] : "");
        out_text(out, "</td></tr>\n");
    }
    out_text(out, "</table>\n");
    if (s->n_failed > MOST_FAILED)
        put(out, "<p>The first %d of %" PRIu64 "; the table has them all.</p>\n", MOST_FAILED,
            s->n_failed);
}

static void put_scatters(const Sweep *s, OutFile *out, Values *v)
{
    char name[4200];
    uint32_t shown = 0, paths = sweep_path_count(s->job->cases);
    put(out, "<h2>Over what varied</h2>\n");
    for (uint32_t q = 0; q < s->job->n_quantities; q++)
        for (uint32_t p = 0; p < paths && shown < MOST_SCATTERS; p++) {
            gather_pairs(s, p, q, v);
            sweep_quantity_name(&s->job->quantities[q], name, sizeof name);
            if (v->n)
                draw_scatter(out, name, sweep_path(s->job->cases, p), v);
            shown += v->n > 0;
        }
    if (shown == MOST_SCATTERS)
        put(out, "<p>The first %d pictures.</p>\n", MOST_SCATTERS);
    if (s->job->cases->n > MOST_POINTS)
        put(out, "<p>A part of the cases is drawn, evenly: at most %d.</p>\n", MOST_POINTS);
}

static void put_page(const Sweep *s, OutFile *out, const char *title, Values *v)
{
    char name[4200];
    out_text(out, page_head);
    put(out, "<h1>");
    put_escaped(out, title);
    put(out, "</h1><p>%" PRIu64 " cases: %" PRIu64 " done, %" PRIu64 " failed.</p>\n",
        s->job->cases->n, s->n_done - s->n_failed, s->n_failed);
    put(out,
        "<table><tr><th></th><th>cases</th><th>mean</th><th>deviation</th><th>least</th><th>5 "
        "%%</th><th>25 %%</th><th>median</th><th>75 %%</th><th>95 %%</th><th>most</th></tr>\n");
    for (uint32_t q = 0; q < s->job->n_quantities; q++) {
        gather(s, q, v);
        sweep_quantity_name(&s->job->quantities[q], name, sizeof name);
        put_numbers(out, name, v);
    }
    put(out, "</table>\n<h2>How often</h2>\n");
    for (uint32_t q = 0; q < s->job->n_quantities; q++) {
        gather(s, q, v);
        sweep_quantity_name(&s->job->quantities[q], name, sizeof name);
        if (v->n)
            draw_histogram(out, name, v);
    }
    put_scatters(s, out, v);
    if (s->n_failed)
        put_failures(s, out);
    out_text(out, "</html>\n");
}

bool sweep_write_report(const Sweep *s, const char *path, int *error)
{
    OutFile *out = mem_alloc(s->mem, sizeof *out);
    uint64_t room = s->job->cases->n + 1;
    Values v = {.x = mem_alloc(s->mem, room * sizeof(double)),
                .y = mem_alloc(s->mem, room * sizeof(double))};
    const char *model = s->job->designator ? s->job->designator : s->job->load.path;
    if (out_create(out, path)) {
        put_page(s, out, model, &v);
        out_close(out);
    }
    *error = out->error;
    return !out->error;
}
