/* result_index.c: where rows stand in a result -> values of some columns. See result_index.h.
 *
 * Kept are the places of every GROUP-th row, and which columns live from which row on. Between them the lengths of the
 * records lead from one row to the next, and of a row only what was asked for is looked at: checksums were looked at by the pass
 * that made the index. A row that has a bit for each column may leave out a value that is that of the row before: where
 * reading begins in the middle, earlier rows are looked at until all values are known. */
#include "runtime/results/result_index.h"

#include "base/vec.h"
#include "runtime/results/bytes.h"
#include "runtime/results/result_int.h"

#include <math.h>
#include <string.h>

enum {
    GROUP = 64,
    MOST_LIVES = 1 << 22, /* entries of the lists of living columns */
    LONG_ROW = 1 << 14,   /* bytes: of longer ones single places are read */
    SMALL = 1 << 12,      /* bytes that are read at once then, */
    LARGE = 1 << 18       /* and otherwise */
};

/* From this row on live[first..first + n - 1] are the living columns, ascending. */
typedef struct Span {
    uint64_t row;
    uint32_t first, n;
} Span;

struct ResultIndex {
    Mem *mem;
    bool too_large, changed; /* columns came or went since the last row */
    uint64_t rows, end;      /* behind the last row */
    VEC(uint64_t)
    group; /* [row / GROUP]: a record, between which and the row there is no other row */
    VEC(Span) spans;
    VEC(uint32_t) live;
    uint64_t window_at;
    uint32_t window_n;
    uint8_t *window; /* [LARGE]; NULL: nothing was read from a file yet */
};

ResultIndex *result_index_open(Mem *mem)
{
    ResultIndex *x = mem_alloc(mem, sizeof *x);
    x->mem = mem;
    return x;
}

static void forget(ResultIndex *x)
{
    vec_free(x->mem, &x->group);
    vec_free(x->mem, &x->spans);
    vec_free(x->mem, &x->live);
}

void result_index_close(ResultIndex *x)
{
    if (!x)
        return;
    forget(x);
    mem_free(x->mem, x->window);
    mem_free(x->mem, x);
}

/* ---- the pass that makes it ---- */

static void begin_span(ResultIndex *x, const ResultReader *r)
{
    uint32_t n;
    const uint32_t *live = result_reader_live(r, &n);
    if (x->live.n + (uint64_t)n > MOST_LIVES) {
        x->too_large = true;
        forget(x);
        return;
    }
    vec_push(x->mem, &x->spans, ((Span){x->rows, x->live.n, n}));
    for (uint32_t i = 0; i < n; i++)
        vec_push(x->mem, &x->live, live[i]);
    x->changed = false;
}

void result_index_note(ResultIndex *x, const ResultReader *r, const ResultRecord *record,
                       uint64_t before)
{
    x->changed |= record->kind == RESULT_BIRTH || record->kind == RESULT_DEATH ||
                  record->kind == RESULT_RETURN;
    if (record->kind != RESULT_ROW || x->too_large)
        return;
    if (x->changed || !x->spans.n)
        begin_span(x, r);
    if (x->too_large)
        return;
    if (x->rows % GROUP == 0)
        vec_push(x->mem, &x->group, before);
    x->rows++;
    x->end = result_position(r);
}

bool result_index_usable(const ResultIndex *x)
{
    return x && !x->too_large;
}

/* ---- bytes ---- */

/* n bytes of the file, up to LARGE; NULL: they are not there any more. */
static const uint8_t *fetch(ResultIndex *x, const ResultReader *r, uint64_t at, uint32_t n)
{
    uint64_t size;
    const uint8_t *bytes = result_reader_bytes(r, &size);
    if (bytes)
        return at <= size && n <= size - at ? bytes + at : NULL;
    if (!x->window)
        x->window = mem_alloc(x->mem, LARGE);
    if (at < x->window_at || at + n > x->window_at + x->window_n) {
        uint32_t whole = x->end > LONG_ROW * x->rows ? SMALL : LARGE;
        x->window_at = at;
        x->window_n = result_peek(r, at, x->window, n > whole ? n : whole);
    }
    return n <= x->window_n ? x->window + (at - x->window_at) : NULL;
}

