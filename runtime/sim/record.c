/* record.c: births, deaths, points and events of a simulation -> result file. See record.h. */
#include "runtime/sim/record.h"
#include "base/map.h"
#include "base/vec.h"
#include "runtime/results/bytes.h"

#include <stdio.h>
#include <string.h>

/* Everything born at one place. The place is known by the hash of its path: two paths of the same
 * 64-bit hash would share their numbers #n, which harms nobody. */
typedef struct BirthPlace {
    uint64_t hash;
    uint32_t count;  /* columns with this path so far */
    uint32_t column; /* the last of them */
    bool alive;
    bool derived; /* columns of derivatives lie behind that column */
    uint8_t type; /* of that column; 255: not known, of before a resume */
} BirthPlace;

enum { ANY_TYPE = 255 };

typedef struct Tracked {
    uint64_t birth; /* of the variable; 0: no column */
    uint32_t column;
    uint32_t place; /* index in places */
} Tracked;

struct Recorder {
    Mem *mem;
    ResultWriter *writer;
    RecordOptions options;
    Sol *sim;
    uint32_t n_derivatives; /* of a variable: by so many parameters */
    Map place_of;           /* hash of path -> index in places, from 1 */
    VEC(BirthPlace) places;
    VEC(Tracked) tracked; /* [SolVar] */
    Map resumed; /* number of birth -> index in saved, from 1: columns of before a resume */
    VEC(Tracked) saved;
    Map mode_of;     /* number of a branch -> number of its `if` in the file, from 1 */
    Map mode_count;  /* hash of path and condition -> how many `if`s were born there */
    bool *fitted;    /* [pattern of the selection]: some path fitted it */
    VEC(double) row; /* [number of a column's source]: values with derivatives behind each */
    bool started, narrowed, failed;
    uint64_t rows;
    double last_time;
    void (*on_event)(void *context, const SolEvent *event);
    void *event_context;
};

Recorder *record_open(Mem *mem, ResultWriter *writer, const RecordOptions *options)
{
    Recorder *r = mem_alloc(mem, sizeof *r);
    r->mem = mem;
    r->writer = writer;
    r->options = *options;
    if (!r->options.limit)
        r->options.limit = RECORD_LIMIT;
    r->fitted = mem_alloc(mem, options->selection.n + 1);
    return r;
}

void record_close(Recorder *r)
{
    if (!r)
        return;
    mem_free(r->mem, r->fitted);
    map_free(r->mem, &r->place_of);
    map_free(r->mem, &r->resumed);
    map_free(r->mem, &r->mode_of);
    map_free(r->mem, &r->mode_count);
    vec_free(r->mem, &r->places);
    vec_free(r->mem, &r->tracked);
    vec_free(r->mem, &r->saved);
    vec_free(r->mem, &r->row);
    mem_free(r->mem, r);
}

bool record_narrowed(const Recorder *r)
{
    return r->narrowed;
}

bool record_out_of_memory(const Recorder *r)
{
    return r->failed;
}

uint64_t record_rows(const Recorder *r)
{
    return r->rows;
}

/* ---- which variables ---- */

static bool is_main(const Recorder *r, const SolVarInfo *info)
{
    bool of_interface = info->is_public && (info->top || info->monitored);
    return of_interface || (info->state && r->options.set != RECORD_INTERFACE);
}

/* A model that is too large from the start is narrowed at once, not after its first columns. */
static void measure_start(Recorder *r)
{
    uint32_t n = 0;
    r->started = true;
    for (SolVar var = sol_next_var(r->sim, 0); var && n <= r->options.limit;
         var = sol_next_var(r->sim, var))
        n++;
    r->narrowed = n > r->options.limit;
}

static bool is_selected(Recorder *r, const char *path)
{
    bool any = false;
    for (uint32_t i = 0; i < r->options.selection.n; i++)
        if (result_matches(&(ResultSelection){1, &r->options.selection.patterns[i]}, path))
            any = r->fitted[i] = true;
    return any;
}

const char *record_unfitted(const Recorder *r, uint32_t i)
{
    for (uint32_t k = 0; k < r->options.selection.n; k++)
        if (!r->fitted[k] && i-- == 0)
            return r->options.selection.patterns[k];
    return NULL;
}

