/* plot_text.c: curves -> characters: dots of braille in a UTF-8 terminal, plain ASCII elsewhere. */
#include "runtime/cli/axis.h"
#include "runtime/cli/plot.h"

#include <math.h>
#include <string.h>

enum { LABEL = 11, EMPTY = 0xff };

/* A grid of cells, each of across x down dots. In ASCII a cell is one dot. */
typedef struct Grid {
    uint32_t columns, rows, across, down;
    uint8_t *dots;  /* [cell]: bits of its braille pattern */
    uint8_t *owner; /* [cell]: the curve drawn there last, or EMPTY */
    uint8_t *mark;  /* [column]: 0, or an event: 1 other, 2 structural */
    Axis x, y;
} Grid;

static const char *const colours[] = {"\x1b[34m", "\x1b[31m", "\x1b[32m", "\x1b[35m",
                                      "\x1b[36m", "\x1b[33m", "\x1b[37m"};
static const char letters[] = "*+xo#@%&";
enum { N_COLOURS = sizeof colours / sizeof *colours, N_LETTERS = sizeof letters - 1 };

/* ---- the grid ---- */

static void set_dot(Grid *g, int64_t x, int64_t y, uint32_t curve)
{
    /* bits of U+2800: columns of the cell, from the top */
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= g->columns * g->across || y >= g->rows * g->down)
        return;
    size_t cell = (size_t)(y / g->down) * g->columns + (size_t)(x / g->across);
    g->dots[cell] |= bits[y % g->down][x % g->across];
    g->owner[cell] = (uint8_t)(curve % EMPTY);
}

static double x_of(const Grid *g, double t)
{
    return (t - g->x.low) / (g->x.high - g->x.low) * (g->columns * g->across - 1);
}

static double y_of(const Grid *g, double v)
{
    return (g->y.high - v) / (g->y.high - g->y.low) * (g->rows * g->down - 1);
}

static void draw_line(Grid *g, double x1, double y1, double x2, double y2, uint32_t curve)
{
    int64_t n = (int64_t)fmax(fabs(x2 - x1), fabs(y2 - y1)) + 1;
    for (int64_t i = 0; i <= n; i++) {
        double part = (double)i / (double)n;
        set_dot(g, llround(x1 + part * (x2 - x1)), llround(y1 + part * (y2 - y1)), curve);
    }
}

static void draw_curve(Grid *g, const Curve *curve, uint32_t number)
{
    bool open = false;
    double before_x = 0, before_y = 0;
    for (uint32_t i = 0; i < curve->points.n; i++) {
        SeriesPoint point = curve->points.at[i];
        bool gap = isnan(point.y);
        double x = gap ? 0 : x_of(g, point.t), y = gap ? 0 : y_of(g, point.y);
        if (!gap)
            draw_line(g, open ? before_x : x, open ? before_y : y, x, y, number);
        before_x = x;
        before_y = y;
        open = !gap;
    }
}

/* Lines in more than a third of all columns would hide the curves: then there are none, and the
 * answer is no. */
static bool draw_marks(Grid *g, const Series *series)
{
    uint32_t marked = 0;
    for (uint32_t i = 0; i < series->marks.n; i++) {
        int64_t at = llround(x_of(g, series->marks.at[i].t)) / g->across;
        uint8_t kind = series->marks.at[i].structural ? 2 : 1;
        if (at >= 0 && at < g->columns && g->mark[at] < kind)
            g->mark[at] = kind;
    }
    for (uint32_t i = 0; i < g->columns; i++)
        marked += g->mark[i] != 0;
    if (marked <= g->columns / 3)
        return true;
    memset(g->mark, 0, g->columns);
    return false;
}

/* ---- characters ---- */

static void print_braille(FILE *out, uint8_t dots)
{
    putc(0xe2, out);
    putc(0xa0 | dots >> 6, out);
    putc(0x80 | (dots & 0x3f), out);
}

static void print_cell(const Grid *g, const PlotOptions *options, uint32_t row, uint32_t column,
                       FILE *out)
{
    size_t cell = (size_t)row * g->columns + column;
    uint8_t curve = g->owner[cell], mark = g->mark[column];
    if (curve == EMPTY) {
        const char *line = options->utf8 ? (mark == 2 ? "\u2502" : "\u250a")
                           : mark == 2   ? "|"
                                         : ":";
        fputs(mark ? line : " ", out);
        return;
    }
    if (options->colour)
        fputs(colours[curve % N_COLOURS], out);
    if (options->utf8)
        print_braille(out, g->dots[cell]);
    else
        putc(letters[curve % N_LETTERS], out);
    if (options->colour)
        fputs("\x1b[0m", out);
}

