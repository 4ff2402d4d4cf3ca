/* plot_cairo.c: curves -> SVG or PNG. One routine draws both; only the surface differs. A module of its
 * own, because cairo and what it needs (14 libraries) take a quarter of the time of a short run to load. */
#include "runtime/cli/axis.h"
#include "runtime/cli/cli.h"
#include "runtime/cli/plot.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <string.h>

typedef struct Colour {
    double r, g, b;
} Colour;

/* Okabe and Ito's palette, which colour-blind people can tell apart too, without its yellow. */
static const Colour palette[] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                 {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91}, {0.90, 0.62, 0.00},
                                 {0.35, 0.35, 0.35}};
enum { N_COLOURS = sizeof palette / sizeof *palette };

enum { FONT = 12, LINE = 18, MARGIN = 14, KEY = 22, NAME = 160, MANY = 12 };

typedef struct Sheet {
    cairo_t *cr;
    const Series *series;
    const PlotOptions *options;
    double width, height;
    uint32_t first, end; /* curves */
    bool lowest;         /* panel: it has the numbers and the name of the axis of time */
    char label[NAME];    /* of the axis of values */
    double begin;        /* where its legend begins */
    double left, top, right, bottom; /* of the frame */
    Axis x, y;                       /* time and values; sideways the other way round */
} Sheet;

