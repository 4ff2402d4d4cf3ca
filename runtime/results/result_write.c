/* result_write.c: columns, rows, events -> records of the result file. See result.h.
 *
 * A record is built in memory, then given to the file whole. The buffer goes to the system when it
 * is full, and after a row when FLUSH_SECONDS have passed: a killed run loses at most that much.
 *
 * Living columns are kept in ascending order of their numbers, which is the order of the values in
 * a row. Deaths only mark; the list is put together again before the next row, so that an event
 * with a thousand deaths costs one pass. */
#include "base/timer.h"
#include "runtime/results/bytes.h"
#include "runtime/results/result_writer.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

static const double FLUSH_SECONDS = 0.1;

/* ---- records ---- */

static uint8_t *more(ResultWriter *w, size_t n)
{
    vec_reserve(w->mem, &w->record, w->record.n + (uint32_t)n);
    uint8_t *to = w->record.at + w->record.n;
    w->record.n += (uint32_t)n;
    return to;
}

static void add_u8(ResultWriter *w, uint8_t x)
{
    *more(w, 1) = x;
}

static void add_u32(ResultWriter *w, uint32_t x)
{
    put_u32(more(w, 4), x);
}

static void add_u64(ResultWriter *w, uint64_t x)
{
    put_u64(more(w, 8), x);
}

static void add_f64(ResultWriter *w, double x)
{
    put_f64(more(w, 8), x);
}

static void add_text(ResultWriter *w, const char *text)
{
    size_t n = strlen(text);
    add_u32(w, (uint32_t)n);
    memcpy(more(w, n), text, n);
}

static void begin_record(ResultWriter *w, uint8_t type)
{
    w->record.n = 0;
    more(w, RESULT_SUM_FROM);
    add_u8(w, type);
}

static void end_record(ResultWriter *w)
{
    uint8_t *head = w->record.at;
    put_u32(head, w->record.n - RESULT_RECORD_HEAD);
    put_u32(head + 4, crc32_z(0, head + RESULT_SUM_FROM, w->record.n - RESULT_SUM_FROM));
    w->last_record = w->out.offset;
    out_bytes(&w->out, head, w->record.n);
}

/* ---- life of a writer ---- */

ResultWriter *result_new_writer(Mem *mem)
{
    ResultWriter *w = mem_alloc(mem, sizeof *w);
    w->mem = mem;
    w->out.fd = -1;
    w->flushed_at = timer_now();
    return w;
}

static void build_header(ResultWriter *w, uint32_t n, const ResultPair *pairs)
{
    begin_record(w, REC_HEADER);
    add_u32(w, n);
    for (uint32_t i = 0; i < n; i++) {
        add_text(w, pairs[i].key);
        add_text(w, pairs[i].value);
    }
}

static void write_header(ResultWriter *w)
{
    uint8_t version[4];
    put_u32(version, RESULT_VERSION);
    out_bytes(&w->out, RESULT_MAGIC, RESULT_MAGIC_LENGTH);
    out_bytes(&w->out, version, sizeof version);
    end_record(w);
}

/* Everything that needs memory comes before the file is opened: a file must not be lost to a guard.
 */
ResultWriter *result_create(Mem *mem, const char *path, uint32_t n, const ResultPair *pairs)
{
    ResultWriter *w = result_new_writer(mem);
    build_header(w, n, pairs);
    if (out_replace(&w->out, path))
        write_header(w);
    return w;
}

ResultWriter *result_create_in_memory(Mem *mem, uint32_t n, const ResultPair *pairs)
{
    ResultWriter *w = result_new_writer(mem);
    build_header(w, n, pairs);
    out_memory(&w->out);
    write_header(w);
    return w;
}

const uint8_t *result_bytes(ResultWriter *w, size_t *n)
{
    bool whole = w->out.in_memory && out_flush(&w->out);
    *n = whole ? w->out.n_kept : 0;
    return whole ? w->out.kept : NULL;
}

void result_discard(ResultWriter *w, const char *path)
{
    if (w)
        out_discard(&w->out, path);
}

bool result_close(ResultWriter *w)
{
    if (!w)
        return true;
    bool ok = out_close(&w->out);
    vec_free(w->mem, &w->live);
    vec_free(w->mem, &w->types);
    vec_free(w->mem, &w->record);
    map_free(w->mem, &w->texts);
    map_free(w->mem, &w->modes);
    vec_free(w->mem, &w->choices);
    mem_free(w->mem, w);
    return ok;
}

void result_texts(ResultWriter *w, ResultText text, void *context)
{
    w->text = text;
    w->text_context = context;
}

