/* plot_cairo.c: curves -> SVG or PNG. One routine draws both; only the surface differs. */
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

enum { FONT = 12, LINE = 18, MARGIN = 14, KEY = 22, NAME = 160 };

typedef struct Sheet {
    cairo_t *cr;
    const Series *series;
    double width, height;
    double left, top, right, bottom; /* of the frame */
    Axis x, y;
} Sheet;

void plot_name(const Series *series, const Curve *curve, char *out, size_t size)
{
    if (series->files.n > 1)
        snprintf(out, size, "%s: %s", series->files.at[curve->file].name, curve->path);
    else
        snprintf(out, size, "%s", curve->path);
}

void plot_span(const Series *series, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < series->curves.n; i++) {
        *low = fmin(*low, series->curves.at[i].low);
        *high = fmax(*high, series->curves.at[i].high);
    }
}

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

/* ---- what surrounds the curves ---- */

/* Keys in lines above the frame; without drawing, only the height they need. */
static double legend(const Sheet *s, double y, bool draw)
{
    double x = MARGIN;
    for (uint32_t i = 0; i < s->series->curves.n; i++) {
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

static void lay_out(Sheet *s, const char *title)
{
    double low, high, top = MARGIN + FONT + (title ? LINE + 4 : 0);
    plot_span(s->series, &low, &high);
    s->top = legend(s, top, false) - 4;
    s->bottom = fmax(s->height - MARGIN - 2 * LINE, s->top + 20);
    s->y = axis_make(low, high, (uint32_t)fmax((s->bottom - s->top) / 50, 2), 1);
    s->left = MARGIN + label_width(s) + 8;
    s->right = fmax(s->width - MARGIN - 4, s->left + 20);
    s->x =
        axis_make(s->series->from, s->series->to, (uint32_t)fmax((s->right - s->left) / 90, 2), 0);
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
    write_text(cr, (s->left + s->right) / 2, s->bottom + 2 * LINE - 2, 0, "time");
}

static void draw_marks(const Sheet *s)
{
    const double dots[] = {1, 3};
    cairo_set_line_width(s->cr, 1);
    for (uint32_t i = 0; i < s->series->marks.n; i++) {
        const SeriesMark *mark = &s->series->marks.at[i];
        cairo_set_source_rgba(s->cr, 0.4, 0.4, 0.4, mark->structural ? 0.8 : 0.4);
        cairo_set_dash(s->cr, dots, mark->structural ? 0 : 2, 0);
        thin_line(s->cr, x_of(s, mark->t), s->top, x_of(s, mark->t), s->bottom);
    }
}

/* ---- curves ---- */

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
        double x = x_of(s, point.t), y = y_of(s, point.y);
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

static void draw(Sheet *s, const char *title)
{
    cairo_t *cr = s->cr;
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, FONT);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    lay_out(s, title);
    draw_axes(s);
    cairo_save(cr);
    cairo_rectangle(cr, s->left, s->top, s->right - s->left, s->bottom - s->top);
    cairo_clip(cr);
    draw_marks(s);
    for (uint32_t i = 0; i < s->series->curves.n; i++)
        draw_curve(s, i);
    cairo_restore(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, floor(s->left) + 0.5, floor(s->top) + 0.5, floor(s->right - s->left),
                    floor(s->bottom - s->top));
    cairo_stroke(cr);
    legend(s, MARGIN + FONT + (title ? LINE + 4 : 0), true);
    if (!title)
        return;
    cairo_set_font_size(cr, FONT + 3);
    write_text(cr, s->width / 2, MARGIN + FONT, 0, title);
}

/* ---- surfaces ---- */

static bool is_svg(const char *output)
{
    size_t n = strlen(output);
    return n > 4 && strcmp(output + n - 4, ".svg") == 0;
}

int plot_picture(const Series *series, const PlotOptions *options)
{
    bool svg = is_svg(options->output);
    int width = (int)options->width, height = (int)options->height;
    cairo_surface_t *surface = svg ? cairo_svg_surface_create(options->output, width, height)
                                   : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cr = cairo_create(surface);
    draw(&(Sheet){.cr = cr, .series = series, .width = width, .height = height}, options->title);
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
