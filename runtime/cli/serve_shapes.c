/* serve_shapes.c: instances of the package Graphics -> frames of the animation -> messages. See serve.h.
 *
 * A shape is known by the number of its instance, which says only that shapes of two frames are the same one. How it
 * looks is a text of JSON; equal looks have one number, so that frames hold little. */
#include "runtime/cli/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY = 2 + SHAPE_PLACES, MOST_LOOKS = 4000, MOST_SHAPES = 5000, MOST_TOLD = 3 };

/* ---- which shapes there are ---- */

static ServeShape *shape_of(ServeStage *stage, Mem *mem, const SolVarInfo *info, ShapeKind kind)
{
    uint32_t index = map_get(&stage->by_instance, info->instance);
    if (index)
        return &stage->shapes.at[index - 1];
    if (stage->shapes.n == MOST_SHAPES)
        return NULL;
    vec_push(mem, &stage->shapes, ((ServeShape){.instance = info->instance, .kind = kind}));
    map_put(mem, &stage->by_instance, info->instance, stage->shapes.n);
    return &vec_last(&stage->shapes);
}

static void find_shapes(Serve *serve, bool want)
{
    ServeStage *stage = &serve->stage;
    SolVarInfo info;
    char path[1024];
    stage->shapes.n = 0;
    stage->stale = false;
    map_free(serve->live.mem, &stage->by_instance);
    for (SolVar var = sol_next_var(serve->live.sim, 0); var;
         var = sol_next_var(serve->live.sim, var)) {
        ShapeKind kind =
            sol_var_info(serve->live.sim, var, &info) ? shape_kind(info.drawn) : SHAPE_NONE;
        if (!kind)
            continue;
        sol_var_path(serve->live.sim, var, path, sizeof path);
        const char *name = strrchr(path, '.') ? strrchr(path, '.') + 1 : path;
        int column = shape_column(kind, name, strcspn(name, "#"));
        ServeShape *shape = column < 0 ? NULL : shape_of(stage, serve->live.mem, &info, kind);
        if (shape)
            shape->column[column] = var;
        if (shape && want)
            sol_want(serve->live.sim, var);
    }
}

/* ---- frames ---- */

typedef struct Values { /* of a point, or, where there is none, as they are read */
    const double *at;
    uint32_t limit;
} Values;

static double value_of(Serve *serve, SolVar var, const Values *values)
{
    double value = NAN;
    if (!var)
        return NAN;
    if (values)
        return var < values->limit ? values->at[var] : NAN;
    return sol_read(serve->live.sim, var, &value) == SOL_OK ? value : NAN;
}

static void put_look(Serve *serve, const ServeShape *shape, const Values *values, FILE *out)
{
    fprintf(out, "{\"kind\":\"%s\"", shape_kind_name(shape->kind));
    for (int i = SHAPE_PLACES; i < SHAPE_COLUMNS; i++) {
        double value = value_of(serve, shape->column[i], values);
        bool number = i < SHAPE_TEXTS;
        if (!shape->column[i] || (number && !(value > 0)))
            continue;
        fprintf(out, ",\"%s\":", shape_column_name(i));
        const char *text = number ? "" : sol_text(serve->live.sim, value);
        if (number)
            serve_number(out, value);
        else
            answer_json_text(out, text, strlen(text));
    }
    putc('}', out);
}

/* The number of how it looks, from 1; when there are too many looks, the first. */
static uint32_t look_of(Serve *serve, const ServeShape *shape, const Values *values)
{
    ServeStage *stage = &serve->stage;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return 1;
    put_look(serve, shape, values, out);
    fclose(out);
    uint64_t key = hash_bytes(text, n, 7);
    uint32_t found = map_get(&stage->look_of, key);
    if (!found && stage->looks.n < MOST_LOOKS) {
        char *own = strcpy(mem_alloc(serve->live.mem, n + 1), text);
        vec_push(serve->live.mem, &stage->looks, own);
        found = stage->looks.n;
        map_put(serve->live.mem, &stage->look_of, key, found);
    }
    free(text);
    return found ? found : 1;
}

static void drop_frame(Serve *serve, ServeFrame *frame)
{
    serve->stage.numbers -= ENTRY * (size_t)frame->n;
    mem_free(serve->live.mem, frame->at);
    frame->at = NULL;
}

static void drop_last(Serve *serve)
{
    ServeFrame frame = vec_pop(&serve->stage.frames);
    drop_frame(serve, &frame);
}

/* As with rows: every second of the older half goes. */
static void thin(Serve *serve)
{
    ServeStage *stage = &serve->stage;
    uint32_t kept = 0, half = stage->frames.n / 2;
    for (uint32_t i = 0; i < stage->frames.n; i++)
        if (i >= half || i % 2 == 0)
            stage->frames.at[kept++] = stage->frames.at[i];
        else
            drop_frame(serve, &stage->frames.at[i]);
    stage->frames.n = kept;
}

