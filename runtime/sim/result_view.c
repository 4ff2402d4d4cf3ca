/* result_view.c: a result, in a file or in memory -> its columns, rows and events for a client: sol_result_open() and its
 * like.
 *
 * The reader (results/result.h) is a stream that keeps descriptions of columns and no rows. A first pass finds the columns,
 * counts the rows and makes an index of them. Few columns are read by the index; many are read by a pass, or by going on where the
 * last one stopped. */
#include "runtime/results/result_index.h"
#include "runtime/sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct SolResult {
    Mem *mem;
    uint8_t *bytes; /* of malloc(), or NULL */
    size_t n_bytes;
    ResultReader *reader;
    ResultIndex *index;
    uint64_t row;  /* the reader stands behind so many rows */
    uint64_t size; /* bytes up to the last complete record, as the first pass found */
    SolResultInfo info;
    Arena texts; /* of info */
    VEC(ResultColumn) columns;
    char message[5000];
};

/* ---- the first pass ---- */

static const char *keep(SolResult *r, const char *text)
{
    return arena_copy(&r->texts, text, strlen(text));
}

static void note_record(SolResult *r, const ResultRecord *record)
{
    switch (record->kind) {
    case RESULT_BIRTH: {
        ResultColumn column = *result_column(r->reader, record->column);
        column.path = keep(r, column.path);
        vec_push(r->mem, &r->columns, column);
        break;
    }
    case RESULT_ROW:
        r->info.rows++;
        r->info.end = record->time;
        break;
    case RESULT_FINISH:
        r->info.complete = true;
        r->info.exit_code = record->status;
        r->info.ended = keep(r, record->text);
        r->info.end = record->time;
        break;
    default:
        break;
    }
}

static void survey(SolResult *r, const char *path)
{
    ResultRecord record;
    uint64_t before = result_position(r->reader);
    r->index = result_index_open(r->mem);
    for (; result_next(r->reader, &record); before = result_position(r->reader)) {
        note_record(r, &record);
        result_index_note(r->index, r->reader, &record, before);
    }
    ResultEnd end = result_end(r->reader);
    result_end_text(r->reader, path, r->message, sizeof r->message);
    r->size = result_position(r->reader);
    r->row = r->info.rows;
    r->info.columns = r->columns.n;
    if (end == RESULT_FOREIGN || end == RESULT_NEWER || end == RESULT_UNREADABLE)
        r->info.status = SOL_IO;
}

static SolResult *new_result(uint8_t *bytes)
{
    Mem *mem = mem_open();
    SolResult *r = mem ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        mem_close(mem);
        free(bytes);
        return NULL;
    }
    r->mem = mem;
    r->bytes = bytes;
    r->info.ended = "";
    arena_init(&r->texts, mem);
    return r;
}

static SolResult *view(SolResult *r, const char *path, size_t n)
{
    r->n_bytes = n;
    MemGuard guard;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0) {
        r->info.status = SOL_MEMORY;
        strcpy(r->message, "out of memory");
        return r;
    }
    r->reader = r->bytes ? result_open_bytes(r->mem, r->bytes, n) : result_open(r->mem, path);
    survey(r, path);
    mem_guard_pop(r->mem, &guard);
    return r;
}

SolResult *result_view_bytes(uint8_t *bytes, size_t n)
{
    SolResult *r = new_result(bytes);
    return r ? view(r, "the result in memory", n) : NULL;
}

SolResult *sol_result_open_bytes(const void *bytes, size_t n)
{
    uint8_t *own = malloc(n ? n : 1);
    return own ? result_view_bytes(memcpy(own, bytes, n), n) : NULL;
}

const void *sol_result_bytes(const SolResult *r, size_t *n)
{
    *n = r->n_bytes;
    return r->bytes;
}

SolResult *sol_result_open(const char *path)
{
    SolResult *r = new_result(NULL);
    return r ? view(r, path, 0) : NULL;
}

void sol_result_close(SolResult *r)
{
    if (!r)
        return;
    result_close_reader(r->reader);
    result_index_close(r->index);
    mem_close(r->mem);
    free(r->bytes);
    free(r);
}

/* ---- questions ---- */

void sol_result_info(const SolResult *r, SolResultInfo *info)
{
    *info = r->info;
    info->message = r->message;
}

bool sol_result_column(const SolResult *r, uint32_t index, SolColumn *column)
{
    if (index >= r->columns.n)
        return false;
    const ResultColumn *from = &r->columns.at[index];
    *column = (SolColumn){.path = from->path,
                          .type = (SolType)from->type,
                          .parameter = from->flags & RESULT_PARAMETER,
                          .held = from->flags & RESULT_HELD,
                          .state = from->flags & RESULT_STATE,
                          .top = from->flags & RESULT_TOP,
                          .monitored = from->flags & RESULT_MONITORED};
    return true;
}

const char *sol_result_text(const SolResult *r, double value)
{
    return r->reader ? result_string(r->reader, value) : "";
}

/* ---- rows ---- */

static double value_of(const SolResult *r, uint32_t column)
{
    if (column >= result_column_count(r->reader)) /* not born yet */
        return NAN;
    const ResultColumn *c = result_column(r->reader, column);
    return c->alive ? c->value : NAN;
}

