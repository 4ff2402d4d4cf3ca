/* series.h: result files -> curves and event marks, thin enough for a picture.
 *
 * A result may be far longer than a picture is wide. The span of time is cut into bins, one for
 * each column of pixels, and of every bin a curve keeps its first, lowest, highest and last point:
 * what is drawn looks the same as with all points (Jugel et al., "M4: a visualization-oriented time
 * series data aggregation", VLDB 2014), and memory depends on the picture, not on the run.
 *
 * Files are read twice: once for the columns and the span of time, once for the values. Between the
 * two, the caller selects columns.
 *
 * Error rule: memory runs out to the caller's guard; a file that cannot be read is told by
 * series_add_file(), one that is damaged or cut is used as far as it goes. */
#ifndef RUNTIME_CLI_SERIES_H
#define RUNTIME_CLI_SERIES_H

#include "base/vec.h"
#include "runtime/results/result.h"

typedef struct SeriesPoint {
    double t, y; /* y is NaN: the curve has a gap here */
} SeriesPoint;

/* What a curve keeps of the bin that is being filled. */
typedef struct SeriesBin {
    uint32_t bin;
    uint32_t pieces; /* pieces of the curve that ended inside this bin */
    bool any;
    SeriesPoint first, low, high, last;
} SeriesBin;

typedef struct Curve {
    uint32_t file, column;
    const char *path, *unit; /* unit NULL: none */
    uint8_t type, flags;
    VEC(SeriesPoint) points; /* ascending t; at an event two of the same t */
    double low, high;        /* of the values in the span; low > high: there are none */
    uint64_t samples;        /* values read in the span */
    uint64_t repeats;        /* of these, how many were the value before at the same time */
    SeriesBin now;
    bool open; /* the last point is no gap */
} Curve;

typedef struct SeriesMark { /* an event, or all events of one bin */
    double t;
    bool structural;
} SeriesMark;

typedef struct SeriesColumn { /* a column of a file, as the first pass found it */
    const char *path;
    uint8_t type, flags;
    const char *drawn, *unit; /* as ResultColumn has them */
} SeriesColumn;

typedef struct SeriesFile {
    const char *name;
    ResultReader *reader;
    VEC(SeriesColumn) columns;
    uint64_t rows, events, structural;
    double first, last; /* times of its rows */
} SeriesFile;

/* Called in the second pass for every record in the span, values in the reader's columns. */
typedef void (*SeriesWatch)(void *context, uint32_t file, ResultReader *reader,
                            const ResultRecord *record);

typedef struct Series {
    Mem *mem;
    Arena texts;
    VEC(SeriesFile) files;
    VEC(Curve) curves;
    VEC(SeriesMark) marks;
    uint32_t bins;
    double from, to;
    uint64_t events; /* in the span */
    SeriesWatch watch;
    void *context;
} Series;

void series_open(Series *series, Mem *mem);
void series_close(Series *series);

/* The first pass over one more file. False when it cannot be read at all; *why says so, and is ""
 * or a warning when it can. */
bool series_add_file(Series *series, const char *name, char *why, size_t size);
/* Selects a column of a file; a second time changes nothing. */
void series_select(Series *series, uint32_t file, uint32_t column);
/* The second pass, over all files. from, to: NaN for the whole span. */
void series_read(Series *series, uint32_t bins, double from, double to);
bool series_thinned(
    const Series *series); /* a curve has fewer points than the file, repeats apart */

/* The paths that are most like `name`, best first, at most n; returns how many. */
uint32_t series_near(const Series *series, const char *name, uint32_t n, const char **near);

#endif