static bool is_wanted(Recorder *r, const SolVarInfo *info, const char *path)
{
    if (r->options.selection.n)
        return is_selected(r, path);
    if (r->options.set != RECORD_ALL)
        return is_main(r, info);
    if (!r->started)
        measure_start(r);
    if (result_columns(r->writer) >= r->options.limit)
        r->narrowed = true;
    return !r->narrowed || is_main(r, info);
}

/* ---- columns ---- */

static unsigned flags_of(const SolVarInfo *info)
{
    return (info->parameter ? RESULT_PARAMETER : 0u) | (info->held ? RESULT_HELD : 0u) |
           (info->state ? RESULT_STATE : 0u) | (info->top && info->is_public ? RESULT_TOP : 0u) |
           (info->monitored ? RESULT_MONITORED : 0u);
}

static uint32_t find_place(Recorder *r, const char *path)
{
    uint64_t hash = hash_bytes(path, strlen(path), 0);
    uint32_t index = map_get(&r->place_of, hash);
    if (index)
        return index - 1;
    vec_push(r->mem, &r->places, ((BirthPlace){.hash = hash}));
    map_put(r->mem, &r->place_of, hash, r->places.n);
    return r->places.n - 1;
}

/* Where a row has the values of a variable, and behind it its derivatives. */
static uint32_t source_of(const Recorder *r, SolVar var)
{
    return var * (r->n_derivatives + 1);
}

static bool has_derivatives(const SolVarInfo *info)
{
    return info->type == SOL_REAL && !info->parameter;
}

static void new_derivatives(Recorder *r, const SolVarInfo *info, const char *name)
{
    for (uint32_t k = 0; k < r->n_derivatives; k++) {
        const char *by = sol_sensitivity_by(r->sim, k);
        char *text = mem_alloc(r->mem, strlen(name) + strlen(by) + 8);
        sprintf(text, "d(%s)/d(%s)", name, by);
        result_birth(r->writer, text, RESULT_REAL, 0, source_of(r, info->var) + k + 1);
        mem_free(r->mem, text);
    }
}

static uint32_t new_column(Recorder *r, BirthPlace *place, const SolVarInfo *info, const char *path)
{
    uint32_t source = source_of(r, info->var);
    place->derived = has_derivatives(info);
    if (info->drawn)
        result_drawn(r->writer, info->drawn);
    if (info->unit)
        result_unit(r->writer, info->unit);
    if (++place->count == 1) {
        uint32_t only =
            result_birth(r->writer, path, (ResultType)info->type, flags_of(info), source);
        if (place->derived)
            new_derivatives(r, info, path);
        return only;
    }
    char *name = mem_alloc(r->mem, strlen(path) + 16);
    sprintf(name, "%s#%u", path, place->count);
    uint32_t column = result_birth(r->writer, name, (ResultType)info->type, flags_of(info), source);
    if (place->derived)
        new_derivatives(r, info, name);
    mem_free(r->mem, name);
    return column;
}

static void track(Recorder *r, const SolVarInfo *info, uint32_t column, uint32_t place)
{
    while (r->tracked.n <= info->var)
        vec_push(r->mem, &r->tracked, (Tracked){0});
    r->tracked.at[info->var] = (Tracked){info->birth, column, place};
}

static bool is_tracked(const Recorder *r, const SolVarInfo *info)
{
    return info->var < r->tracked.n && r->tracked.at[info->var].birth == info->birth;
}

static void return_columns(Recorder *r, const BirthPlace *place, SolVar var)
{
    for (uint32_t k = 0; k <= (place->derived ? r->n_derivatives : 0); k++)
        result_return(r->writer, place->column + k, source_of(r, var) + k);
}

static void give_column(Recorder *r, const SolVarInfo *info, const char *path)
{
    if (is_tracked(r, info))
        return; /* told again, after the simulation went back */
    uint32_t before = map_get(&r->resumed, info->birth);
    if (before) { /* lived already when the run was saved */
        const Tracked *old = &r->saved.at[before - 1];
        result_source(r->writer, old->column, source_of(r, info->var));
        track(r, info, old->column, old->place);
        return;
    }
    uint32_t at = find_place(r, path);
    BirthPlace *place = &r->places.at[at];
    bool fits = place->type == info->type || place->type == ANY_TYPE;
    if (place->count && !place->alive && (info->in_branch || (r->options.returns && fits)))
        return_columns(r, place, info->var);
    else
        place->column = new_column(r, place, info, path);
    place->alive = true;
    place->type = (uint8_t)info->type;
    track(r, info, place->column, at);
}

