/* result_read.c: the result file -> records, one at a time. See result.h.
 *
 * A result file may have been cut anywhere, and may be anything at all: nothing in it is believed
 * before the checksum of its record fits, and then only within bounds. */
#include "base/map.h"
#include "base/vec.h"
#include "runtime/results/bytes.h"
#include "runtime/results/result_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { INPUT = 1 << 16 };

struct ResultReader {
    Mem *mem;
    int fd;               /* -1: bytes[0..size-1] are read */
    const uint8_t *bytes; /* of the caller, or NULL */
    size_t at_bytes;      /* the next of them */
    int error;
    ResultEnd end;
    uint64_t size, position; /* of the file; behind the last complete record */
    Arena names;             /* paths, texts of Strings */
    Arena scratch;           /* of the present record */
    VEC(ResultColumn) columns;
    VEC(uint32_t) live; /* ascending; those that died since the last row are still in */
    bool has_dead;
    Map text_index; /* number of a String -> index in texts, from 1 */
    VEC(const char *) texts;
    const char *drawn;     /* model of the column born next, or NULL */
    const char *unit;      /* its unit, or NULL */
    bool name_units;       /* in the first line of CSV */
    VEC(uint32_t) states;  /* of the event that follows */
    VEC(ResultMode) modes; /* [number], with the present choice */
    VEC(uint8_t) payload;
    uint32_t n_input, at_input; /* input[at_input..n_input-1] is not used yet */
    uint8_t input[INPUT];
};

/* ---- the file ---- */

static void refuse(ResultReader *r, ResultEnd end)
{
    r->end = end;
}

/* As read(): the next part of the file. */
static ssize_t read_input(ResultReader *r)
{
    if (!r->bytes)
        return read(r->fd, r->input, INPUT);
    size_t n = r->size - r->at_bytes < INPUT ? r->size - r->at_bytes : INPUT;
    memcpy(r->input, r->bytes + r->at_bytes, n);
    r->at_bytes += n;
    return (ssize_t)n;
}

/* How many of the next n bytes there are. */
static size_t take(ResultReader *r, void *to, size_t n)
{
    size_t done = 0;
    while (done < n) {
        if (r->at_input == r->n_input) {
            ssize_t got = read_input(r);
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0) {
                r->error = errno;
                refuse(r, RESULT_UNREADABLE);
            }
            if (got <= 0)
                return done;
            r->n_input = (uint32_t)got;
            r->at_input = 0;
        }
        size_t part = r->n_input - r->at_input;
        if (part > n - done)
            part = n - done;
        memcpy((uint8_t *)to + done, r->input + r->at_input, part);
        r->at_input += (uint32_t)part;
        done += part;
    }
    return done;
}

/* To the first byte; false: the system says why not. */
static bool begin_input(ResultReader *r)
{
    struct stat info;
    r->at_bytes = 0;
    if (r->bytes)
        return true;
    if (fstat(r->fd, &info) != 0 || lseek(r->fd, 0, SEEK_SET) != 0) {
        r->error = errno;
        refuse(r, RESULT_UNREADABLE);
        return false;
    }
    r->size = (uint64_t)info.st_size;
    return true;
}

static void read_file_head(ResultReader *r)
{
    uint8_t head[RESULT_FILE_HEAD];
    if (!begin_input(r))
        return;
    size_t n = take(r, head, sizeof head);
    if (r->end != RESULT_OPEN)
        return;
    if (memcmp(head, RESULT_MAGIC, n < RESULT_MAGIC_LENGTH ? n : RESULT_MAGIC_LENGTH) != 0)
        refuse(r, RESULT_FOREIGN);
    else if (n < sizeof head)
        refuse(r, RESULT_CUT);
    else if (get_u32(head + RESULT_MAGIC_LENGTH) > RESULT_VERSION)
        refuse(r, RESULT_NEWER);
    else
        r->position = sizeof head;
}

static ResultReader *new_reader(Mem *mem)
{
    ResultReader *r = mem_alloc(mem, sizeof *r);
    r->mem = mem;
    r->fd = -1;
    arena_init(&r->names, mem);
    arena_init(&r->scratch, mem);
    return r;
}