/* False: it has no place now. */
static bool put_entry(Serve *serve, ServeShape *shape, const Values *values, float *entry)
{
    unsigned places = shape_places(shape->kind), there = 0;
    for (unsigned i = 0; i < SHAPE_PLACES; i++) {
        double value = i < places ? value_of(serve, shape->column[i], values) : 0;
        if (sol_unseen(value)) /* an event of others: it is what it was */
            value = shape->last[i];
        shape->last[i] = value;
        entry[2 + i] = (float)value;
        there += isfinite(value);
    }
    shape->look = shape->look ? shape->look : look_of(serve, shape, values);
    entry[0] = (float)shape->instance;
    entry[1] = (float)shape->look;
    return there == SHAPE_PLACES;
}

static void add_frame(Serve *serve, double time, const Values *values)
{
    ServeStage *stage = &serve->stage;
    Mem *mem = serve->live.mem;
    if (stage->stale)
        find_shapes(serve, !values);
    if (!stage->shapes.n && !stage->frames.n)
        return;
    while (stage->frames.n && vec_last(&stage->frames).time >= time) /* it is otherwise now */
        drop_last(serve);
    ServeFrame frame = {.time = time, .number = ++stage->last};
    frame.at = mem_alloc(mem, (ENTRY * (size_t)stage->shapes.n + 1) * sizeof *frame.at);
    for (uint32_t i = 0; i < stage->shapes.n; i++)
        frame.n +=
            put_entry(serve, &stage->shapes.at[i], values, frame.at + ENTRY * (size_t)frame.n);
    stage->numbers += ENTRY * (size_t)frame.n;
    vec_push(mem, &stage->frames, frame);
    if (stage->frames.n > SERVE_FRAMES || (stage->numbers > SERVE_NUMBERS && stage->frames.n > 16))
        thin(serve);
}

void serve_stage_point(Serve *serve, const SolPoint *point)
{
    add_frame(serve, point->time, &(Values){point->values, point->limit});
}

void serve_stage_now(Serve *serve)
{
    serve->stage.stale = true;
    add_frame(serve, sol_time(serve->live.sim), NULL);
}

void serve_stage_cut(Serve *serve, double time)
{
    ServeStage *stage = &serve->stage;
    while (stage->frames.n && vec_last(&stage->frames).time > time)
        drop_last(serve);
    stage->epoch++;
}

void serve_stage_drop(Serve *serve)
{
    ServeStage *stage = &serve->stage;
    while (stage->frames.n)
        drop_last(serve);
    while (stage->looks.n)
        mem_free(serve->live.mem, vec_pop(&stage->looks));
    vec_free(serve->live.mem, &stage->frames);
    vec_free(serve->live.mem, &stage->looks);
    vec_free(serve->live.mem, &stage->shapes);
    map_free(serve->live.mem, &stage->by_instance);
    map_free(serve->live.mem, &stage->look_of);
}

/* ---- telling ---- */

static void put_frame(const ServeFrame *frame, FILE *out)
{
    putc('[', out);
    for (uint32_t i = 0; i < ENTRY * frame->n; i++) {
        if (i)
            putc(',', out);
        fprintf(out, isfinite(frame->at[i]) ? "%.7g" : "0", (double)frame->at[i]);
    }
    putc(']', out);
}

/* Of `n` frames from `first` on, `told` are told, the last among them: number i of these. */
static uint32_t spread(uint32_t first, uint32_t n, uint32_t told, uint32_t i)
{
    return first + (uint32_t)((uint64_t)n * (i + 1) / told) - 1;
}

void serve_tell_frames(Serve *serve, ServeClient *client)
{
    ServeStage *stage = &serve->stage;
    bool anew = client->stage != stage->epoch;
    uint32_t first = anew ? 0 : stage->frames.n;
    while (!anew && first && stage->frames.at[first - 1].number > client->frame)
        first--;
    if (first == stage->frames.n)
        return;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return;
    uint32_t known = anew ? 0 : client->looks;
    fprintf(out, "{\"frames\":{\"anew\":%s,\"known\":%u,\"looks\":[", anew ? "true" : "false",
            known);
    for (uint32_t i = known; i < stage->looks.n; i++)
        fprintf(out, "%s%s", i > known ? "," : "", stage->looks.at[i]);
    uint32_t n_new = stage->frames.n - first, told = anew || n_new < MOST_TOLD ? n_new : MOST_TOLD;
    client->some |= told < n_new;
    fputs("],\"t\":[", out);
    for (uint32_t i = 0; i < told; i++) {
        fputs(i ? "," : "", out);
        serve_number(out, stage->frames.at[spread(first, n_new, told, i)].time);
    }
    fputs("],\"shapes\":[", out);
    for (uint32_t i = 0; i < told; i++) {
        fputs(i ? "," : "", out);
        put_frame(&stage->frames.at[spread(first, n_new, told, i)], out);
    }
    fputs("]}}", out);
    fclose(out);
    serve->module->send(serve->web, client->id, text, n);
    free(text);
    client->stage = stage->epoch;
    client->frame = stage->last;
    client->looks = stage->looks.n;
}
