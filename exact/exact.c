/* exact.c: rows of whole numbers -> the sums of rows that vanish. See exact.h.
 *
 * First rows are peeled: one with a column that no other row has is in no sum, so it goes, and its columns
 * are in one row less. A circuit with a ground peels completely. What is left, the core, is eliminated without
 * fractions: the shortest row first, by its rarest column; each row is divided by what its factors have in
 * common, so numbers stay as small as they can. Steps are written down, and a row that vanished
 * is followed back along them.
 */
#include "exact/exact.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 Wide __attribute__((aligned(8))); /* blocks of a Mem are not aligned to more */

enum { NONE = UINT32_MAX };
enum { COPIED = 16 }; /* cells that are copied in the time that one is computed in */
static const uint64_t MOST_CELLS = 60 * 1000 * 1000;

typedef struct Cell {
    uint32_t column;
    int64_t factor;
} Cell;

typedef struct WideCell {
    uint32_t column;
    Wide factor;
} WideCell;

typedef VEC(WideCell) WideRow;
typedef VEC(uint32_t) Rows;

/* divided * (row after it) = kept * (row before it) - taken * pivot */
typedef struct Step {
    uint32_t row, pivot;
    uint32_t before; /* number + 1 of the row's step before */
    Wide kept, taken, divided;
} Step;

typedef struct Column {
    uint32_t n;     /* rows that have it and are not peeled */
    uint32_t which; /* their numbers, combined by xor: of one, its number */
} Column;

struct Exact {
    Mem *mem;
    VEC(Cell) cell;
    VEC(uint32_t) begin; /* [row] in cell; one more at the end */
    VEC(Column) column;
    VEC(uint8_t) gone; /* [row]: peeled, or a pivot */
    VEC(uint32_t) work;
    VEC(WideRow) wide;  /* [row], of the core */
    VEC(Rows) holder;   /* [column]: rows of the core that had it at some time */
    VEC(uint64_t) heap; /* length and number of rows, perhaps of before */
    VEC(Step) step;
    VEC(uint32_t) last;  /* [row]: number + 1 of its last step */
    VEC(uint32_t) found; /* rows that vanished */
    VEC(uint32_t) steps; /* of a sum, still to be followed back: a heap, the last one first */
    VEC(Wide) weight;    /* [row], 0 but for a sum's */
    VEC(uint8_t) listed; /* [row]: in `rows`, while a sum is made */
    VEC(uint32_t) rows;
    VEC(int64_t) times;
    WideRow spare;
    ExactCounts counts;
};

/* ---- life ---- */

Exact *exact_open(Mem *mem)
{
    Exact *e = mem_alloc(mem, sizeof *e);
    e->mem = mem;
    return e;
}

void exact_close(Exact *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; i < e->wide.cap; i++)
        vec_free(e->mem, &e->wide.at[i]);
    for (uint32_t i = 0; i < e->holder.cap; i++)
        vec_free(e->mem, &e->holder.at[i]);
    vec_free(e->mem, &e->cell);
    vec_free(e->mem, &e->begin);
    vec_free(e->mem, &e->column);
    vec_free(e->mem, &e->gone);
    vec_free(e->mem, &e->work);
    vec_free(e->mem, &e->wide);
    vec_free(e->mem, &e->holder);
    vec_free(e->mem, &e->heap);
    vec_free(e->mem, &e->step);
    vec_free(e->mem, &e->last);
    vec_free(e->mem, &e->found);
    vec_free(e->mem, &e->steps);
    vec_free(e->mem, &e->weight);
    vec_free(e->mem, &e->listed);
    vec_free(e->mem, &e->rows);
    vec_free(e->mem, &e->times);
    vec_free(e->mem, &e->spare);
    mem_free(e->mem, e);
}

static void forget_sum(Exact *e)
{
    for (uint32_t i = 0; i < e->rows.n; i++)
        e->weight.at[e->rows.at[i]] = 0;
    vec_clear(&e->rows);
}

