/* report_data.h: a result file -> what its page shows, gathered in the second pass of a Series.
 *
 * Everything here has a limit, so that the page of a run of any length stays a page; what was left
 * out is counted, and the page says so. */
#ifndef RUNTIME_CLI_REPORT_DATA_H
#define RUNTIME_CLI_REPORT_DATA_H

#include "base/map.h"
#include "runtime/cli/series.h"
#include "runtime/cli/shapes.h"
#include "runtime/results/outfile.h"

enum {
    REPORT_EVENTS = 3000,   /* rows of the table of events */
    REPORT_IFS = 400,       /* strips of modes */
    REPORT_CHANGES = 20000, /* of modes */
    REPORT_PARAMETERS = 2000,
    REPORT_NOTES = 1000,         /* lines of cout */
    REPORT_SHAPES = 5000,        /* of the animation */
    REPORT_COORDINATES = 400000, /* frames times shapes times coordinates */
    REPORT_POINTS = 60000        /* of the picture of points */
};

typedef struct Shape { /* one instance of Graphics.Line and so on */
    ShapeKind kind;
    const char *path;
    uint32_t column[SHAPE_COLUMNS];   /* number + 1; 0: none */
    const char *texts[SHAPE_COLUMNS]; /* from SHAPE_TEXTS on; NULL: not known yet */
    double size, width;
    double last[SHAPE_PLACES]; /* where it was seen last */
} Shape;

typedef struct ReportPoint { /* of the picture of points */
    float place[3];          /* x, y, value */
} ReportPoint;

typedef struct ReportMoment { /* the points of one moment */
    double time;
    uint32_t first; /* of them */
} ReportMoment;

typedef struct ReportChange {
    double time;
    uint32_t number;
    uint8_t choice;
} ReportChange;

typedef struct ReportText {
    double time;
    const char *key, *text; /* key: of a pair in the header or of a parameter */
} ReportText;

typedef struct ReportData {
    Mem *mem;
    Series *series;
    VEC(ReportText) head, parameters, notes;
    VEC(ResultEvent) events;
    VEC(ReportChange) changes;
    uint64_t n_parameters, n_notes, n_events, n_changes, n_shapes; /* before any limit */
    uint32_t n_states;                                             /* at the start */
    uint32_t selectable; /* variables of which some are plotted */
    VEC(uint8_t) seen;   /* [column]: a parameter whose value is known */
    bool started;        /* the first row was seen */
    bool ended;
    double end_time;
    uint32_t end_status;
    const char *end_text;
    /* animation */
    VEC(Shape) shapes;
    Map shape_of; /* hash of the instance's path -> 2 * index of a shape + 1, or of a dot + 2 */
    VEC(double) times; /* of the frames */
    VEC(float) frames; /* frame by frame, 4 coordinates for each shape; NaN: not there */
    VEC(Shape) dots;   /* Points and ColouredPoints; each moment has one of each that is there */
    VEC(ReportPoint) points;
    VEC(ReportMoment) moments;
    double next_moment, moment_step;
    uint32_t n_frames; /* wanted */
    double next, step; /* time of the next frame, between two */
} ReportData;

/* After the first pass of the only file: finds the shapes, and sets the series' watch. */
void report_data_open(ReportData *data, Series *series);
void report_data_close(ReportData *data);

/* Everything as one JSON object, in which no text can end the script element around it. */
void report_data_write(const ReportData *data, OutFile *out, const char *name);

#endif
