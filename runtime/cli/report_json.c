/* report_json.c: what a page shows -> the JSON its script reads. See report_data.h. */
#include "runtime/cli/report_data.h"
#include "runtime/results/json.h"

#include <math.h>
#include <stdio.h>

static void short_number(OutFile *out, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", x);
    out_text(out, isfinite(x) ? text : "null");
}

static void write_points(Json *json, const Curve *curve)
{
    json_list(json, "t");
    for (uint32_t i = 0; i < curve->points.n; i++) {
        out_text(json->out, i ? "," : "");
        out_number(json->out, curve->points.at[i].t);
    }
    json_end_list(json);
    json_list(json, "y"); /* with the digits a picture needs */
    for (uint32_t i = 0; i < curve->points.n; i++) {
        out_text(json->out, i ? "," : "");
        short_number(json->out, curve->points.at[i].y);
    }
    json_end_list(json);
}

static void write_curves(Json *json, const Series *series)
{
    json_list(json, "curves");
    for (uint32_t i = 0; i < series->curves.n; i++) {
        const Curve *curve = &series->curves.at[i];
        json_flat_object(json, NULL);
        json_text(json, "path", curve->path);
        if (curve->unit)
            json_text(json, "unit", curve->unit);
        json_bool(json, "state", curve->flags & RESULT_STATE);
        json_bool(json, "steps", curve->type != RESULT_REAL);
        json_integer(json, "samples", curve->samples);
        write_points(json, curve);
        json_end_object(json);
    }
    json_end_list(json);
    json_list(json, "marks");
    for (uint32_t i = 0; i < series->marks.n; i++) {
        json_flat_object(json, NULL);
        json_number(json, "t", series->marks.at[i].t);
        json_bool(json, "structural", series->marks.at[i].structural);
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_event(Json *json, const ResultEvent *e)
{
    json_flat_object(json, NULL);
    json_number(json, "time", e->time);
    json_bool(json, "structural", e->structural);
    json_integer(json, "updates", e->updates);
    json_integer(json, "entered", e->entered);
    json_integer(json, "removed", e->removed);
    json_integer(json, "visited", e->visited);
    json_integer(json, "states_before", e->states_before);
    json_integer(json, "states_after", e->states_after);
    json_list(json, "states");
    for (uint32_t i = 0; i < e->n_changes; i++)
        json_integer(json, NULL, e->states[i]);
    json_end_list(json);
    json_integer(json, "loops_before", e->loops_before);
    json_integer(json, "loops_after", e->loops_after);
    json_list(json, "triggers");
    for (uint32_t i = 0; i < e->n_triggers; i++)
        json_text(json, NULL, e->triggers[i]);
    json_end_list(json);
    json_end_object(json);
}

static void write_modes(Json *json, const ReportData *data)
{
    const ResultReader *reader = data->series->files.at[0].reader;
    uint32_t n = result_mode_count(reader);
    json_integer(json, "ifs_total", n);
    json_list(json, "ifs");
    for (uint32_t i = 0; i < n && i < REPORT_IFS; i++) {
        json_flat_object(json, NULL);
        json_text(json, "path", result_mode_path(reader, i));
        json_text(json, "condition", result_mode_condition(reader, i));
        if (*result_mode_name(reader, i, RESULT_THEN))
            json_text(json, "then", result_mode_name(reader, i, RESULT_THEN));
        if (*result_mode_name(reader, i, RESULT_ELSE))
            json_text(json, "else", result_mode_name(reader, i, RESULT_ELSE));
        json_end_object(json);
    }
    json_end_list(json);
    json_integer(json, "changes_total", data->n_changes);
    json_list(json, "changes"); /* three numbers each, on one line: there may be many */
    for (uint32_t i = 0; i < data->changes.n; i++) {
        const ReportChange *change = &data->changes.at[i];
        out_text(json->out, i ? "," : "");
        out_number(json->out, change->time);
        out_text(json->out, ",");
        short_number(json->out, change->number);
        out_text(json->out, ",");
        short_number(json->out, change->choice);
    }
    json_end_list(json);
}

/* One coordinate of a shape over all frames; a single number when it never changes. */
static void write_coordinate(Json *json, const ReportData *data, uint32_t shape, uint32_t which)
{
    static const char *const keys[] = {"sx", "sy", "dx", "dy"};
    size_t stride = 4 * (size_t)data->shapes.n;
    const float *first = data->frames.at + 4 * (size_t)shape + which;
    bool same = true;
    for (uint32_t i = 1; i < data->times.n && same; i++)
        same = first[i * stride] == first[0];
    json_list(json, keys[which]);
    for (uint32_t i = 0; i < (same ? 1 : data->times.n); i++) {
        out_text(json->out, i ? "," : "");
        short_number(json->out, (double)first[i * stride]);
    }
    json_end_list(json);
}

static void write_look(Json *json, const Shape *shape)
{
    for (int i = SHAPE_TEXTS; i < SHAPE_COLUMNS; i++)
        if (shape->texts[i] && *shape->texts[i])
            json_text(json, shape_column_name(i), shape->texts[i]);
    if (shape->kind == SHAPE_TEXT)
        json_number(json, shape_column_name(SHAPE_SIZE), shape->size);
    if (shape->width > 0)
        json_number(json, shape_column_name(SHAPE_WIDTH), shape->width);
}

static void write_animation(Json *json, const ReportData *data)
{
    json_integer(json, "shapes_total", data->n_shapes);
    json_list(json, "frames");
    for (uint32_t i = 0; i < data->times.n; i++) {
        out_text(json->out, i ? "," : "");
        out_number(json->out, data->times.at[i]);
    }
    json_end_list(json);
    json_list(json, "shapes");
    for (uint32_t i = 0; data->times.n && i < data->shapes.n; i++) {
        const Shape *shape = &data->shapes.at[i];
        json_flat_object(json, NULL);
        json_text(json, "kind", shape_kind_name(shape->kind));
        json_text(json, "path", shape->path);
        write_look(json, shape);
        for (uint32_t which = 0; which < shape_places(shape->kind); which++)
            write_coordinate(json, data, i, which);
        json_end_object(json);
    }
    json_end_list(json);
}

/* Moments with the number of their first point; then x, y and, if any point has one, the value of all points. */
static void write_points_picture(Json *json, const ReportData *data)
{
    static const char *const keys[] = {"x", "y", "value"};
    bool coloured = false;
    for (uint32_t i = 0; i < data->points.n && !coloured; i++)
        coloured = isfinite(data->points.at[i].place[2]);
    json_integer(json, "dots", data->dots.n);
    if (data->dots.n && data->dots.at[0].texts[SHAPE_AXES])
        json_text(json, "axes", data->dots.at[0].texts[SHAPE_AXES]);
    json_list(json, "moments");
    for (uint32_t i = 0; i < data->moments.n; i++) {
        out_text(json->out, i ? "," : "");
        out_number(json->out, data->moments.at[i].time);
        out_text(json->out, ",");
        out_number(json->out, data->moments.at[i].first);
    }
    json_end_list(json);
    for (int which = 0; which < (coloured ? 3 : 2); which++) {
        json_list(json, keys[which]);
        for (uint32_t i = 0; i < data->points.n; i++) {
            out_text(json->out, i ? "," : "");
            short_number(json->out, (double)data->points.at[i].place[which]);
        }
        json_end_list(json);
    }
}

static void write_texts(Json *json, const char *key, uint32_t n, const ReportText *texts)
{
    json_list(json, key);
    for (uint32_t i = 0; i < n; i++) {
        json_flat_object(json, NULL);
        if (texts[i].key)
            json_text(json, "key", texts[i].key);
        else
            json_number(json, "time", texts[i].time);
        json_text(json, "text", texts[i].text);
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_end(Json *json, const ReportData *data)
{
    char warning[1024];
    result_end_text(data->series->files.at[0].reader, data->series->files.at[0].name, warning,
                    sizeof warning);
    json_text(json, "warning", warning);
    json_bool(json, "ended", data->ended);
    json_number(json, "end_time", data->end_time);
    json_integer(json, "end_status", data->end_status);
    json_text(json, "end_text", data->end_text ? data->end_text : "");
}

void report_data_write(const ReportData *data, OutFile *out, const char *name)
{
    const Series *series = data->series;
    Json json;
    json_open(&json, out);
    json_object(&json, NULL);
    json_text(&json, "name", name);
    json_text(&json, "program", "solstice " SOLSTICE_VERSION);
    write_texts(&json, "head", data->head.n, data->head.at);
    write_end(&json, data);
    json_number(&json, "from", series->from);
    json_number(&json, "to", series->to);
    json_integer(&json, "rows", series->files.at[0].rows);
    json_integer(&json, "columns", series->files.at[0].columns.n);
    json_integer(&json, "bins", series->bins);
    json_integer(&json, "selectable", data->selectable);
    json_bool(&json, "thinned", series_thinned(series));
    write_curves(&json, series);
    json_integer(&json, "events_total", data->n_events);
    json_list(&json, "events");
    for (uint32_t i = 0; i < data->events.n; i++)
        write_event(&json, &data->events.at[i]);
    json_end_list(&json);
    json_integer(&json, "states", data->n_states);
    write_modes(&json, data);
    json_integer(&json, "parameters_total", data->n_parameters);
    write_texts(&json, "parameters", data->parameters.n, data->parameters.at);
    json_integer(&json, "notes_total", data->n_notes);
    write_texts(&json, "notes", data->notes.n, data->notes.at);
    write_animation(&json, data);
    json_object(&json, "points");
    write_points_picture(&json, data);
    json_end_object(&json);
    json_end_object(&json);
    json_close(&json);
}