void exact_begin(Exact *e, uint32_t n_columns)
{
    forget_sum(e);
    vec_clear(&e->last);
    vec_clear(&e->cell);
    vec_clear(&e->begin);
    vec_clear(&e->gone);
    vec_clear(&e->step);
    vec_clear(&e->found);
    vec_push(e->mem, &e->begin, 0);
    vec_reserve(e->mem, &e->column, n_columns);
    e->column.n = n_columns;
    if (n_columns)
        memset(e->column.at, 0, n_columns * sizeof *e->column.at);
    e->counts = (ExactCounts){0};
}

uint32_t exact_row(Exact *e, uint32_t n, const uint32_t *columns, const int64_t *factors)
{
    uint32_t row = e->counts.rows++;
    for (uint32_t i = 0; i < n; i++) {
        if (!factors[i])
            continue;
        vec_push(e->mem, &e->cell, ((Cell){columns[i], factors[i]}));
        e->column.at[columns[i]].n++;
        e->column.at[columns[i]].which ^= row;
    }
    vec_push(e->mem, &e->begin, e->cell.n);
    vec_push(e->mem, &e->gone, 0);
    vec_push(e->mem, &e->last, 0);
    return row;
}

/* ---- peeling ---- */

static void peel_row(Exact *e, uint32_t row)
{
    e->gone.at[row] = 1;
    e->counts.core--;
    for (uint32_t i = e->begin.at[row]; i < e->begin.at[row + 1]; i++) {
        Column *c = &e->column.at[e->cell.at[i].column];
        c->which ^= row;
        if (--c->n == 1)
            vec_push(e->mem, &e->work, e->cell.at[i].column);
    }
}

static void peel(Exact *e)
{
    e->counts.core = e->counts.rows;
    vec_clear(&e->work);
    for (uint32_t i = 0; i < e->column.n; i++)
        if (e->column.at[i].n == 1)
            vec_push(e->mem, &e->work, i);
    while (e->work.n) {
        Column *c = &e->column.at[vec_pop(&e->work)];
        if (c->n == 1)
            peel_row(e, c->which);
    }
}

/* ---- numbers ---- */

static Wide magnitude(Wide a)
{
    return a < 0 ? -a : a;
}

static Wide common(Wide a, Wide b)
{
    a = magnitude(a);
    b = magnitude(b);
    while (b) {
        Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* x*a - y*b; false: too large. */
static bool combine(Wide x, Wide a, Wide y, Wide b, Wide *out)
{
    Wide left, right;
    return !__builtin_mul_overflow(x, a, &left) && !__builtin_mul_overflow(y, b, &right) &&
           !__builtin_sub_overflow(left, right, out);
}

/* ---- rows of the core ---- */

static void heap_push(Exact *e, uint32_t row)
{
    uint64_t key = (uint64_t)e->wide.at[row].n << 32 | row;
    vec_push(e->mem, &e->heap, key);
    uint32_t i = e->heap.n - 1;
    for (; i && e->heap.at[(i - 1) / 2] > key; i = (i - 1) / 2)
        e->heap.at[i] = e->heap.at[(i - 1) / 2];
    e->heap.at[i] = key;
}

static uint64_t heap_pop(Exact *e)
{
    uint64_t top = e->heap.at[0], key = vec_pop(&e->heap);
    uint32_t i = 0, n = e->heap.n;
    while (2 * i + 1 < n) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < n && e->heap.at[child + 1] < e->heap.at[child])
            child++;
        if (e->heap.at[child] >= key)
            break;
        e->heap.at[i] = e->heap.at[child];
        i = child;
    }
    if (n)
        e->heap.at[i] = key;
    return top;
}

/* The shortest row that is no pivot yet; NONE: there is none. */
static uint32_t next_row(Exact *e)
{
    while (e->heap.n) {
        uint64_t key = heap_pop(e);
        uint32_t row = (uint32_t)key;
        if (!e->gone.at[row] && e->wide.at[row].n == key >> 32)
            return row;
    }
    return NONE;
}

static int by_column(const void *a, const void *b)
{
    uint32_t x = ((const WideCell *)a)->column, y = ((const WideCell *)b)->column;
    return x < y ? -1 : x > y;
}