ResultReader *result_open_bytes(Mem *mem, const uint8_t *bytes, size_t n)
{
    ResultReader *r = new_reader(mem);
    r->bytes = bytes;
    r->size = n;
    read_file_head(r);
    return r;
}

ResultReader *result_open(Mem *mem, const char *path)
{
    ResultReader *r = new_reader(mem);
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        r->error = errno;
        refuse(r, RESULT_UNREADABLE);
    } else {
        read_file_head(r);
    }
    return r;
}

static void forget(ResultReader *r)
{
    arena_free(&r->names);
    arena_free(&r->scratch);
    vec_free(r->mem, &r->columns);
    vec_free(r->mem, &r->live);
    vec_free(r->mem, &r->texts);
    vec_free(r->mem, &r->modes);
    vec_free(r->mem, &r->states);
    map_free(r->mem, &r->text_index);
    r->text_index = (Map){0};
    r->has_dead = false;
    r->drawn = r->unit = NULL;
}

void result_rewind(ResultReader *r)
{
    forget(r);
    if (r->fd < 0 && !r->bytes)
        return;
    r->end = RESULT_OPEN;
    r->position = 0;
    r->n_input = r->at_input = 0;
    read_file_head(r);
}

void result_close_reader(ResultReader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    forget(r);
    vec_free(r->mem, &r->payload);
    mem_free(r->mem, r);
}

/* ---- payloads ---- */

typedef struct Cursor {
    const uint8_t *at;
    size_t left;
    bool bad; /* something was asked for that is not there */
} Cursor;

static const uint8_t *cursor_take(Cursor *c, size_t n)
{
    static const uint8_t nothing[8];
    if (c->left < n) {
        c->bad = true;
        c->left = 0;
        return nothing; /* never asked for more than 8 bytes, texts apart: see cursor_text */
    }
    const uint8_t *p = c->at;
    c->at += n;
    c->left -= n;
    return p;
}

static uint8_t cursor_u8(Cursor *c)
{
    return *cursor_take(c, 1);
}

static uint32_t cursor_u32(Cursor *c)
{
    return get_u32(cursor_take(c, 4));
}

static uint64_t cursor_u64(Cursor *c)
{
    return get_u64(cursor_take(c, 8));
}

static double cursor_f64(Cursor *c)
{
    return get_f64(cursor_take(c, 8));
}

static const char *cursor_text(Cursor *c, Arena *arena)
{
    uint32_t n = cursor_u32(c);
    if (c->left < n) {
        c->bad = true;
        return "";
    }
    return arena_copy(arena, (const char *)cursor_take(c, n), n);
}

static bool read_header(ResultReader *r, Cursor *c, ResultRecord *record)
{
    uint32_t n = cursor_u32(c);
    if (n > c->left / 8) /* each pair has two lengths */
        return false;
    ResultPair *pairs = arena_alloc(&r->scratch, (n + 1) * sizeof *pairs);
    for (uint32_t i = 0; i < n; i++) {
        pairs[i].key = cursor_text(c, &r->scratch);
        pairs[i].value = cursor_text(c, &r->scratch);
    }
    record->kind = RESULT_HEADER;
    record->n_pairs = n;
    record->pairs = pairs;
    return true;
}