static void end_column(Recorder *r, SolVar var)
{
    if (var >= r->tracked.n || !r->tracked.at[var].birth)
        return;
    Tracked *tracked = &r->tracked.at[var];
    BirthPlace *place = &r->places.at[tracked->place];
    if (place->column == tracked->column)
        place->alive = false;
    for (uint32_t k = 0; k <= (place->derived ? r->n_derivatives : 0); k++)
        result_death(r->writer, tracked->column + k);
    tracked->birth = 0;
}

static void end_strangers(Recorder *r)
{
    SolVarInfo info;
    for (SolVar var = 1; var < r->tracked.n; var++)
        if (r->tracked.at[var].birth && !(sol_var_info(r->sim, var, &info) && is_tracked(r, &info)))
            end_column(r, var);
}

void record_reconcile(Recorder *r)
{
    MemGuard guard;
    if (r->failed)
        return;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->failed = true;
        return;
    }
    end_strangers(r);
    mem_guard_pop(r->mem, &guard);
}

/* ---- callbacks ----
 *
 * The simulation calls these under the guard of its own memory; the recorder's memory has another.
 */

/* Does a pattern fit paths that end with this name? One whose last name has no wildcards only those
 * that end with it; of an array the name comes without its subscripts. */
static bool fits_name(const char *pattern, const char *name)
{
    const char *dot = strrchr(pattern, '.'), *last = dot ? dot + 1 : pattern;
    size_t n = strcspn(last, "[");
    return strpbrk(last, "*?") || (strcspn(name, "[") == n && memcmp(last, name, n) == 0);
}

static bool on_name(void *context, const char *name)
{
    const Recorder *r = context;
    for (uint32_t i = 0; i < r->options.selection.n; i++)
        if (fits_name(r->options.selection.patterns[i], name))
            return true;
    return r->options.selection.n == 0;
}

static bool on_birth(void *context, const SolVarInfo *info, const char *path)
{
    Recorder *r = context;
    MemGuard guard;
    if (r->failed || !is_wanted(r, info, path))
        return false;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->failed = true;
        return false;
    }
    give_column(r, info, path);
    mem_guard_pop(r->mem, &guard);
    return true;
}

static void on_death(void *context, SolVar var)
{
    Recorder *r = context;
    MemGuard guard;
    if (r->failed)
        return;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->failed = true;
        return;
    }
    end_column(r, var);
    mem_guard_pop(r->mem, &guard);
}

/* As with columns: the first `if` of a place has its path alone, others that live beside it #2, #3,
 * ... One that comes when the last is gone goes on in its place. */
static uint32_t number_mode(Recorder *r, const SolMode *mode)
{
    uint64_t key = hash_bytes(mode->condition, strlen(mode->condition),
                              hash_bytes(mode->path, strlen(mode->path), 1));
    const char *const names[2] = {mode->else_name, mode->then_name};
    uint32_t count = map_get(&r->mode_count, key), number = 0;
    char *name = mem_alloc(r->mem, strlen(mode->path) + 16);
    for (uint32_t i = count ? count : 1;; i++) {
        sprintf(name, i > 1 ? "%s#%u" : "%s", mode->path, i);
        number = result_mode_number(r->writer, name, mode->condition, names);
        if (result_mode_written(r->writer, number) == RESULT_GONE) {
            if (i > 1) /* the first needs no entry, and most are alone */
                map_put(r->mem, &r->mode_count, key, i);
            break;
        }
    }
    mem_free(r->mem, name);
    return number;
}

static void write_mode(Recorder *r, double time, const SolMode *mode)
{
    uint32_t number = map_get(&r->mode_of, mode->branch);
    if (!number && mode->choice != SOL_GONE) {
        number = number_mode(r, mode) + 1;
        map_put(r->mem, &r->mode_of, mode->branch, number);
    }
    if (!number)
        return;
    result_mode(r->writer, time, number - 1, (ResultChoice)mode->choice);
    if (mode->choice == SOL_GONE)
        map_remove(&r->mode_of, mode->branch);
}