static void make_row(Exact *e, uint32_t row)
{
    WideRow *wide = &e->wide.at[row];
    for (uint32_t i = e->begin.at[row]; i < e->begin.at[row + 1]; i++) {
        vec_push(e->mem, wide, ((WideCell){e->cell.at[i].column, e->cell.at[i].factor}));
        vec_push(e->mem, &e->holder.at[e->cell.at[i].column], row);
    }
    if (wide->n)
        qsort(wide->at, wide->n, sizeof *wide->at, by_column);
}

/* Room for `n` lists; what was in them is forgotten, their memory is not. */
#define EMPTY_LISTS(e, lists, count)                                                               \
    do {                                                                                           \
        uint32_t had = (lists)->cap;                                                               \
        vec_reserve((e)->mem, lists, count);                                                       \
        if ((lists)->cap > had)                                                                    \
            memset((lists)->at + had, 0, ((lists)->cap - had) * sizeof *(lists)->at);              \
        (lists)->n = (count);                                                                      \
        for (uint32_t k = 0; k < (count); k++)                                                     \
            vec_clear(&(lists)->at[k]);                                                            \
    } while (0)

static void make_core(Exact *e)
{
    EMPTY_LISTS(e, &e->wide, e->counts.rows);
    EMPTY_LISTS(e, &e->holder, e->column.n);
    vec_clear(&e->heap);
    for (uint32_t row = 0; row < e->counts.rows; row++)
        if (!e->gone.at[row]) {
            make_row(e, row);
            if (e->wide.at[row].n)
                heap_push(e, row);
            else
                vec_push(e->mem, &e->found, row);
        }
}

