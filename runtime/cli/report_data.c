/* report_data.c: records of a result file -> what its page shows. See report_data.h. */
#include "runtime/cli/report_data.h"

#include "runtime/solstice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOMENTS = 2000 }; /* of the picture of points, at most */

static const char *own(ReportData *data, const char *text)
{
    return arena_copy(&data->series->texts, text, strlen(text));
}

/* ---- shapes ----
 *
 * The columns of an instance of the package Graphics have its path and the name of a coordinate:
 * "arm.Line.sx", with a second anonymous one beside it "arm.Line#2.sx", and of a second arm born at
 * the same place "arm.Line.sx#2". */

static Shape *find_shape(ReportData *data, const char *path, size_t n, const char *birth,
                         ShapeKind kind)
{
    bool dot = kind == SHAPE_POINT || kind == SHAPE_COLOURED_POINT;
    uint64_t key = hash_bytes(birth, strlen(birth), hash_bytes(path, n, 1));
    uint32_t found = map_get(&data->shape_of, key);
    if (found)
        return found % 2 ? &data->shapes.at[found / 2] : &data->dots.at[found / 2 - 1];
    data->n_shapes++;
    if (data->shapes.n + data->dots.n == REPORT_SHAPES)
        return NULL;
    Shape shape = {.kind = kind, .path = arena_copy(&data->series->texts, path, n), .size = 1};
    if (dot)
        vec_push(data->mem, &data->dots, shape);
    else
        vec_push(data->mem, &data->shapes, shape);
    map_put(data->mem, &data->shape_of, key, dot ? 2 * data->dots.n : 2 * data->shapes.n - 1);
    return dot ? &vec_last(&data->dots) : &vec_last(&data->shapes);
}

static void look_for_shape(ReportData *data, uint32_t number, const SeriesColumn *column)
{
    const char *last = strrchr(column->path, '.'); /* "arm.Line" "sx" "#2" */
    ShapeKind kind = last ? shape_kind(column->drawn) : SHAPE_NONE;
    if (!kind)
        return;
    size_t n = (size_t)(last - column->path), n_last = strcspn(last + 1, "#");
    int which = shape_column(kind, last + 1, n_last);
    Shape *shape = which < 0 ? NULL : find_shape(data, column->path, n, last + 1 + n_last, kind);
    if (shape)
        shape->column[which] = number + 1;
}

static bool is_whole(const Shape *shape)
{
    for (unsigned i = 0; i < shape_places(shape->kind); i++)
        if (!shape->column[i])
            return false;
    return true;
}

/* How many of them are whole: these come first. */
static uint32_t keep_whole(Shape *shapes, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_whole(&shapes[i]))
            shapes[kept++] = shapes[i];
    return kept;
}

static void find_shapes(ReportData *data)
{
    const SeriesFile *file = &data->series->files.at[0];
    for (uint32_t i = 0; i < file->columns.n; i++)
        look_for_shape(data, i, &file->columns.at[i]);
    uint32_t kept = keep_whole(data->shapes.at, data->shapes.n);
    uint32_t dots = keep_whole(data->dots.at, data->dots.n);
    data->n_shapes -= data->shapes.n - kept + data->dots.n - dots;
    data->shapes.n = kept;
    data->dots.n = dots;
    data->next_moment = -INFINITY;
    data->moment_step = (file->last - file->first) / MOMENTS;
    map_free(data->mem, &data->shape_of);
    if (!kept)
        return;
    uint32_t fit = REPORT_COORDINATES / (SHAPE_PLACES * kept);
    data->n_frames = fit > 1000 ? 1000 : fit < 20 ? 20 : fit;
    data->next = -INFINITY;
    data->step = (file->last - file->first) / data->n_frames;
}

static const ResultColumn *living(const ResultReader *reader, uint32_t number)
{
    if (!number || number > result_column_count(reader))
        return NULL;
    const ResultColumn *column = result_column(reader, number - 1);
    return column->alive ? column : NULL;
}