/* ---- rows ---- */

enum { ROW_HEAD = RESULT_RECORD_HEAD + 9 }; /* with time and side */

static const uint32_t NOWHERE = UINT32_MAX;

/* Stands at a row; what is known of the wanted columns there. */
typedef struct Walk {
    ResultIndex *x;
    const ResultReader *r;
    uint64_t row, at, next; /* the row, its record, the record behind */
    uint32_t length;        /* of its payload */
    bool all;               /* it has all values, and no bits */
    uint32_t span, n;
    const uint32_t *columns;
    uint32_t *place; /* [n]: index among the living, or NOWHERE */
    double *value;   /* [n] */
    bool *known;     /* [n] */
} Walk;

static uint32_t place_of(const ResultIndex *x, const Span *span, uint32_t column)
{
    uint32_t low = 0, high = span->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->live.at[span->first + middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < span->n && x->live.at[span->first + low] == column;
    return found ? low : NOWHERE;
}

static void enter_span(Walk *w)
{
    const Span *span = &w->x->spans.at[w->span];
    for (uint32_t i = 0; i < w->n; i++)
        w->place[i] = place_of(w->x, span, w->columns[i]);
}

static Walk walk_open(ResultIndex *x, const ResultReader *r, uint32_t n, const uint32_t *columns)
{
    Walk w = {.x = x, .r = r, .n = n, .columns = columns};
    w.place = mem_alloc(x->mem, (n + 1) * sizeof *w.place);
    w.value = mem_alloc(x->mem, (n + 1) * sizeof *w.value);
    w.known = mem_alloc(x->mem, (n + 1) * sizeof *w.known);
    return w;
}

static void walk_close(Walk *w)
{
    mem_free(w->x->mem, w->place);
    mem_free(w->x->mem, w->value);
    mem_free(w->x->mem, w->known);
}

/* Before the first row of the group that has the row. */
static void go_before(Walk *w, uint64_t row)
{
    const ResultIndex *x = w->x;
    uint32_t low = 0, high = x->spans.n;
    w->row = row / GROUP * GROUP;
    w->next = x->group.at[row / GROUP];
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->spans.at[middle].row <= w->row)
            low = middle;
        else
            high = middle;
    }
    w->span = low;
    w->row--; /* of the first row there is no row before: it comes back to 0 */
    memset(w->known, 0, w->n * sizeof *w->known);
    enter_span(w);
}

/* To the next row. */
static bool step(Walk *w)
{
    const ResultIndex *x = w->x;
    const uint8_t *head = NULL;
    do {
        w->at = w->next;
        head = w->at < x->end ? fetch(w->x, w->r, w->at, ROW_HEAD) : NULL;
        if (!head)
            return false;
        w->length = get_u32(head);
        w->next = w->at + RESULT_RECORD_HEAD + w->length;
    } while (head[RESULT_SUM_FROM] != REC_ROW && head[RESULT_SUM_FROM] != REC_DELTA);
    w->all = head[RESULT_SUM_FROM] == REC_ROW;
    w->row++;
    if (w->span + 1 < x->spans.n && x->spans.at[w->span + 1].row <= w->row) {
        w->span++;
        enter_span(w);
    }
    return true;
}

/* How many of the first k bits are set. */
static uint32_t bits_before(const uint8_t *bits, uint32_t k)
{
    uint32_t sum = 0, i = 0;
    for (; i + 8 <= k / 8; i += 8)
        sum += (uint32_t)__builtin_popcountll(get_u64(bits + i));
    for (; i < k / 8; i++)
        sum += (uint32_t)__builtin_popcount(bits[i]);
    return k % 8 ? sum + (uint32_t)__builtin_popcount(bits[i] & ((1u << k % 8) - 1)) : sum;
}