static double text_width(cairo_t *cr, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

/* across: -1 text begins at x, 0 is centred there, 1 ends there */
static void write_text(cairo_t *cr, double x, double y, int across, const char *text)
{
    double width = text_width(cr, text);
    cairo_move_to(cr, across < 0 ? x : across > 0 ? x - width : x - width / 2, y);
    cairo_show_text(cr, text);
}

static void set_colour(cairo_t *cr, uint32_t curve)
{
    const Colour *colour = &palette[curve % N_COLOURS];
    const double dashes[] = {6, 3};
    cairo_set_source_rgb(cr, colour->r, colour->g, colour->b);
    cairo_set_dash(cr, dashes, curve / N_COLOURS % 2 ? 2 : 0, 0);
}

static double x_of(const Sheet *s, double t)
{
    return s->left + (t - s->x.low) / (s->x.high - s->x.low) * (s->right - s->left);
}

static double y_of(const Sheet *s, double v)
{
    return s->bottom - (v - s->y.low) / (s->y.high - s->y.low) * (s->bottom - s->top);
}

static void place_of(const Sheet *s, SeriesPoint point, double *x, double *y)
{
    *x = x_of(s, s->options->sideways ? point.y : point.t);
    *y = y_of(s, s->options->sideways ? point.t : point.y);
}

/* A cloud of points has too many curves for a key and a colour each. */
static bool is_cloud(const Sheet *s)
{
    return s->options->points && s->end - s->first > MANY;
}

/* ---- what surrounds the curves ---- */

/* What the vertical axis means; "": nothing to say. */
static const char *vertical_label(const Sheet *s)
{
    return s->options->sideways ? "time" : s->label;
}

/* The meaning of the axis and keys, in lines above the frame; without drawing, only the height they
 * need. */
static double legend(const Sheet *s, double y, bool draw)
{
    const char *label = vertical_label(s);
    double x = MARGIN + (label[0] ? text_width(s->cr, label) + 20 : 0);
    if (draw)
        write_text(s->cr, MARGIN, y, -1, label);
    if (is_cloud(s))
        return y + (label[0] ? LINE : 0);
    for (uint32_t i = s->first; i < s->end; i++) {
        char name[NAME];
        plot_name(s->series, &s->series->curves.at[i], name, sizeof name);
        double width = KEY + 6 + text_width(s->cr, name) + 16;
        if (x > MARGIN && x + width > s->width - MARGIN) {
            x = MARGIN;
            y += LINE;
        }
        if (draw) {
            set_colour(s->cr, i);
            cairo_set_line_width(s->cr, 2.5);
            cairo_move_to(s->cr, x, y - 4);
            cairo_line_to(s->cr, x + KEY, y - 4);
            cairo_stroke(s->cr);
            cairo_set_source_rgb(s->cr, 0.1, 0.1, 0.1);
            write_text(s->cr, x + KEY + 6, y, -1, name);
        }
        x += width;
    }
    return y + LINE;
}

static double label_width(const Sheet *s)
{
    double widest = 0;
    for (uint32_t i = 0; i < s->y.ticks; i++) {
        char text[40];
        axis_label(&s->y, i, text, sizeof text);
        widest = fmax(widest, text_width(s->cr, text));
    }
    return widest;
}

/* The part of the options' label that belongs to a panel. */
static void take_label(Sheet *s, uint32_t panel)
{
    const char *from = s->options->label ? s->options->label : "", *to;
    for (uint32_t i = 0; i < panel && (to = strstr(from, " / ")); i++)
        from = to + 3;
    to = strstr(from, " / ");
    size_t n = to && s->options->n_panels > 1 ? (size_t)(to - from) : strlen(from);
    snprintf(s->label, sizeof s->label, "%.*s", (int)fmin((double)n, NAME - 1), from);
}

/* The frame from top to bottom, and both axes. */
static void lay_out(Sheet *s, double end)
{
    double low, high;
    const bool sideways = s->options->sideways;
    plot_span(s->series, s->first, s->end, &low, &high);
    s->top = legend(s, s->begin, false) - 8;
    s->bottom = fmax(end, s->top + 20);
    uint32_t rows = (uint32_t)fmax((s->bottom - s->top) / 36, 2);
    s->y = sideways ? axis_make(s->series->from, s->series->to, rows, 0)
                    : axis_make(low, high, rows, 1);
    s->left = MARGIN + label_width(s) + 8;
    s->right = fmax(s->width - MARGIN - 4, s->left + 20);
    uint32_t columns = (uint32_t)fmax((s->right - s->left) / 90, 2);
    s->x = sideways ? axis_make(low, high, columns, 0)
                    : axis_make(s->series->from, s->series->to, columns, 0);
}

/* Panels share the height and the place of their left sides. */
static void lay_out_panels(Sheet *panel, uint32_t n)
{
    const double top = MARGIN + (panel[0].options->title ? LINE + 4 : 0);
    const double below = MARGIN + 2 * LINE;
    const double each = (panel[0].height - top - below) / n;
    double left = 0;
    for (uint32_t i = 0; i < n; i++) {
        panel[i].begin = top + i * each + FONT;
        take_label(&panel[i], i);
        lay_out(&panel[i], top + (i + 1) * each - (i + 1 < n ? MARGIN : 0));
        left = fmax(left, panel[i].left);
    }
    for (uint32_t i = 0; i < n; i++)
        panel[i].left = left;
}

static void thin_line(cairo_t *cr, double x1, double y1, double x2, double y2)
{
    cairo_move_to(cr, floor(x1) + 0.5, floor(y1) + 0.5);
    cairo_line_to(cr, floor(x2) + 0.5, floor(y2) + 0.5);
    cairo_stroke(cr);
}

static void draw_axes(const Sheet *s)
{
    cairo_t *cr = s->cr;
    char text[40];
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 1);
    for (uint32_t i = 0; i < s->x.ticks; i++) {
        double x = x_of(s, axis_tick(&s->x, i));
        axis_label(&s->x, i, text, sizeof text);
        cairo_set_source_rgb(cr, 0.9, 0.9, 0.9);
        thin_line(cr, x, s->top, x, s->bottom);
        cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
        if (s->lowest)
            write_text(cr, x, s->bottom + LINE - 2, 0, text);
    }
    for (uint32_t i = 0; i < s->y.ticks; i++) {
        double y = y_of(s, axis_tick(&s->y, i));
        axis_label(&s->y, i, text, sizeof text);
        cairo_set_source_rgb(cr, 0.9, 0.9, 0.9);
        thin_line(cr, s->left, y, s->right, y);
        cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
        write_text(cr, s->left - 6, y + 4, 1, text);
    }
    if (s->lowest)
        write_text(cr, (s->left + s->right) / 2, s->bottom + 2 * LINE - 2, 0,
                   s->options->sideways ? s->label : "time");
}

static void draw_marks(const Sheet *s)
{
    const double dots[] = {1, 3};
    cairo_set_line_width(s->cr, 1);
    for (uint32_t i = 0; i < s->series->marks.n; i++) {
        const SeriesMark *mark = &s->series->marks.at[i];
        cairo_set_source_rgba(s->cr, 0.4, 0.4, 0.4, mark->structural ? 0.6 : 0.4);
        cairo_set_dash(s->cr, dots, mark->structural ? 0 : 2, 0);
        if (s->options->sideways)
            thin_line(s->cr, s->left, y_of(s, mark->t), s->right, y_of(s, mark->t));
        else
            thin_line(s->cr, x_of(s, mark->t), s->top, x_of(s, mark->t), s->bottom);
    }
}