static void put_row(const SolResult *r, const ResultWanted *rows, const ResultRecord *record)
{
    uint64_t at = r->row - rows->from;
    if (rows->times)
        rows->times[at] = record->time;
    if (rows->sides)
        rows->sides[at] = (uint8_t)record->side;
    for (uint32_t i = 0; i < rows->n && rows->values; i++)
        if (rows->values[i])
            rows->values[i][at] = value_of(r, rows->columns[i]);
}

static void rewind_rows(SolResult *r)
{
    result_rewind(r->reader);
    r->row = 0;
}

static SolStatus lost_place(SolResult *r)
{
    r->row = UINT64_MAX; /* the next question begins anew */
    return SOL_MEMORY;
}

static SolStatus read_rows(SolResult *r, const ResultWanted *rows)
{
    ResultRecord record;
    if (rows->from < r->row)
        rewind_rows(r);
    while (r->row < rows->from + rows->count) {
        if (!result_next(r->reader, &record))
            return SOL_IO; /* it had them */
        if (record.kind != RESULT_ROW)
            continue;
        if (r->row >= rows->from)
            put_row(r, rows, &record);
        r->row++;
    }
    return SOL_OK;
}

static bool are_there(const SolResult *r, const ResultWanted *rows)
{
    bool good = rows->count <= r->info.rows && rows->from <= r->info.rows - rows->count;
    for (uint32_t i = 0; i < rows->n; i++)
        good = good && rows->columns && rows->columns[i] < r->columns.n;
    return good;
}

enum { FEW_COLUMNS = 32 };

/* Texts of Strings are those that the stream has met. */
static bool by_index(const SolResult *r, const ResultWanted *rows)
{
    bool strings = false;
    for (uint32_t i = 0; i < rows->n; i++)
        strings |= r->columns.at[rows->columns[i]].type == RESULT_STRING;
    bool goes_on = r->row <= rows->from && rows->from - r->row < rows->count;
    return result_index_usable(r->index) && !strings &&
           (rows->n <= FEW_COLUMNS || !(goes_on || rows->from == 0));
}

static SolStatus read_wanted(SolResult *r, const ResultWanted *rows)
{
    if (!by_index(r, rows))
        return read_rows(r, rows);
    return result_index_read(r->index, r->reader, rows) ? SOL_OK : SOL_IO;
}

SolStatus sol_result_read(SolResult *r, uint64_t from, uint64_t count, double *times,
                          uint8_t *sides, uint32_t n, const uint32_t *columns,
                          double *const *values)
{
    ResultWanted rows = {from, count, times, sides, n, columns, values};
    MemGuard guard;
    if (r->info.status != SOL_OK)
        return r->info.status;
    if (!are_there(r, &rows))
        return SOL_USAGE;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0)
        return lost_place(r);
    SolStatus status = read_wanted(r, &rows);
    mem_guard_pop(r->mem, &guard);
    return status;
}

/* ---- everything else ---- */

static void show_event(const SolVisit *visit, const ResultEvent *e)
{
    SolEvent event = {.time = e->time,
                      .updates = e->updates,
                      .n_triggers = e->n_triggers,
                      .triggers = e->triggers,
                      .entered = e->entered,
                      .removed = e->removed,
                      .visited = e->visited,
                      .states_before = e->states_before,
                      .states_after = e->states_after,
                      .loops_before = e->loops_before,
                      .loops_after = e->loops_after,
                      .n_changes = e->n_changes,
                      .states = e->states,
                      .structural = e->structural};
    visit->event(visit->context, &event);
}

static void show(const SolVisit *visit, const ResultRecord *record)
{
    if (record->kind == RESULT_HEADER && visit->header)
        for (uint32_t i = 0; i < record->n_pairs; i++)
            visit->header(visit->context, record->pairs[i].key, record->pairs[i].value);
    if (record->kind == RESULT_EVENT && visit->event)
        show_event(visit, &record->event);
    if (record->kind == RESULT_MODE && visit->mode)
        visit->mode(visit->context, record->time,
                    &(SolMode){.branch = record->mode.number,
                               .path = record->mode.path,
                               .condition = record->mode.condition,
                               .else_name = record->mode.names[0],
                               .then_name = record->mode.names[1],
                               .choice = (SolChoice)record->mode.choice});
    if (record->kind == RESULT_NOTE && visit->note)
        visit->note(visit->context, record->time, record->text);
}

SolStatus sol_result_visit(SolResult *r, const SolVisit *visit)
{
    ResultRecord record;
    MemGuard guard;
    if (r->info.status != SOL_OK)
        return r->info.status;
    mem_guard_push(r->mem, &guard);
    if (setjmp(guard.env) != 0)
        return lost_place(r);
    rewind_rows(r);
    bool head_only = !visit->event && !visit->mode && !visit->note, more = true;
    while (more && result_position(r->reader) < r->size && result_next(r->reader, &record)) {
        r->row += record.kind == RESULT_ROW;
        show(visit, &record);
        more = !head_only || record.kind != RESULT_HEADER;
    }
    mem_guard_pop(r->mem, &guard);
    return SOL_OK;
}