static void print_rows(const Grid *g, const PlotOptions *options, FILE *out)
{
    uint32_t tick = g->y.ticks; /* from the highest one down */
    for (uint32_t row = 0; row < g->rows; row++) {
        char label[40] = "";
        if (tick && llround(y_of(g, axis_tick(&g->y, tick - 1))) / g->down == row)
            axis_label(&g->y, --tick, label, sizeof label);
        fprintf(out, "%*s %s", LABEL - 2, label,
                options->utf8 ? (*label ? "\u2524" : "\u2502") : "|");
        for (uint32_t column = 0; column < g->columns; column++)
            print_cell(g, options, row, column, out);
        putc('\n', out);
    }
}

static void print_times(const Grid *g, const PlotOptions *options, FILE *out)
{
    fprintf(out, "%*s%s", LABEL - 1, "", options->utf8 ? "\u2514" : "+");
    for (uint32_t column = 0; column < g->columns; column++)
        fputs(options->utf8 ? "\u2500" : "-", out);
    fprintf(out, "\n%*s", LABEL, "");
    int64_t at = 0;
    for (uint32_t i = 0; i < g->x.ticks; i++) {
        char label[40];
        axis_label(&g->x, i, label, sizeof label);
        int64_t begin =
            llround(x_of(g, axis_tick(&g->x, i))) / g->across - (int64_t)strlen(label) / 2;
        begin = begin < 0 ? 0 : begin;
        if (begin + (int64_t)strlen(label) > g->columns)
            begin = g->columns - (int64_t)strlen(label);
        if (begin < at + (i > 0))
            continue;
        fprintf(out, "%*s%s", (int)(begin - at), "", label);
        at = begin + (int64_t)strlen(label);
    }
    putc('\n', out);
}

/* Of the curves first .. end-1. */
static void print_legend(const Series *series, const PlotOptions *options, uint32_t first,
                         uint32_t end, FILE *out)
{
    for (uint32_t i = first; i < end; i++) {
        const Curve *curve = &series->curves.at[i];
        char name[160];
        plot_name(series, curve, name, sizeof name);
        fprintf(out, "%*s", LABEL, "");
        if (options->utf8)
            fprintf(out, "%s\u2501\u2501%s", options->colour ? colours[i % N_COLOURS] : "",
                    options->colour ? "\x1b[0m" : "");
        else
            putc(letters[i % N_LETTERS], out);
        if (curve->samples)
            fprintf(out, " %s (%.6g to %.6g)\n", name, curve->low, curve->high);
        else
            fprintf(out, " %s (not there)\n", name);
    }
}

/* The curves first .. end-1 over all of the time, with times below where it is the last one. */
static void print_panel(const Series *series, const PlotOptions *options, Grid *g, uint32_t first,
                        uint32_t end, FILE *out)
{
    double low, high;
    size_t cells = (size_t)g->columns * g->rows;
    memset(g->dots, 0, cells);
    memset(g->owner, EMPTY, cells);
    plot_span(series, first, end, &low, &high);
    g->y = axis_make(low, high, g->rows / 3 + 1, 1);
    for (uint32_t i = first; i < end; i++)
        draw_curve(g, &series->curves.at[i], i);
    print_rows(g, options, out);
    if (end == series->curves.n)
        print_times(g, options, out);
    print_legend(series, options, first, end, out);
}

void plot_terminal(const Series *series, const PlotOptions *options, FILE *out)
{
    uint32_t n = options->n_panels, height = options->height / n;
    Grid g = {.columns = options->width > LABEL + 10 ? options->width - LABEL : 10,
              .rows = height > 4 ? height : 4,
              .across = options->utf8 ? 2 : 1,
              .down = options->utf8 ? 4 : 1};
    g.dots = mem_alloc(series->mem, (size_t)g.columns * g.rows);
    g.owner = mem_alloc(series->mem, (size_t)g.columns * g.rows);
    g.mark = mem_alloc(series->mem, g.columns);
    g.x = axis_make(series->from, series->to, g.columns / 12 + 1, 0);
    bool marked = draw_marks(&g, series);
    if (options->title)
        fprintf(out, "%*s%s\n", LABEL, "", options->title);
    for (uint32_t i = 0; i < n; i++)
        print_panel(series, options, &g, i ? options->panel_end[i - 1] : 0,
                    i + 1 < n ? options->panel_end[i] : series->curves.n, out);
    if (!marked)
        fprintf(out, "%*sevents are too close together for a line each\n", LABEL, "");
    mem_free(series->mem, g.dots);
    mem_free(series->mem, g.owner);
    mem_free(series->mem, g.mark);
}