bool result_flush(ResultWriter *w)
{
    w->flushed_at = timer_now();
    return (w->out.in_memory || w->out.fd >= 0) && out_flush(&w->out);
}

int result_error(const ResultWriter *w)
{
    return w->out.error;
}

uint64_t result_offset(const ResultWriter *w)
{
    return w->out.offset;
}

uint32_t result_columns(const ResultWriter *w)
{
    return w->n_columns;
}

uint32_t result_living(const ResultWriter *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->live.n; i++)
        n += !w->live.at[i].dead;
    return n;
}

/* ---- columns ---- */

/* Index of the first living column that is not below `column`. */
static uint32_t find_live(const ResultWriter *w, uint32_t column)
{
    uint32_t low = 0, high = w->live.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->live.at[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void forget_dead(ResultWriter *w)
{
    uint32_t kept = 0;
    if (!w->has_dead)
        return;
    for (uint32_t i = 0; i < w->live.n; i++)
        if (!w->live.at[i].dead)
            w->live.at[kept++] = w->live.at[i];
    w->live.n = kept;
    w->has_dead = false;
}

static void enter_live(ResultWriter *w, uint32_t column, uint32_t source)
{
    uint32_t at = find_live(w, column);
    if (at == w->live.n || w->live.at[at].column != column) {
        vec_reserve(w->mem, &w->live, w->live.n + 1);
        memmove(w->live.at + at + 1, w->live.at + at, (w->live.n - at) * sizeof *w->live.at);
        w->live.n++;
    } else {
        assert(w->live.at[at].dead);
    }
    w->live.at[at] = (LiveColumn){
        .column = column, .source = source, .type = w->types.at[column], .fresh = true};
    w->n_strings += w->types.at[column] == RESULT_STRING;
}

uint32_t result_birth(ResultWriter *w, const char *path, ResultType type, unsigned flags,
                      uint32_t source)
{
    uint32_t column = w->n_columns++;
    vec_push(w->mem, &w->types, (uint8_t)type);
    enter_live(w, column, source);
    begin_record(w, REC_BIRTH);
    add_u32(w, column);
    add_u8(w, (uint8_t)type);
    add_u8(w, (uint8_t)flags);
    add_text(w, path);
    end_record(w);
    return column;
}

static void text_record(ResultWriter *w, uint8_t type, const char *text)
{
    begin_record(w, type);
    add_text(w, text);
    end_record(w);
}

void result_drawn(ResultWriter *w, const char *model)
{
    text_record(w, REC_DRAWN, model);
}

void result_unit(ResultWriter *w, const char *unit)
{
    text_record(w, REC_UNIT, unit);
}

static void mark_dead(ResultWriter *w, uint32_t column)
{
    uint32_t at = find_live(w, column);
    assert(at < w->live.n && w->live.at[at].column == column && !w->live.at[at].dead);
    w->live.at[at].dead = true;
    w->has_dead = true;
    w->n_strings -= w->live.at[at].type == RESULT_STRING;
}

void result_death(ResultWriter *w, uint32_t column)
{
    mark_dead(w, column);
    begin_record(w, REC_DEATH);
    add_u32(w, column);
    end_record(w);
}

void result_return(ResultWriter *w, uint32_t column, uint32_t source)
{
    assert(column < w->n_columns);
    enter_live(w, column, source);
    begin_record(w, REC_RETURN);
    add_u32(w, column);
    end_record(w);
}

void result_source(ResultWriter *w, uint32_t column, uint32_t source)
{
    uint32_t at = find_live(w, column);
    if (at < w->live.n && w->live.at[at].column == column)
        w->live.at[at].source = source;
}

/* ---- rows ---- */

/* A row with Strings is preceded by the texts it is the first to show. */
static void write_new_texts(ResultWriter *w, const double *values)
{
    for (uint32_t i = 0; w->n_strings && i < w->live.n; i++) {
        const LiveColumn *c = &w->live.at[i];
        double value = values[c->source];
        if (c->type != RESULT_STRING || !(value >= 0 && value < UINT32_MAX))
            continue;
        if (map_get(&w->texts, (uint64_t)value))
            continue;
        map_put(w->mem, &w->texts, (uint64_t)value, 1);
        begin_record(w, REC_TEXT);
        add_u32(w, (uint32_t)value);
        add_text(w, w->text ? w->text(w->text_context, value) : "");
        end_record(w);
    }
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool is_changed(const LiveColumn *c, const double *values)
{
    return c->fresh || !same_bits(c->last, values[c->source]);
}

static void add_values(ResultWriter *w, const double *values, bool delta)
{
    uint8_t *bits = NULL;
    uint32_t n_bits = delta ? (w->live.n + 7) / 8 : 0;
    /* room for all at once, so that `bits` stays where it is */
    vec_reserve(w->mem, &w->record, w->record.n + n_bits + 8 * w->live.n);
    if (delta) {
        bits = more(w, n_bits);
        memset(bits, 0, n_bits);
    }
    for (uint32_t i = 0; i < w->live.n; i++) {
        LiveColumn *c = &w->live.at[i];
        if (delta && !is_changed(c, values))
            continue;
        if (delta)
            bits[i / 8] |= (uint8_t)(1u << (i % 8));
        add_f64(w, values[c->source]);
        c->last = values[c->source];
        c->fresh = false;
    }
}

void result_row(ResultWriter *w, double time, ResultSide side, const double *values)
{
    uint32_t changed = 0;
    forget_dead(w);
    write_new_texts(w, values);
    for (uint32_t i = 0; i < w->live.n; i++)
        changed += is_changed(&w->live.at[i], values);
    bool delta = (uint64_t)8 * (w->live.n - changed) > (w->live.n + 7) / 8;
    begin_record(w, delta ? REC_DELTA : REC_ROW);
    add_f64(w, time);
    add_u8(w, (uint8_t)side);
    add_values(w, values, delta);
    end_record(w);
    if (timer_now() - w->flushed_at > FLUSH_SECONDS)
        result_flush(w);
}

/* ---- events and the end ---- */

static void write_states(ResultWriter *w, const ResultEvent *event)
{
    begin_record(w, REC_STATES);
    add_u32(w, event->n_changes);
    for (uint32_t i = 0; i < event->n_changes; i++)
        add_u32(w, event->states[i]);
    end_record(w);
}

void result_event(ResultWriter *w, const ResultEvent *event)
{
    if (event->n_changes)
        write_states(w, event);
    begin_record(w, REC_EVENT);
    add_f64(w, event->time);
    add_u8(w, event->structural);
    add_u32(w, event->updates);
    add_u32(w, event->entered);
    add_u32(w, event->removed);
    add_u64(w, event->visited);
    add_u32(w, event->states_before);
    add_u32(w, event->states_after);
    add_u32(w, event->loops_before);
    add_u32(w, event->loops_after);
    add_u32(w, event->n_triggers);
    for (uint32_t i = 0; i < event->n_triggers; i++)
        add_text(w, event->triggers[i]);
    end_record(w);
}

static uint64_t mode_key(const char *path, const char *condition)
{
    return hash_bytes(condition, strlen(condition), hash_bytes(path, strlen(path), 0));
}

static uint32_t new_mode(ResultWriter *w, uint64_t key)
{
    vec_push(w->mem, &w->choices, RESULT_GONE);
    map_put(w->mem, &w->modes, key, w->choices.n);
    return w->choices.n - 1;
}

static void write_names(ResultWriter *w, uint32_t number, const char *const names[2])
{
    if (!(names[0] && *names[0]) && !(names[1] && *names[1]))
        return;
    begin_record(w, REC_IF_NAMES);
    add_u32(w, number);
    for (int i = 0; i < 2; i++)
        add_text(w, names[i] ? names[i] : "");
    end_record(w);
}

uint32_t result_mode_number(ResultWriter *w, const char *path, const char *condition,
                            const char *const names[2])
{
    uint64_t key = mode_key(path, condition);
    uint32_t number = map_get(&w->modes, key);
    if (number)
        return number - 1;
    number = new_mode(w, key);
    begin_record(w, REC_IF);
    add_u32(w, number);
    add_text(w, path);
    add_text(w, condition);
    end_record(w);
    write_names(w, number, names);
    return number;
}

ResultChoice result_mode_written(const ResultWriter *w, uint32_t number)
{
    return (ResultChoice)w->choices.at[number];
}

void result_mode(ResultWriter *w, double time, uint32_t number, ResultChoice choice)
{
    if (w->choices.at[number] == choice)
        return;
    w->choices.at[number] = (uint8_t)choice;
    begin_record(w, REC_MODE);
    add_f64(w, time);
    add_u32(w, number);
    add_u8(w, (uint8_t)choice);
    end_record(w);
}

void result_note(ResultWriter *w, double time, const char *text)
{
    begin_record(w, REC_NOTE);
    add_f64(w, time);
    add_text(w, text);
    end_record(w);
}

void result_finish(ResultWriter *w, double time, uint32_t status, const char *message)
{
    begin_record(w, REC_FINISH);
    add_f64(w, time);
    add_u32(w, status);
    add_text(w, message);
    end_record(w);
    result_flush(w);
}