/* ---- curves ---- */

/* Points at even times, though rows of the result are not even: then the density of points is the
 * time that curves spend in a place. */
static void draw_points(const Sheet *s, uint32_t number)
{
    const double pixels = s->options->sideways ? s->height : s->width;
    const double step = (s->series->to - s->series->from) / (pixels * PLOT_POINTS);
    double next = -INFINITY;
    const Curve *curve = &s->series->curves.at[number];
    const bool cloud = is_cloud(s);
    double x, y, size = cloud ? 1 : 3;
    if (cloud)
        cairo_set_source_rgb(s->cr, 0.1, 0.1, 0.2);
    else
        set_colour(s->cr, number);
    for (uint32_t i = 0; i < curve->points.n; i++) {
        const SeriesPoint point = curve->points.at[i];
        if (isnan(point.y) || point.t < next)
            continue;
        next = s->series->from + (floor((point.t - s->series->from) / step) + 1) * step;
        place_of(s, point, &x, &y);
        if (cloud) /* whole pixels: nothing blurs, and the file is small */
            cairo_rectangle(s->cr, floor(x), floor(y), size, size);
        else
            cairo_rectangle(s->cr, x - size / 2, y - size / 2, size, size);
    }
    cairo_fill(s->cr);
}

static void draw_curve(const Sheet *s, uint32_t number)
{
    const Curve *curve = &s->series->curves.at[number];
    bool open = false;
    set_colour(s->cr, number);
    cairo_set_line_width(s->cr, 1.5);
    for (uint32_t i = 0; i < curve->points.n; i++) {
        SeriesPoint point = curve->points.at[i];
        if (isnan(point.y)) {
            open = false;
            continue;
        }
        double x, y;
        place_of(s, point, &x, &y);
        if (open) {
            cairo_line_to(s->cr, x, y);
        } else {
            cairo_move_to(s->cr, x, y);
            cairo_line_to(s->cr, x, y); /* alone it is a dot: caps are round */
        }
        open = true;
    }
    cairo_stroke(s->cr);
}

static void draw_panel(const Sheet *s)
{
    cairo_t *cr = s->cr;
    draw_axes(s);
    cairo_save(cr);
    cairo_rectangle(cr, s->left, s->top, s->right - s->left, s->bottom - s->top);
    cairo_clip(cr);
    if (!s->options->plain)
        draw_marks(s);
    for (uint32_t i = s->first; i < s->end; i++)
        (s->options->points ? draw_points : draw_curve)(s, i);
    cairo_restore(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, floor(s->left) + 0.5, floor(s->top) + 0.5, floor(s->right - s->left),
                    floor(s->bottom - s->top));
    cairo_stroke(cr);
    legend(s, s->begin, true);
}

static void draw(cairo_t *cr, const Series *series, const PlotOptions *options)
{
    Sheet panel[PLOT_PANELS];
    const uint32_t n = options->n_panels;
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, FONT);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (uint32_t i = 0; i < n; i++)
        panel[i] = (Sheet){.cr = cr,
                           .series = series,
                           .options = options,
                           .width = options->width,
                           .height = options->height,
                           .first = i ? options->panel_end[i - 1] : 0,
                           .end = i + 1 < n ? options->panel_end[i] : series->curves.n,
                           .lowest = i + 1 == n};
    lay_out_panels(panel, n);
    for (uint32_t i = 0; i < n; i++)
        draw_panel(&panel[i]);
    if (!options->title)
        return;
    cairo_set_font_size(cr, FONT + 3);
    write_text(cr, options->width / 2.0, MARGIN + FONT, 0, options->title);
}

/* ---- surfaces ---- */

static bool is_svg(const char *output)
{
    size_t n = strlen(output);
    return n > 4 && strcmp(output + n - 4, ".svg") == 0;
}

__attribute__((visibility("default"))) int solstice_plot_picture(const Series *series,
                                                                 const PlotOptions *options)
{
    bool svg = is_svg(options->output);
    int width = (int)options->width, height = (int)options->height;
    cairo_surface_t *surface = svg ? cairo_svg_surface_create(options->output, width, height)
                                   : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    if (svg)
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_t *cr = cairo_create(surface);
    draw(cr, series, options);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && !svg)
        status = cairo_surface_write_to_png(surface, options->output);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return EXIT_DONE;
    fprintf(stderr, "solstice: error: %s: %s\n", options->output, cairo_status_to_string(status));
    return EXIT_IO;
}
