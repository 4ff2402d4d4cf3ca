/* series.c: result files -> curves and event marks, thin enough for a picture. See series.h. */
#include "runtime/cli/series.h"

#include "runtime/solstice.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { PIECES = 4 }; /* gaps shown inside one bin; more cannot be seen anyway */

void series_open(Series *series, Mem *mem)
{
    *series = (Series){.mem = mem};
    arena_init(&series->texts, mem);
}

void series_close(Series *series)
{
    Mem *mem = series->mem;
    for (uint32_t i = 0; i < series->files.n; i++) {
        result_close_reader(series->files.at[i].reader);
        vec_free(mem, &series->files.at[i].columns);
    }
    for (uint32_t i = 0; i < series->curves.n; i++)
        vec_free(mem, &series->curves.at[i].points);
    vec_free(mem, &series->files);
    vec_free(mem, &series->curves);
    vec_free(mem, &series->marks);
    arena_free(&series->texts);
}

/* ---- first pass: what there is ---- */

static const char *kept(Series *series, const char *text)
{
    return text ? arena_copy(&series->texts, text, strlen(text)) : NULL;
}

static void survey(Series *series, SeriesFile *file, const ResultRecord *record)
{
    if (record->kind == RESULT_BIRTH) {
        const ResultColumn *column = result_column(file->reader, record->column);
        const char *path = arena_copy(&series->texts, column->path, strlen(column->path));
        vec_push(series->mem, &file->columns,
                 ((SeriesColumn){path, column->type, column->flags, kept(series, column->drawn),
                                 kept(series, column->unit)}));
    } else if (record->kind == RESULT_ROW) {
        if (!file->rows++)
            file->first = record->time;
        file->last = record->time;
    } else if (record->kind == RESULT_EVENT) {
        file->events++;
        file->structural += record->event.structural;
    }
}

bool series_add_file(Series *series, const char *name, char *why, size_t size)
{
    ResultRecord record;
    vec_push(series->mem, &series->files, ((SeriesFile){.name = name}));
    SeriesFile *file = &vec_last(&series->files);
    file->reader = result_open(series->mem, name);
    bool readable = result_end(file->reader) == RESULT_OPEN;
    while (result_next(file->reader, &record))
        survey(series, file, &record);
    result_end_text(file->reader, name, why, size);
    return readable && result_end(file->reader) != RESULT_UNREADABLE;
}

void series_select(Series *series, uint32_t file, uint32_t column)
{
    for (uint32_t i = 0; i < series->curves.n; i++)
        if (series->curves.at[i].file == file && series->curves.at[i].column == column)
            return;
    const SeriesColumn *from = &series->files.at[file].columns.at[column];
    vec_push(series->mem, &series->curves,
             ((Curve){.file = file,
                      .column = column,
                      .path = from->path,
                      .unit = from->unit,
                      .type = from->type,
                      .flags = from->flags,
                      .low = INFINITY,
                      .high = -INFINITY}));
}

/* ---- second pass: values into bins ---- */

static void keep(Series *series, Curve *curve, SeriesPoint point)
{
    vec_push(series->mem, &curve->points, point);
    curve->open = !isnan(point.y);
}

/* First, lowest, highest and last point of the bin, in order of time, each once. */
static void empty_bin(Series *series, Curve *curve)
{
    SeriesBin *bin = &curve->now;
    if (!bin->any)
        return;
    bool low_first = bin->low.t < bin->high.t ||
                     (bin->low.t == bin->high.t &&
                      fabs(bin->first.y - bin->low.y) <= fabs(bin->first.y - bin->high.y));
    SeriesPoint list[] = {bin->first, low_first ? bin->low : bin->high,
                          low_first ? bin->high : bin->low, bin->last};
    keep(series, curve, list[0]);
    for (int i = 1; i < 4; i++) {
        SeriesPoint before = vec_last(&curve->points);
        if (list[i].t != before.t || list[i].y != before.y)
            keep(series, curve, list[i]);
    }
    bin->any = false;
}

static uint32_t bin_of(const Series *series, double t)
{
    double at = (t - series->from) / (series->to - series->from) * series->bins;
    return at >= series->bins ? series->bins - 1 : at > 0 ? (uint32_t)at : 0;
}

static void add_value(Series *series, Curve *curve, uint32_t at, SeriesPoint point)
{
    SeriesBin *bin = &curve->now;
    curve->samples++;
    curve->low = fmin(curve->low, point.y);
    curve->high = fmax(curve->high, point.y);
    if (at != bin->bin) {
        empty_bin(series, curve);
        *bin = (SeriesBin){.bin = at};
    }
    if (bin->any && point.t == bin->last.t && point.y == bin->last.y)
        curve->repeats++;
    if (!bin->any) {
        bin->first = bin->low = bin->high = point;
        bin->any = true;
    }
    if (point.y < bin->low.y)
        bin->low = point;
    if (point.y > bin->high.y)
        bin->high = point;
    bin->last = point;
}