static void on_mode(void *context, double time, const SolMode *mode)
{
    Recorder *r = context;
    MemGuard guard;
    if (r->failed)
        return;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->failed = true;
        return;
    }
    write_mode(r, time, mode);
    mem_guard_pop(r->mem, &guard);
}

/* The last point of a run that ended at an output point or event is there already. */
static bool is_repeated(const Recorder *r, const SolPoint *point)
{
    return point->side == SOL_AT_END && r->rows && point->time == r->last_time;
}

/* Values with their derivatives. */
static const double *row_of(Recorder *r, const SolPoint *point)
{
    if (!r->n_derivatives)
        return point->values;
    vec_reserve(r->mem, &r->row, source_of(r, point->limit));
    for (SolVar var = 1; var < r->tracked.n && var < point->limit; var++) {
        double *to = r->row.at + source_of(r, var);
        if (!r->tracked.at[var].birth)
            continue;
        to[0] = point->values[var];
        for (uint32_t k = 0; k < r->n_derivatives; k++)
            to[k + 1] = sol_unseen(to[0]) ? to[0] : sol_sensitivity(r->sim, k, var);
    }
    return r->row.at;
}

static bool on_point(void *context, const SolPoint *point)
{
    Recorder *r = context;
    MemGuard guard;
    if (r->failed)
        return false;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->failed = true;
        return false;
    }
    if (!is_repeated(r, point)) {
        result_row(r->writer, point->time, (ResultSide)point->side, row_of(r, point));
        r->rows++;
        r->last_time = point->time;
    }
    mem_guard_pop(r->mem, &guard);
    if (r->options.pulse)
        r->options.pulse(r->options.context, point->time);
    bool wanted = !r->options.point || r->options.point(r->options.context, point);
    return wanted && result_error(r->writer) == 0;
}

static void on_cout(void *context, double time, const char *text)
{
    Recorder *r = context;
    MemGuard guard;
    if (r->options.cout)
        r->options.cout(r->options.context, time, text);
    if (r->failed)
        return;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->failed = true;
        return;
    }
    result_note(r->writer, time, text);
    mem_guard_pop(r->mem, &guard);
}

static void write_event(Recorder *r, const SolEvent *event)
{
    result_event(r->writer, &(ResultEvent){.time = event->time,
                                           .structural = event->structural,
                                           .updates = event->updates,
                                           .entered = event->entered,
                                           .removed = event->removed,
                                           .visited = event->visited,
                                           .states_before = event->states_before,
                                           .states_after = event->states_after,
                                           .loops_before = event->loops_before,
                                           .loops_after = event->loops_after,
                                           .n_triggers = event->n_triggers,
                                           .triggers = event->triggers,
                                           .n_changes = event->n_changes,
                                           .states = event->states});
}

static void on_event(void *context, const SolEvent *event)
{
    Recorder *r = context;
    MemGuard guard;
    if (!r->failed) {
        mem_guard_push(r->mem, &guard);
        if (setjmp(guard.env) == 0) {
            write_event(r, event);
            mem_guard_pop(r->mem, &guard);
        } else {
            r->failed = true;
        }
    }
    if (r->on_event)
        r->on_event(r->event_context, event);
    if (r->options.pulse)
        r->options.pulse(r->options.context, event->time);
}

static const char *text_of(void *context, double value)
{
    const Recorder *r = context;
    return sol_text(r->sim, value);
}

SolOutput record_output(Recorder *r)
{
    return (SolOutput){.context = r,
                       .birth = on_birth,
                       .name = on_name,
                       .death = on_death,
                       .mode = on_mode,
                       .point = on_point,
                       .cout = on_cout};
}

void record_attach(Recorder *r, Sol *sim)
{
    SolOutput output = record_output(r);
    r->sim = sim;
    while (sol_sensitivity_by(sim, r->n_derivatives))
        r->n_derivatives++;
    result_texts(r->writer, text_of, r);
    sol_set_output(sim, &output);
    sol_set_event(sim, on_event, r);
}

void record_on_event(Recorder *r, void (*event)(void *context, const SolEvent *event),
                     void *context)
{
    r->on_event = event;
    r->event_context = context;
}

/* ---- checkpoints ---- */

enum { SAVED_HEAD = 40, SAVED_PLACE = 20, SAVED_COLUMN = 16, SAVED_SLOT = 12 };