/* The first cell, from `low` on, whose column is this one or a later one. */
static uint32_t lower_bound(const WideRow *row, uint32_t low, uint32_t column)
{
    uint32_t high = row->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (row->at[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const WideCell *find_cell(const WideRow *row, uint32_t column)
{
    uint32_t at = lower_bound(row, 0, column);
    return at < row->n && row->at[at].column == column ? &row->at[at] : NULL;
}

/* ---- elimination ---- */

/* Of the rarest columns, one with the smallest factor. */
static WideCell choose_pivot(const Exact *e, const WideRow *row)
{
    WideCell best = row->at[0];
    for (uint32_t i = 1; i < row->n; i++) {
        WideCell c = row->at[i];
        uint32_t n = e->column.at[c.column].n, least = e->column.at[best.column].n;
        if (n < least || (n == least && magnitude(c.factor) < magnitude(best.factor)))
            best = c;
    }
    return best;
}

/* Cells of `old` from `from` up to `to`, times `kept`, into the spare row. */
static bool copy_cells(Exact *e, const WideRow *old, uint32_t from, uint32_t to, Wide kept)
{
    uint32_t begin = e->spare.n;
    if (from == to)
        return true;
    vec_reserve(e->mem, &e->spare, begin + (to - from));
    memcpy(e->spare.at + begin, old->at + from, (to - from) * sizeof *old->at);
    e->spare.n += to - from;
    for (uint32_t i = begin; i < e->spare.n && kept != 1; i++)
        if (__builtin_mul_overflow(e->spare.at[i].factor, kept, &e->spare.at[i].factor))
            return false;
    return true;
}

static Wide divisor_of(const WideRow *row)
{
    Wide divisor = 0;
    for (uint32_t i = 0; i < row->n && divisor != 1; i++)
        divisor = common(divisor, row->at[i].factor);
    return divisor;
}

/* kept * row - taken * pivot into the spare row, counting columns; false: numbers are too large. A long row is copied
 * piece by piece, between the few columns of the pivot. */
static bool merge(Exact *e, uint32_t row, const WideRow *pivot, Step *step)
{
    const WideRow *old = &e->wide.at[row];
    uint32_t i = 0;
    vec_clear(&e->spare);
    for (uint32_t k = 0; k < pivot->n; k++) {
        uint32_t column = pivot->at[k].column, to = lower_bound(old, i, column);
        bool both = to < old->n && old->at[to].column == column;
        Wide factor;
        if (!copy_cells(e, old, i, to, step->kept) ||
            !combine(step->kept, both ? old->at[to].factor : 0, step->taken, pivot->at[k].factor,
                     &factor))
            return false;
        if (factor)
            vec_push(e->mem, &e->spare, ((WideCell){column, factor}));
        if (both && !factor)
            e->column.at[column].n--;
        if (!both && factor) {
            e->column.at[column].n++;
            vec_push(e->mem, &e->holder.at[column], row);
        }
        i = to + both;
    }
    if (!copy_cells(e, old, i, old->n, step->kept))
        return false;
    step->divided = divisor_of(&e->spare);
    e->counts.cells += pivot->n + e->spare.n / COPIED;
    return true;
}

/* Takes the pivot's column out of `row`; false: given up. */
static bool eliminate_from(Exact *e, uint32_t row, uint32_t pivot, WideCell at, Wide factor)
{
    Wide both = common(at.factor, factor);
    Step step = {row, pivot, e->last.at[row], at.factor / both, factor / both, 0};
    if (!merge(e, row, &e->wide.at[pivot], &step))
        return false;
    for (uint32_t i = 0; i < e->spare.n && step.divided > 1; i++)
        e->spare.at[i].factor /= step.divided;
    if (!step.divided)
        step.divided = 1;
    vec_push(e->mem, &e->step, step);
    e->last.at[row] = e->step.n;
    WideRow old = e->wide.at[row];
    e->wide.at[row] = e->spare;
    e->spare = old;
    if (e->wide.at[row].n)
        heap_push(e, row);
    else
        vec_push(e->mem, &e->found, row);
    return true;
}

static bool eliminate_by(Exact *e, uint32_t pivot)
{
    WideCell at = choose_pivot(e, &e->wide.at[pivot]);
    e->gone.at[pivot] = 1;
    for (uint32_t i = 0; i < e->wide.at[pivot].n; i++)
        e->column.at[e->wide.at[pivot].at[i].column].n--;
    for (uint32_t i = 0; i < e->holder.at[at.column].n; i++) {
        uint32_t row = e->holder.at[at.column].at[i];
        const WideCell *cell = e->gone.at[row] ? NULL : find_cell(&e->wide.at[row], at.column);
        if (cell && !eliminate_from(e, row, pivot, at, cell->factor))
            return false;
    }
    return e->counts.cells < MOST_CELLS;
}

void exact_eliminate(Exact *e)
{
    peel(e);
    if (!e->counts.core)
        return;
    make_core(e);
    for (uint32_t row = next_row(e); row != NONE && !e->counts.given_up; row = next_row(e))
        e->counts.given_up = !eliminate_by(e, row);
#ifdef SOLSTICE_VERIFY
    exact_verify(e);
#endif
}

/* ---- sums ---- */

uint32_t exact_sum_count(const Exact *e)
{
    return e->found.n;
}

/* So that the weight of a row can be divided by `divisor`. */
static bool scale(Exact *e, uint32_t row, Wide divisor)
{
    Wide by = divisor / common(divisor, e->weight.at[row]);
    bool fine = true;
    for (uint32_t i = 0; i < e->rows.n && by > 1; i++)
        fine &=
            !__builtin_mul_overflow(e->weight.at[e->rows.at[i]], by, &e->weight.at[e->rows.at[i]]);
    return fine;
}

/* A heap of numbers + 1 of steps; 0 is none. */
static void follow(Exact *e, uint32_t step)
{
    if (!step)
        return;
    vec_push(e->mem, &e->steps, step);
    uint32_t i = e->steps.n - 1;
    for (; i && e->steps.at[(i - 1) / 2] < step; i = (i - 1) / 2)
        e->steps.at[i] = e->steps.at[(i - 1) / 2];
    e->steps.at[i] = step;
}

static const Step *latest_step(Exact *e)
{
    uint32_t top = e->steps.at[0], step = vec_pop(&e->steps), i = 0, n = e->steps.n;
    while (2 * i + 1 < n) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < n && e->steps.at[child + 1] > e->steps.at[child])
            child++;
        if (e->steps.at[child] <= step)
            break;
        e->steps.at[i] = e->steps.at[child];
        i = child;
    }
    if (n)
        e->steps.at[i] = step;
    return &e->step.at[top - 1];
}

/* All that was done to a pivot was done before it was one. */
static void list_row(Exact *e, uint32_t row)
{
    if (e->listed.at[row])
        return;
    e->listed.at[row] = 1;
    vec_push(e->mem, &e->rows, row);
    follow(e, e->last.at[row]);
}

static bool step_back(Exact *e, const Step *step)
{
    Wide *of = e->weight.at;
    follow(e, step->before);
    if (!of[step->row])
        return true;
    if (!scale(e, step->row, step->divided))
        return false;
    Wide share = of[step->row] / step->divided, rest;
    list_row(e, step->pivot);
    if (!combine(of[step->pivot], 1, share, step->taken, &rest))
        return false;
    of[step->pivot] = rest;
    return !__builtin_mul_overflow(share, step->kept, &of[step->row]);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Without those that do not count in the end. */
static void sort_rows(Exact *e)
{
    uint32_t n = 0;
    qsort(e->rows.at, e->rows.n, sizeof *e->rows.at, ascending);
    for (uint32_t i = 0; i < e->rows.n; i++) {
        e->listed.at[e->rows.at[i]] = 0;
        if (e->weight.at[e->rows.at[i]])
            e->rows.at[n++] = e->rows.at[i];
    }
    e->rows.n = n;
}

/* What is added is 0. */
static void make_weights(Exact *e)
{
    vec_reserve(e->mem, &e->weight, e->counts.rows);
    vec_reserve(e->mem, &e->listed, e->counts.rows);
    for (; e->weight.n < e->counts.rows; e->weight.n++)
        e->weight.at[e->weight.n] = 0;
    for (; e->listed.n < e->counts.rows; e->listed.n++)
        e->listed.at[e->listed.n] = 0;
}

static bool narrow(Exact *e)
{
    Wide divisor = 0;
    vec_clear(&e->times);
    for (uint32_t i = 0; i < e->rows.n; i++)
        divisor = common(divisor, e->weight.at[e->rows.at[i]]);
    if (e->rows.n && e->weight.at[e->rows.at[0]] < 0)
        divisor = -divisor;
    for (uint32_t i = 0; i < e->rows.n; i++) {
        Wide times = e->weight.at[e->rows.at[i]] / divisor;
        if (times != (int64_t)times)
            return false;
        vec_push(e->mem, &e->times, (int64_t)times);
    }
    return true;
}

ExactSum exact_sum(Exact *e, uint32_t index)
{
    bool fine = true;
    forget_sum(e);
    make_weights(e);
    vec_clear(&e->steps);
    list_row(e, e->found.at[index]);
    e->weight.at[e->found.at[index]] = 1;
    while (e->steps.n && fine)
        fine = step_back(e, latest_step(e));
    sort_rows(e);
    if (!fine || !narrow(e))
        return (ExactSum){0};
    return (ExactSum){e->rows.n, e->rows.at, e->times.at};
}

/* ---- looking closer ---- */

ExactCounts exact_counts(const Exact *e)
{
    return e->counts;
}

static void verify_sum(Exact *e, uint32_t index, Wide *left)
{
    ExactSum sum = exact_sum(e, index);
    for (uint32_t i = 0; i < sum.n; i++)
        for (uint32_t k = e->begin.at[sum.rows[i]]; k < e->begin.at[sum.rows[i] + 1]; k++)
            left[e->cell.at[k].column] += (Wide)sum.times[i] * e->cell.at[k].factor;
    for (uint32_t c = 0; c < e->column.n; c++) {
        if (left[c]) {
            fprintf(stderr, "solstice: broken invariant E1 (sum %u, column %u)\n", index, c);
            abort();
        }
    }
}

void exact_verify(Exact *e)
{
    Wide *left = mem_alloc(e->mem, (e->column.n + 1) * sizeof *left);
    for (uint32_t i = 0; i < e->found.n; i++)
        verify_sum(e, i, left);
    mem_free(e->mem, left);
}