static void take_text(ReportData *data, const ResultReader *reader, uint32_t number,
                      const char **text)
{
    const ResultColumn *column = *text ? NULL : living(reader, number);
    if (column)
        *text = own(data, result_string(reader, column->value));
}

/* False: it is not there. */
static bool take_places(Shape *shape, const ResultReader *reader, float place[SHAPE_PLACES])
{
    bool there = true;
    for (int i = 0; i < SHAPE_PLACES; i++) {
        const ResultColumn *column = living(reader, shape->column[i]);
        if (column && !sol_unseen(column->value))
            shape->last[i] = column->value;
        there = there && (column || !shape->column[i]);
        place[i] = column ? (float)shape->last[i] : NAN;
    }
    return there;
}

static void take_shape(ReportData *data, Shape *shape, const ResultReader *reader)
{
    float place[SHAPE_PLACES];
    take_places(shape, reader, place);
    for (int i = 0; i < SHAPE_PLACES; i++)
        vec_push(data->mem, &data->frames, place[i]);
    for (int i = SHAPE_TEXTS; i < SHAPE_COLUMNS; i++)
        take_text(data, reader, shape->column[i], &shape->texts[i]);
    const ResultColumn *size = living(reader, shape->column[SHAPE_SIZE]);
    const ResultColumn *width = living(reader, shape->column[SHAPE_WIDTH]);
    shape->size = size ? size->value : shape->size;
    shape->width = width ? width->value : shape->width;
}

/* When there are too many points, every second moment goes, here and from now on. Moments lie evenly in
 * time, however many rows events have. */
static void thin_points(ReportData *data)
{
    uint32_t moments = 0, points = 0;
    for (uint32_t i = 0; i < data->moments.n; i += 2) {
        uint32_t first = data->moments.at[i].first;
        uint32_t end = i + 1 < data->moments.n ? data->moments.at[i + 1].first : data->points.n;
        data->moments.at[moments++] = (ReportMoment){data->moments.at[i].time, points};
        while (first < end)
            data->points.at[points++] = data->points.at[first++];
    }
    data->moments.n = moments;
    data->points.n = points;
    data->moment_step *= 2;
}

static void take_points(ReportData *data, const ResultReader *reader, double time)
{
    float place[SHAPE_PLACES];
    if (!data->dots.n || time < data->next_moment)
        return;
    data->next_moment = time + data->moment_step * (1 - 1e-9);
    vec_push(data->mem, &data->moments, ((ReportMoment){time, data->points.n}));
    for (uint32_t i = 0; i < data->dots.n; i++)
        if (take_places(&data->dots.at[i], reader, place))
            vec_push(data->mem, &data->points,
                     ((ReportPoint){.place = {place[0], place[1], place[2]}}));
    Shape *first = data->dots.at; /* one names the axes for all */
    take_text(data, reader, first->column[SHAPE_AXES], &first->texts[SHAPE_AXES]);
    if (data->points.n > REPORT_POINTS && data->moments.n > 2)
        thin_points(data);
}

/* Frames come at even distances; the right side of an event gets one of its own while there is
 * room. */
static void take_frame(ReportData *data, const ResultReader *reader, const ResultRecord *record)
{
    bool room = data->times.n < 2 * data->n_frames;
    bool due = record->time >= data->next || record->side == RESULT_AT_END;
    if (!data->shapes.n || !(due || (record->side == RESULT_AFTER_EVENT && room)))
        return;
    if (due)
        data->next = record->time + data->step * (1 - 1e-9);
    vec_push(data->mem, &data->times, record->time);
    for (uint32_t i = 0; i < data->shapes.n; i++)
        take_shape(data, &data->shapes.at[i], reader);
}

/* ---- records ---- */

