/* plot.h: curves -> a picture: SVG and PNG by cairo, or characters in the terminal.
 *
 * Error rule: an exit code after a message on stderr. plot_terminal() allocates from the series'
 * Mem; solstice_plot_picture() allocates nothing there, so that no surface of cairo is lost to a guard.
 * Label, points, sideways and plain are for pictures. */
#ifndef RUNTIME_CLI_PLOT_H
#define RUNTIME_CLI_PLOT_H

#include "runtime/cli/series.h"

#include <stdio.h>

enum {
    PLOT_PANELS = 8,
    PLOT_POINTS = 2 /* points of a curve for each pixel along the axis of time */
};

typedef struct PlotOptions {
    const char *title;               /* NULL: none */
    const char *output;              /* ends with .svg or .png; terminal: not used */
    uint32_t n_panels;               /* one below the other, at least 1 */
    uint32_t panel_end[PLOT_PANELS]; /* number of the first curve behind the panel */
    const char
        *label; /* of the axis of values, NULL: none; of several panels, with " / " between */
    uint32_t width, height; /* pixels; terminal: characters */
    bool points;       /* dots instead of lines, without a legend where there are many curves */
    bool sideways;     /* values to the right, time upwards */
    bool plain;        /* without event marks */
    bool utf8, colour; /* terminal */
} PlotOptions;

/* "x", or with several files "run.solr: x", cut to size. */
void plot_name(const Series *series, const Curve *curve, char *out, size_t size);
/* Lowest and highest value of the curves first .. end-1. */
void plot_span(const Series *series, uint32_t first, uint32_t end, double *low, double *high);

/* What the module PLOT_MODULE shows (cairo/). */
#define PLOT_MODULE "solstice_cairo.so"
#define PLOT_SYMBOL "solstice_plot_picture"
int solstice_plot_picture(const Series *series, const PlotOptions *options);
typedef int (*PlotPicture)(const Series *series, const PlotOptions *options);

void plot_terminal(const Series *series, const PlotOptions *options, FILE *out);

#endif