static void add_gap(Series *series, Curve *curve, uint32_t at, double t)
{
    SeriesBin *bin = &curve->now;
    if (at == bin->bin && bin->pieces >= PIECES)
        return;
    empty_bin(series, curve);
    uint32_t pieces = at == bin->bin ? bin->pieces : 0;
    if (curve->open) {
        keep(series, curve, (SeriesPoint){t, NAN});
        pieces++;
    }
    *bin = (SeriesBin){.bin = at, .pieces = pieces};
}

static void add_row(Series *series, uint32_t file, ResultReader *reader, double t)
{
    uint32_t at = bin_of(series, t);
    for (uint32_t i = 0; i < series->curves.n; i++) {
        Curve *curve = &series->curves.at[i];
        if (curve->file != file || curve->column >= result_column_count(reader))
            continue;
        const ResultColumn *column = result_column(reader, curve->column);
        if (column->alive && sol_unseen(column->value))
            continue; /* the curve goes on */
        if (column->alive && isfinite(column->value))
            add_value(series, curve, at, (SeriesPoint){t, column->value});
        else
            add_gap(series, curve, at, t);
    }
}

static void add_mark(Series *series, double t, bool structural)
{
    series->events++;
    if (series->marks.n && bin_of(series, vec_last(&series->marks).t) == bin_of(series, t))
        vec_last(&series->marks).structural |= structural;
    else
        vec_push(series->mem, &series->marks, ((SeriesMark){t, structural}));
}

static bool in_span(const Series *series, double t)
{
    return t >= series->from && t <= series->to;
}

static void read_values(Series *series, uint32_t number)
{
    ResultReader *reader = series->files.at[number].reader;
    ResultRecord record;
    result_rewind(reader);
    while (result_next(reader, &record)) {
        bool timed = record.kind == RESULT_ROW || record.kind == RESULT_EVENT;
        if (timed && !in_span(series, record.time))
            continue;
        if (record.kind == RESULT_ROW)
            add_row(series, number, reader, record.time);
        else if (record.kind == RESULT_EVENT)
            add_mark(series, record.time, record.event.structural);
        if (series->watch)
            series->watch(series->context, number, reader, &record);
    }
}

static void whole_span(Series *series)
{
    series->from = INFINITY;
    series->to = -INFINITY;
    for (uint32_t i = 0; i < series->files.n; i++) {
        const SeriesFile *file = &series->files.at[i];
        if (!file->rows)
            continue;
        series->from = fmin(series->from, file->first);
        series->to = fmax(series->to, file->last);
    }
    if (!(series->from <= series->to))
        series->from = series->to = 0;
}

void series_read(Series *series, uint32_t bins, double from, double to)
{
    whole_span(series);
    if (!isnan(from))
        series->from = from;
    if (!isnan(to))
        series->to = to;
    if (!(series->to > series->from)) /* one moment: some width, or nothing can be drawn */
        series->to = series->from + fmax(fabs(series->from), 1) * 1e-6;
    series->bins = bins ? bins : 1;
    for (uint32_t i = 0; i < series->files.n; i++)
        read_values(series, i);
    for (uint32_t i = 0; i < series->curves.n; i++)
        empty_bin(series, &series->curves.at[i]);
}

bool series_thinned(const Series *series)
{
    for (uint32_t i = 0; i < series->curves.n; i++)
        if (series->curves.at[i].points.n + series->curves.at[i].repeats <
            series->curves.at[i].samples)
            return true;
    return false;
}

/* ---- names that are almost right ---- */

enum { NAME_MAX_LENGTH = 200 };

/* Edit distance without regard to case, one row of the table at a time. */
static uint32_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    uint32_t row[NAME_MAX_LENGTH + 1];
    if (n > NAME_MAX_LENGTH || m > NAME_MAX_LENGTH)
        return UINT32_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            uint32_t best = diagonal + !same;
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[m];
}

/* A name that ends with the one looked for is as near as two letters off: its place was forgotten.
 */
static uint32_t strangeness(const char *path, const char *name)
{
    size_t n = strlen(path), m = strlen(name);
    if (n > m && path[n - m - 1] == '.' && strcmp(path + n - m, name) == 0)
        return 2;
    return edit_distance(path, name);
}

uint32_t series_near(const Series *series, const char *name, uint32_t n, const char **near)
{
    uint32_t found = 0, distance[16], limit = 2 + (uint32_t)strlen(name) / 3;
    n = n > 16 ? 16 : n;
    for (uint32_t f = 0; f < series->files.n; f++) {
        for (uint32_t i = 0; i < series->files.at[f].columns.n; i++) {
            const char *path = series->files.at[f].columns.at[i].path;
            uint32_t d = strangeness(path, name), at = found;
            if (d > limit || (found == n && d >= distance[n - 1]))
                continue;
            for (at = found < n ? found++ : n - 1; at && distance[at - 1] > d; at--) {
                distance[at] = distance[at - 1];
                near[at] = near[at - 1];
            }
            distance[at] = d;
            near[at] = path;
        }
    }
    return found;
}