static void take_parameters(ReportData *data, const ResultReader *reader)
{
    for (uint32_t i = 0; i < result_column_count(reader); i++) {
        const ResultColumn *column = result_column(reader, i);
        while (data->seen.n <= i)
            vec_push(data->mem, &data->seen, 0);
        if (data->seen.at[i] || !column->alive)
            continue;
        data->seen.at[i] = 1;
        data->n_states += !data->started && column->flags & RESULT_STATE;
        if (!(column->flags & RESULT_PARAMETER) || data->n_parameters++ >= REPORT_PARAMETERS)
            continue;
        char number[OUT_NUMBER] = "";
        const char *text = number;
        if (column->type == RESULT_STRING)
            text = result_string(reader, column->value);
        else if (column->type == RESULT_BOOLEAN)
            text = column->value != 0 ? "true" : "false";
        else
            number[number_text(column->value, number)] = '\0';
        vec_push(data->mem, &data->parameters,
                 ((ReportText){0, own(data, column->path), own(data, text)}));
    }
}

static void take_event(ReportData *data, const ResultEvent *event)
{
    if (data->n_events++ >= REPORT_EVENTS)
        return;
    ResultEvent kept = *event;
    const char **texts = arena_alloc(&data->series->texts, (event->n_triggers + 1) * sizeof *texts);
    for (uint32_t i = 0; i < event->n_triggers; i++)
        texts[i] = own(data, event->triggers[i]);
    kept.triggers = texts;
    uint32_t *states = arena_alloc(&data->series->texts, (event->n_changes + 1) * sizeof *states);
    for (uint32_t i = 0; i < event->n_changes; i++)
        states[i] = event->states[i];
    kept.states = states;
    vec_push(data->mem, &data->events, kept);
}

static void take_record(void *context, uint32_t file, ResultReader *reader,
                        const ResultRecord *record)
{
    ReportData *data = context;
    (void)file; /* there is one */
    switch (record->kind) {
    case RESULT_HEADER:
        for (uint32_t i = 0; i < record->n_pairs; i++)
            vec_push(data->mem, &data->head,
                     ((ReportText){0, own(data, record->pairs[i].key),
                                   own(data, record->pairs[i].value)}));
        break;
    case RESULT_ROW:
        if (record->side == RESULT_AFTER_EVENT || !data->started)
            take_parameters(data, reader);
        data->started = true;
        take_frame(data, reader, record);
        take_points(data, reader, record->time);
        break;
    case RESULT_EVENT:
        take_event(data, &record->event);
        break;
    case RESULT_MODE:
        if (data->n_changes++ < REPORT_CHANGES)
            vec_push(
                data->mem, &data->changes,
                ((ReportChange){record->time, record->mode.number, (uint8_t)record->mode.choice}));
        break;
    case RESULT_NOTE:
        if (data->n_notes++ < REPORT_NOTES)
            vec_push(data->mem, &data->notes,
                     ((ReportText){record->time, NULL, own(data, record->text)}));
        break;
    case RESULT_FINISH:
        data->ended = true;
        data->end_time = record->time;
        data->end_status = record->status;
        data->end_text = own(data, record->text);
        break;
    default:
        break;
    }
}

void report_data_open(ReportData *data, Series *series)
{
    *data = (ReportData){.mem = series->mem, .series = series};
    find_shapes(data);
    series->watch = take_record;
    series->context = data;
}

void report_data_close(ReportData *data)
{
    vec_free(data->mem, &data->head);
    vec_free(data->mem, &data->parameters);
    vec_free(data->mem, &data->notes);
    vec_free(data->mem, &data->events);
    vec_free(data->mem, &data->changes);
    vec_free(data->mem, &data->seen);
    vec_free(data->mem, &data->shapes);
    vec_free(data->mem, &data->times);
    vec_free(data->mem, &data->frames);
    vec_free(data->mem, &data->dots);
    vec_free(data->mem, &data->points);
    vec_free(data->mem, &data->moments);
}