static bool save_map(const Map *map, SolWrite write, void *context)
{
    uint8_t bytes[SAVED_SLOT];
    bool good = true;
    for (uint32_t i = 0; map->n && good && i <= map->mask; i++) {
        if (!map->slot[i].value)
            continue;
        put_u64(bytes, map->slot[i].key);
        put_u32(bytes + 8, map->slot[i].value);
        good = write(context, bytes, sizeof bytes);
    }
    return good;
}

static bool restore_map(Recorder *r, Map *map, uint32_t n, SolRead read, void *context)
{
    uint8_t bytes[SAVED_SLOT];
    for (uint32_t i = 0; i < n; i++) {
        if (!read(context, bytes, sizeof bytes) || !get_u32(bytes + 8))
            return false;
        map_put(r->mem, map, get_u64(bytes), get_u32(bytes + 8));
    }
    return true;
}

bool record_save(Recorder *r, SolWrite write, void *context)
{
    uint8_t head[SAVED_HEAD] = {0}, bytes[SAVED_PLACE];
    uint32_t n_tracked = 0;
    for (uint32_t i = 0; i < r->tracked.n; i++)
        n_tracked += r->tracked.at[i].birth != 0;
    put_u64(head, r->rows);
    put_f64(head + 8, r->last_time);
    put_u32(head + 16, r->places.n);
    put_u32(head + 20, n_tracked);
    put_u32(head + 24, r->started);
    put_u32(head + 28, r->narrowed);
    put_u32(head + 32, r->mode_of.n);
    put_u32(head + 36, r->mode_count.n);
    bool good = write(context, head, sizeof head);
    for (uint32_t i = 0; good && i < r->places.n; i++) {
        const BirthPlace *place = &r->places.at[i];
        put_u64(bytes, place->hash);
        put_u32(bytes + 8, place->count);
        put_u32(bytes + 12, place->column);
        put_u32(bytes + 16, place->alive);
        good = write(context, bytes, SAVED_PLACE);
    }
    for (uint32_t i = 0; good && i < r->tracked.n; i++) {
        const Tracked *tracked = &r->tracked.at[i];
        if (!tracked->birth)
            continue;
        put_u64(bytes, tracked->birth);
        put_u32(bytes + 8, tracked->column);
        put_u32(bytes + 12, tracked->place);
        good = write(context, bytes, SAVED_COLUMN);
    }
    return good && save_map(&r->mode_of, write, context) &&
           save_map(&r->mode_count, write, context);
}

static bool restore_place(Recorder *r, const uint8_t *bytes)
{
    BirthPlace place = {
        get_u64(bytes), get_u32(bytes + 8), get_u32(bytes + 12), get_u32(bytes + 16) != 0, false,
        ANY_TYPE};
    if (map_get(&r->place_of, place.hash) || place.column >= result_columns(r->writer))
        return false;
    vec_push(r->mem, &r->places, place);
    map_put(r->mem, &r->place_of, place.hash, r->places.n);
    return true;
}

static bool restore_column(Recorder *r, const uint8_t *bytes)
{
    Tracked tracked = {get_u64(bytes), get_u32(bytes + 8), get_u32(bytes + 12)};
    if (tracked.column >= result_columns(r->writer) || tracked.place >= r->places.n)
        return false;
    vec_push(r->mem, &r->saved, tracked);
    map_put(r->mem, &r->resumed, tracked.birth, r->saved.n);
    return true;
}

bool record_restore(Recorder *r, SolRead read, void *context)
{
    uint8_t head[SAVED_HEAD], bytes[SAVED_PLACE];
    if (!read(context, head, sizeof head))
        return false;
    r->rows = get_u64(head);
    r->last_time = get_f64(head + 8);
    r->started = get_u32(head + 24) != 0;
    r->narrowed = get_u32(head + 28) != 0;
    for (uint32_t i = 0; i < get_u32(head + 16); i++)
        if (!read(context, bytes, SAVED_PLACE) || !restore_place(r, bytes))
            return false;
    for (uint32_t i = 0; i < get_u32(head + 20); i++)
        if (!read(context, bytes, SAVED_COLUMN) || !restore_column(r, bytes))
            return false;
    return restore_map(r, &r->mode_of, get_u32(head + 32), read, context) &&
           restore_map(r, &r->mode_count, get_u32(head + 36), read, context);
}