/* The value with this index among those that the row has, behind `bits` bytes. */
static bool take_value(Walk *w, uint32_t i, uint32_t bits, uint32_t index)
{
    uint64_t offset = 9 + bits + 8 * (uint64_t)index;
    const uint8_t *at =
        offset + 8 <= w->length ? fetch(w->x, w->r, w->at + RESULT_RECORD_HEAD + offset, 8) : NULL;
    if (!at)
        return false;
    w->value[i] = get_f64(at);
    return w->known[i] = true;
}

/* What the row says of one column. */
static bool look(Walk *w, uint32_t i, uint32_t n_bits)
{
    uint32_t place = w->place[i];
    if (place == NOWHERE) {
        w->value[i] = NAN;
        return w->known[i] = true;
    }
    if (w->all)
        return take_value(w, i, 0, place);
    if (9 + (uint64_t)n_bits > w->length)
        return false;
    const uint8_t *bits = fetch(w->x, w->r, w->at + ROW_HEAD, n_bits);
    if (!bits)
        return false;
    if (!(bits[place / 8] >> place % 8 & 1))
        return true; /* as in the row before */
    return take_value(w, i, n_bits, bits_before(bits, place));
}

static bool look_at_row(Walk *w)
{
    uint32_t n_bits = (w->x->spans.at[w->span].n + 7) / 8;
    bool fine = n_bits <= LARGE;
    for (uint32_t i = 0; i < w->n && fine; i++)
        fine = look(w, i, n_bits);
    return fine;
}

/* ---- values that stand further back ---- */

static bool all_known(const Walk *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (!w->known[i])
            return false;
    return true;
}

/* In the rows before the group in which `w` began. */
static bool look_back(Walk *w, uint64_t row)
{
    Walk past = walk_open(w->x, w->r, w->n, w->columns);
    bool fine = true;
    for (uint64_t size = GROUP; fine && row && !all_known(w); size *= 4) {
        uint64_t from = row > size ? row - size : 0;
        go_before(&past, from);
        while (fine && past.row + 1 < row)
            fine = step(&past) && look_at_row(&past);
        for (uint32_t i = 0; i < w->n && fine; i++)
            if (!w->known[i] && past.known[i]) {
                w->known[i] = true;
                w->value[i] = past.value[i];
            }
        row = from / GROUP * GROUP;
    }
    walk_close(&past);
    return fine;
}

/* ---- all of it ---- */

static bool put_row(Walk *w, const ResultWanted *wanted)
{
    uint64_t k = w->row - wanted->from;
    const uint8_t *head = fetch(w->x, w->r, w->at, ROW_HEAD);
    if (!head)
        return false;
    if (wanted->times)
        wanted->times[k] = get_f64(head + RESULT_RECORD_HEAD);
    if (wanted->sides)
        wanted->sides[k] = head[RESULT_RECORD_HEAD + 8];
    for (uint32_t i = 0; i < w->n && wanted->values; i++)
        if (wanted->values[i])
            wanted->values[i][k] = w->value[i];
    return true;
}

bool result_index_read(ResultIndex *x, const ResultReader *r, const ResultWanted *wanted)
{
    if (!wanted->count)
        return true;
    Walk w = walk_open(x, r, wanted->n, wanted->columns);
    x->window_n = 0; /* the file may have grown */
    go_before(&w, wanted->from);
    uint64_t begin = w.row + 1;
    bool fine = true;
    while (fine && w.row + 1 < wanted->from + wanted->count) {
        fine = step(&w) && look_at_row(&w);
        if (fine && w.row == wanted->from)
            fine = look_back(&w, begin);
        if (fine && w.row >= wanted->from)
            fine = put_row(&w, wanted);
    }
    walk_close(&w);
    return fine;
}