static uint32_t find_live(const ResultReader *r, uint32_t column)
{
    uint32_t low = 0, high = r->live.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->live.at[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool read_birth(ResultReader *r, Cursor *c, ResultRecord *record)
{
    ResultColumn column = {0};
    record->kind = RESULT_BIRTH;
    record->column = cursor_u32(c);
    column.type = cursor_u8(c);
    column.flags = cursor_u8(c);
    column.path = cursor_text(c, &r->names);
    column.alive = true;
    column.drawn = r->drawn;
    column.unit = r->unit;
    r->drawn = r->unit = NULL;
    if (c->bad || record->column != r->columns.n || column.type > RESULT_STRING)
        return false;
    vec_push(r->mem, &r->columns, column);
    vec_push(r->mem, &r->live, record->column);
    return true;
}

static bool read_death(ResultReader *r, Cursor *c, ResultRecord *record)
{
    record->kind = RESULT_DEATH;
    record->column = cursor_u32(c);
    if (record->column >= r->columns.n || !r->columns.at[record->column].alive)
        return false;
    r->columns.at[record->column].alive = false;
    r->has_dead = true;
    return true;
}

static bool read_return(ResultReader *r, Cursor *c, ResultRecord *record)
{
    record->kind = RESULT_RETURN;
    record->column = cursor_u32(c);
    if (record->column >= r->columns.n || r->columns.at[record->column].alive)
        return false;
    r->columns.at[record->column].alive = true;
    uint32_t at = find_live(r, record->column);
    if (at < r->live.n && r->live.at[at] == record->column)
        return true; /* died and returned between two rows */
    vec_reserve(r->mem, &r->live, r->live.n + 1);
    memmove(r->live.at + at + 1, r->live.at + at, (r->live.n - at) * sizeof *r->live.at);
    r->live.at[at] = record->column;
    r->live.n++;
    return true;
}

/* Texts are no record of their own for those who read: they belong to the row that follows. */
static bool read_text(ResultReader *r, Cursor *c)
{
    uint32_t number = cursor_u32(c);
    const char *text = cursor_text(c, &r->names);
    if (c->bad || map_get(&r->text_index, number))
        return false;
    vec_push(r->mem, &r->texts, text);
    map_put(r->mem, &r->text_index, number, r->texts.n);
    return true;
}

static void forget_dead(ResultReader *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; r->has_dead && i < r->live.n; i++)
        if (r->columns.at[r->live.at[i]].alive)
            r->live.at[kept++] = r->live.at[i];
    if (r->has_dead)
        r->live.n = kept;
    r->has_dead = false;
}

static bool read_row(ResultReader *r, Cursor *c, ResultRecord *record, bool delta)
{
    const uint8_t *bits = NULL;
    forget_dead(r);
    record->kind = RESULT_ROW;
    record->time = cursor_f64(c);
    uint8_t side = cursor_u8(c);
    record->side = (ResultSide)side;
    size_t n_bits = delta ? (r->live.n + 7) / 8 : 0;
    if (c->bad || side > RESULT_AT_END || c->left < n_bits)
        return false;
    if (delta) {
        bits = c->at;
        c->at += n_bits;
        c->left -= n_bits;
    }
    for (uint32_t i = 0; i < r->live.n; i++)
        if (!delta || bits[i / 8] >> (i % 8) & 1)
            r->columns.at[r->live.at[i]].value = cursor_f64(c);
    return true;
}

static bool read_states(ResultReader *r, Cursor *c)
{
    uint32_t n = cursor_u32(c);
    if (c->bad || n > c->left / 4)
        return false;
    vec_clear(&r->states);
    for (uint32_t i = 0; i < n; i++)
        vec_push(r->mem, &r->states, cursor_u32(c));
    return true;
}

/* They are its own: the list is empty for the next event. */
static void take_states(ResultReader *r, ResultEvent *event)
{
    uint32_t *states = arena_alloc(&r->scratch, (r->states.n + 1) * sizeof *states);
    for (uint32_t i = 0; i < r->states.n; i++)
        states[i] = r->states.at[i];
    event->n_changes = r->states.n;
    event->states = states;
    vec_clear(&r->states);
}

static bool read_event(ResultReader *r, Cursor *c, ResultRecord *record)
{
    ResultEvent *event = &record->event;
    record->kind = RESULT_EVENT;
    record->time = event->time = cursor_f64(c);
    event->structural = cursor_u8(c) != 0;
    event->updates = cursor_u32(c);
    event->entered = cursor_u32(c);
    event->removed = cursor_u32(c);
    event->visited = cursor_u64(c);
    event->states_before = cursor_u32(c);
    event->states_after = cursor_u32(c);
    event->loops_before = cursor_u32(c);
    event->loops_after = cursor_u32(c);
    event->n_triggers = cursor_u32(c);
    if (c->bad || event->n_triggers > c->left / 4)
        return false;
    const char **triggers = arena_alloc(&r->scratch, (event->n_triggers + 1) * sizeof *triggers);
    for (uint32_t i = 0; i < event->n_triggers; i++)
        triggers[i] = cursor_text(c, &r->scratch);
    event->triggers = triggers;
    take_states(r, event);
    return true;
}

static bool read_if(ResultReader *r, Cursor *c)
{
    ResultMode mode = {.number = cursor_u32(c), .names = {"", ""}};
    mode.path = cursor_text(c, &r->names);
    mode.condition = cursor_text(c, &r->names);
    if (c->bad || mode.number != r->modes.n)
        return false;
    vec_push(r->mem, &r->modes, mode);
    return true;
}

static bool read_if_names(ResultReader *r, Cursor *c)
{
    uint32_t number = cursor_u32(c);
    const char *names[2];
    for (int i = 0; i < 2; i++)
        names[i] = cursor_text(c, &r->names);
    if (c->bad || number >= r->modes.n)
        return false;
    memcpy(r->modes.at[number].names, names, sizeof names);
    return true;
}

static bool read_mode(ResultReader *r, Cursor *c, ResultRecord *record)
{
    record->kind = RESULT_MODE;
    record->time = cursor_f64(c);
    uint32_t number = cursor_u32(c);
    uint8_t choice = cursor_u8(c);
    if (c->bad || number >= r->modes.n || choice > RESULT_THEN)
        return false;
    r->modes.at[number].choice = (ResultChoice)choice;
    record->mode = r->modes.at[number];
    return true;
}

static bool read_note(ResultReader *r, Cursor *c, ResultRecord *record, bool finish)
{
    record->kind = finish ? RESULT_FINISH : RESULT_NOTE;
    record->time = cursor_f64(c);
    record->status = finish ? cursor_u32(c) : 0;
    record->text = cursor_text(c, &r->scratch);
    return true;
}

/* ---- records ---- */

/* *shown: the caller is to see it. Types of records that are not known are skipped, so that a later
 * writer may add some without a new version. */
static bool interpret(ResultReader *r, uint8_t type, Cursor *c, ResultRecord *record, bool *shown)
{
    *shown = true;
    switch (type) {
    case REC_HEADER:
        return read_header(r, c, record);
    case REC_BIRTH:
        return read_birth(r, c, record);
    case REC_DEATH:
        return read_death(r, c, record);
    case REC_RETURN:
        return read_return(r, c, record);
    case REC_ROW:
    case REC_DELTA:
        return read_row(r, c, record, type == REC_DELTA);
    case REC_EVENT:
        return read_event(r, c, record);
    case REC_NOTE:
    case REC_FINISH:
        return read_note(r, c, record, type == REC_FINISH);
    case REC_MODE:
        return read_mode(r, c, record);
    case REC_DRAWN:
        *shown = false;
        r->drawn = cursor_text(c, &r->names);
        return true;
    case REC_UNIT:
        *shown = false;
        r->unit = cursor_text(c, &r->names);
        return true;
    case REC_STATES:
        *shown = false;
        return read_states(r, c);
    case REC_IF:
        *shown = false;
        return read_if(r, c);
    case REC_IF_NAMES:
        *shown = false;
        return read_if_names(r, c);
    case REC_TEXT:
        *shown = false;
        return read_text(r, c);
    default:
        *shown = false;
        c->left = 0;
        return true;
    }
}

/* The next record's payload with the type in front, or 0 with the reason in `end`. */
static uint32_t read_record(ResultReader *r)
{
    uint8_t head[RESULT_SUM_FROM];
    size_t n = take(r, head, sizeof head);
    uint32_t length = n == sizeof head ? get_u32(head) : 0;
    if (r->end != RESULT_OPEN)
        return 0;
    /* A length beyond the end: cut, or damaged; the file does not tell, and need not. */
    if (n < sizeof head || r->position + RESULT_RECORD_HEAD + length > r->size) {
        refuse(r, RESULT_CUT);
        return 0;
    }
    vec_reserve(r->mem, &r->payload, length + 1);
    if (take(r, r->payload.at, (size_t)length + 1) != (size_t)length + 1) {
        if (r->end == RESULT_OPEN)
            refuse(r, RESULT_CUT);
        return 0;
    }
    if (crc32_z(0, r->payload.at, (size_t)length + 1) != get_u32(head + 4)) {
        refuse(r, RESULT_DAMAGED);
        return 0;
    }
    return length + 1;
}

bool result_next(ResultReader *r, ResultRecord *record)
{
    bool shown = false;
    if (r->scratch.used)
        arena_free(&r->scratch);
    while (r->end == RESULT_OPEN && !shown) {
        memset(record, 0, sizeof *record);
        uint32_t n = read_record(r);
        if (!n)
            return false;
        Cursor c = {r->payload.at + 1, n - 1, false};
        if (!interpret(r, r->payload.at[0], &c, record, &shown) || c.bad || c.left) {
            refuse(r, RESULT_DAMAGED);
            return false;
        }
        r->position += RESULT_SUM_FROM + n;
        if (r->payload.at[0] == REC_FINISH)
            refuse(r, RESULT_COMPLETE);
    }
    return shown;
}

/* ---- questions ---- */

ResultEnd result_end(const ResultReader *r)
{
    return r->end;
}

uint64_t result_position(const ResultReader *r)
{
    return r->position;
}

const uint32_t *result_reader_live(const ResultReader *r, uint32_t *n)
{
    *n = r->live.n;
    return r->live.at;
}

const uint8_t *result_reader_bytes(const ResultReader *r, uint64_t *n)
{
    *n = r->size;
    return r->bytes;
}

uint32_t result_peek(const ResultReader *r, uint64_t at, void *to, uint32_t n)
{
    uint32_t done = 0;
    while (done < n) {
        ssize_t got = pread(r->fd, (uint8_t *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (uint32_t)got;
    }
    return done;
}

int result_read_error(const ResultReader *r)
{
    return r->error;
}

uint32_t result_column_count(const ResultReader *r)
{
    return r->columns.n;
}

const ResultColumn *result_column(const ResultReader *r, uint32_t column)
{
    return &r->columns.at[column];
}

uint32_t result_mode_count(const ResultReader *r)
{
    return r->modes.n;
}

const char *result_mode_path(const ResultReader *r, uint32_t number)
{
    return r->modes.at[number].path;
}

const char *result_mode_name(const ResultReader *r, uint32_t number, ResultChoice choice)
{
    return choice == RESULT_GONE ? "" : r->modes.at[number].names[choice == RESULT_THEN];
}

const char *result_mode_condition(const ResultReader *r, uint32_t number)
{
    return r->modes.at[number].condition;
}

ResultChoice result_mode_choice(const ResultReader *r, uint32_t number)
{
    return r->modes.at[number].choice;
}

const char *result_string(const ResultReader *r, double value)
{
    uint32_t index =
        value >= 0 && value < UINT32_MAX ? map_get(&r->text_index, (uint64_t)value) : 0;
    return index ? r->texts.at[index - 1] : "";
}

void result_end_text(const ResultReader *r, const char *path, char *out, size_t size)
{
    unsigned long long at = r->position;
    out[0] = '\0';
    switch (r->end) {
    case RESULT_OPEN:
    case RESULT_COMPLETE:
        break;
    case RESULT_CUT:
        snprintf(out, size, "%s: the run did not end: complete up to byte %llu", path, at);
        break;
    case RESULT_DAMAGED:
        snprintf(out, size, "%s: damaged: readable up to byte %llu of %llu", path, at,
                 (unsigned long long)r->size);
        break;
    case RESULT_FOREIGN:
        snprintf(out, size, "%s: not a result file", path);
        break;
    case RESULT_NEWER:
        snprintf(out, size, "%s: written by a later version of solstice", path);
        break;
    case RESULT_UNREADABLE:
        snprintf(out, size, "%s: %s", path, strerror(r->error));
        break;
    }
}

void result_name_units(ResultReader *r)
{
    r->name_units = true;
}

bool result_names_units(const ResultReader *r)
{
    return r->name_units;
}
