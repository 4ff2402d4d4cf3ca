/* choice_search.c: rows and columns of a component -> states with which no transmission depends on
 * itself.
 *
 * Which sets of states there are is a matroid (their complements are the bases of a transversal
 * matroid), so all of them are reached by exchanges of one state for one computed column. Which of
 * them to look at is limited by what a false component Z tells. Let D be the rows that depend on Z,
 * with it, and C the columns that they compute. The other rows name nothing of C. So with any other
 * choice that takes no column of C for a state, C is computed by the rows of D again, and Z is a
 * strong component of them again: strong components do not depend on the matching. One column of C
 * must become a state. The search takes each of them in turn, and then takes it for computed; so no
 * choice is looked at twice, and when all branches have ended, there is none.
 *
 * A branch ends at once where even too many states would not help. All columns that may still
 * become states are taken for known. What the rows then determine whose conditions and held
 * variables are known, and that read nothing left over, is known too (in the sense of Dulmage and
 * Mendelsohn: not reached from a column left over), and what a transmission computes from known
 * values, and so on. Whatever a real choice determines is determined here; so what stays unknown
 * shows that there is none.
 *
 * Few exchanges are tried before many. A limit of work remains, for large systems that are really
 * wrong in a way that the bound does not see.
 */
#include "ddp/choice.h"

#include <string.h>

static const uint64_t MOST_WORK = 30000000;

/* ---- exchanges ---- */

static void take_back(Choice *c, uint32_t trail)
{
    while (c->trail.n > trail) {
        uint32_t col = vec_pop(&c->trail), row = vec_pop(&c->trail);
        if (c->by[c->own[row]] == row)
            c->by[c->own[row]] = CHOICE_NONE;
        c->own[row] = col;
        c->by[col] = row;
    }
}

/* Rows along the path to `col`, the last first, compute what the next one did. */
static void turn(Choice *c, const uint32_t *from, uint32_t col, uint32_t wanted)
{
    Mem *mem = c->d->mem;
    while (col != wanted) {
        uint32_t row = from[col], before = c->own[row];
        vec_push(mem, &c->trail, row);
        vec_push(mem, &c->trail, before);
        c->own[row] = col;
        c->by[col] = row;
        col = before;
    }
    c->by[wanted] = CHOICE_NONE;
}

/* The computed column `wanted` for the lightest state that can be computed instead and is lighter
 * than `below`; false: there is none. */
static bool exchange(Choice *c, uint32_t wanted, uint64_t below)
{
    Mem *mem = c->d->mem;
    List queue = {0};
    uint32_t *from = mem_alloc(mem, (c->cols + 1) * sizeof *from), best = CHOICE_NONE;
    memset(from, 0xff, c->cols * sizeof *from);
    vec_push(mem, &queue, c->by[wanted]);
    from[wanted] = c->by[wanted];
    for (uint32_t i = 0; i < queue.n; i++)
        for (uint32_t e = c->may.start[queue.at[i]]; e < c->may.start[queue.at[i] + 1]; e++) {
            uint32_t col = c->may.to[e];
            c->work++;
            if (from[col] != CHOICE_NONE)
                continue;
            from[col] = queue.at[i];
            if (c->by[col] != CHOICE_NONE) {
                vec_push(mem, &queue, c->by[col]);
            } else if (c->mark[col] != CHOICE_STATE && c->weight[col] < below) {
                best = col;
                below = c->weight[col];
            }
        }
    if (best != CHOICE_NONE)
        turn(c, from, best, wanted);
    vec_free(mem, &queue);
    mem_free(mem, from);
    return best != CHOICE_NONE;
}

/* ---- strong components (Tarjan, SIAM J. Comput. 1, 1972) ---- */

typedef struct Strong {
    Choice *c;
    uint32_t *number, *low, *next; /* [row] */
    List path, open;
    uint32_t visits, comps;
} Strong;

static void visit(Strong *s, uint32_t row)
{
    s->number[row] = s->low[row] = ++s->visits;
    s->next[row] = s->c->reads.start[row];
    vec_push(s->c->d->mem, &s->path, row);
    vec_push(s->c->d->mem, &s->open, row);
}

static void close_component(Strong *s, uint32_t root)
{
    Choice *c = s->c;
    uint32_t row, size = 0;
    bool causal = false;
    do {
        row = vec_pop(&s->open);
        c->comp[row] = s->comps;
        causal |= c->causal[row];
        size++;
    } while (row != root);
    if (causal && size > 1)
        c->last_false = s->comps;
    s->comps++;
}

static void lower(uint32_t *a, uint32_t b)
{
    if (b < *a)
        *a = b;
}

static void search_from(Strong *s, uint32_t root)
{
    Choice *c = s->c;
    visit(s, root);
    while (s->path.n) {
        uint32_t row = vec_last(&s->path);
        if (s->next[row] < c->reads.start[row + 1]) {
            uint32_t to = c->by[c->reads.to[s->next[row]++]];
            c->work++;
            if (to == CHOICE_NONE || to == row)
                continue;
            if (!s->number[to])
                visit(s, to);
            else if (c->comp[to] == CHOICE_NONE)
                lower(&s->low[row], s->number[to]);
            continue;
        }
        s->path.n--;
        if (s->path.n)
            lower(&s->low[vec_last(&s->path)], s->low[row]);
        if (s->low[row] == s->number[row])
            close_component(s, row);
    }
}

/* Is there a false component? c->last_false is then one that no other depends on. */
static bool is_false(Choice *c)
{
    Mem *mem = c->d->mem;
    uint32_t *room = mem_alloc(mem, 3 * ((size_t)c->rows + 1) * sizeof *room);
    Strong s = {.c = c, .number = room, .low = room + c->rows, .next = room + 2 * c->rows};
    c->last_false = CHOICE_NONE;
    memset(c->comp, 0xff, c->rows * sizeof *c->comp);
    for (uint32_t i = 0; i < c->rows; i++)
        if (!s.number[i])
            search_from(&s, i);
    vec_free(mem, &s.path);
    vec_free(mem, &s.open);
    mem_free(mem, room);
    return c->last_false != CHOICE_NONE;
}

/* Columns of which one must become a state: what the last false component computes, and what
 * depends on it. */
static void list_helpers(Choice *c, List *helpers)
{
    Mem *mem = c->d->mem;
    List queue = {0};
    bool *seen = mem_alloc(mem, c->rows + 1);
    for (uint32_t i = 0; i < c->rows; i++)
        if ((seen[i] = c->comp[i] == c->last_false))
            vec_push(mem, &queue, i);
    for (uint32_t i = 0; i < queue.n; i++) {
        uint32_t col = c->own[queue.at[i]];
        if (c->der[col] && c->mark[col] == CHOICE_OPEN)
            vec_push(mem, helpers, col);
        for (uint32_t e = c->readers.start[col]; e < c->readers.start[col + 1]; e++) {
            uint32_t row = c->readers.to[e];
            c->work++;
            if (!seen[row])
                vec_push(mem, &queue, row);
            seen[row] = true;
        }
    }
    vec_free(mem, &queue);
    mem_free(mem, seen);
}

/* ---- the bound ---- */

typedef struct Bound {
    Choice *c;
    bool *known;        /* [column] */
    bool *over;         /* [column]: left over, or what computes it could take one that is */
    bool *ready;        /* [row]: no transmission, and reads nothing unknown from one */
    bool *reached;      /* [row] */
    uint32_t *own, *by; /* a matching of rows that are ready with columns that are not known */
    uint32_t *from;     /* [row]: the column by which it was reached */
    List cols, rows;    /* of one search */
} Bound;

static bool is_causal(const Choice *c, uint32_t col)
{
    return col < c->rows && c->causal[col];
}

static bool inputs_known(const Bound *b, uint32_t row, bool only_causal)
{
    Choice *c = b->c;
    for (uint32_t e = c->reads.start[row]; e < c->reads.start[row + 1]; e++) {
        uint32_t col = c->reads.to[e];
        c->work++;
        if (!b->known[col] && !(c->causal[row] && col == row) &&
            (!only_causal || is_causal(c, col)))
            return false;
    }
    return true;
}

/* What transmissions compute from known values; and which other rows are ready then. */
static bool pass_on(Bound *b)
{
    Choice *c = b->c;
    bool any = false;
    for (uint32_t i = 0; i < c->rows; i++)
        if (c->causal[i] && !b->known[i] && inputs_known(b, i, false))
            any = b->known[i] = true;
    for (uint32_t i = 0; i < c->rows; i++)
        b->ready[i] = !c->causal[i] && inputs_known(b, i, true);
    return any;
}

static void begin_matching(Bound *b)
{
    Choice *c = b->c;
    memset(b->own, 0xff, c->rows * sizeof *b->own);
    memset(b->by, 0xff, c->cols * sizeof *b->by);
    memset(b->reached, 0, c->rows);
    memset(b->over, 0, c->cols);
    for (uint32_t i = 0; i < c->rows; i++)
        if (b->ready[i] && !b->known[c->own[i]]) {
            b->own[i] = c->own[i];
            b->by[c->own[i]] = i;
        }
}

static void augment(Bound *b, uint32_t row)
{
    while (row != CHOICE_NONE) {
        uint32_t col = b->from[row], before = b->by[col];
        b->by[col] = row;
        b->own[row] = col;
        row = before;
    }
    for (uint32_t i = 0; i < b->rows.n; i++)
        b->reached[b->rows.at[i]] = false;
}

/* The rows that may compute `col` give it to one that computes nothing yet; if there is none, all
 * that was reached is left over: no later search comes by there. */
static void find_taker(Bound *b, uint32_t col)
{
    Choice *c = b->c;
    Mem *mem = c->d->mem;
    vec_clear(&b->cols);
    vec_clear(&b->rows);
    vec_push(mem, &b->cols, col);
    for (uint32_t i = 0; i < b->cols.n; i++) {
        col = b->cols.at[i];
        for (uint32_t e = c->takers.start[col]; e < c->takers.start[col + 1]; e++) {
            uint32_t row = c->takers.to[e];
            c->work++;
            if (!b->ready[row] || b->reached[row])
                continue;
            b->reached[row] = true;
            b->from[row] = col;
            vec_push(mem, &b->rows, row);
            if (b->own[row] == CHOICE_NONE) {
                augment(b, row);
                return;
            }
            vec_push(mem, &b->cols, b->own[row]);
        }
    }
    for (uint32_t i = 0; i < b->cols.n; i++)
        b->over[b->cols.at[i]] = true;
}

static void match_all(Bound *b)
{
    begin_matching(b);
    for (uint32_t i = 0; i < b->c->cols; i++)
        if (!b->known[i] && !is_causal(b->c, i) && b->by[i] == CHOICE_NONE)
            find_taker(b, i);
}

/* A row that reads what is left over computes nothing either, whatever it may compute. */
static bool drop_readers(Bound *b)
{
    Choice *c = b->c;
    bool any = false;
    for (uint32_t i = 0; i < c->rows; i++)
        for (uint32_t e = c->reads.start[i]; b->ready[i] && e < c->reads.start[i + 1]; e++) {
            c->work++;
            if (b->over[c->reads.to[e]]) {
                b->ready[i] = false;
                any = true;
            }
        }
    return any;
}

/* What the rows that are ready determine. */
static bool determine(Bound *b)
{
    Choice *c = b->c;
    bool any = false;
    do
        match_all(b);
    while (drop_readers(b));
    for (uint32_t i = 0; i < c->cols; i++)
        if (!b->known[i] && !is_causal(c, i) && !b->over[i])
            any = b->known[i] = true;
    return any;
}

static bool all_known(Bound *b)
{
    Choice *c = b->c;
    for (uint32_t i = 0; i < c->cols; i++)
        b->known[i] = c->der[i] && c->mark[i] != CHOICE_COMPUTED;
    for (bool more = true; more;) {
        more = pass_on(b);
        more |= determine(b);
    }
    return !memchr(b->known, false, c->cols);
}

/* Could it help to have all columns for states that may be some? */
static bool is_hopeful(Choice *c)
{
    Mem *mem = c->d->mem;
    bool *flags = mem_alloc(mem, 2 * ((size_t)c->rows + c->cols) + 1);
    uint32_t *room = mem_alloc(mem, (2 * (size_t)c->rows + c->cols + 1) * sizeof *room);
    Bound b = {.c = c,
               .known = flags,
               .over = flags + c->cols,
               .ready = flags + 2 * (size_t)c->cols,
               .reached = flags + 2 * (size_t)c->cols + c->rows,
               .own = room,
               .from = room + c->rows,
               .by = room + 2 * (size_t)c->rows};
    bool hopeful = all_known(&b);
    vec_free(mem, &b.cols);
    vec_free(mem, &b.rows);
    mem_free(mem, flags);
    mem_free(mem, room);
    return hopeful;
}

/* ---- the search ---- */

static bool search(Choice *c, uint32_t depth);

/* `col` is a state from now on; otherwise it is computed in all that is tried behind it. */
static bool try_state(Choice *c, uint32_t col, uint32_t depth)
{
    uint32_t trail = c->trail.n;
    c->mark[col] = CHOICE_STATE;
    if (exchange(c, col, UINT64_MAX) && search(c, depth - 1))
        return true;
    take_back(c, trail);
    c->mark[col] = CHOICE_COMPUTED;
    return false;
}

/* At most `depth` exchanges upon those made. */
static bool search(Choice *c, uint32_t depth)
{
    List helpers = {0};
    bool found = false;
    if (!is_false(c))
        return true;
    if (!is_hopeful(c))
        return false;
    if (!depth) {
        c->cut = true;
        return false;
    }
    list_helpers(c, &helpers);
    for (uint32_t i = 0; i < helpers.n && !found && c->work < MOST_WORK; i++)
        found = try_state(c, helpers.at[i], depth);
    for (uint32_t i = 0; i < helpers.n && !found; i++)
        c->mark[helpers.at[i]] = CHOICE_OPEN;
    vec_free(c->d->mem, &helpers);
    return found;
}

/* ---- preferences ---- */

static const uint64_t PREFERRED = (uint64_t)3 << 32, WELCOME = (uint64_t)1 << 32;

/* Preferred columns for lighter states. The heaviest come first: then none has to go again. */
static void prefer(Choice *c)
{
    for (uint64_t below = UINT64_MAX;;) {
        uint32_t next = CHOICE_NONE;
        for (uint32_t i = 0; i < c->cols; i++)
            if (c->weight[i] >= PREFERRED && c->weight[i] < below &&
                (next == CHOICE_NONE || c->weight[i] > c->weight[next]))
                next = i;
        if (next == CHOICE_NONE)
            return;
        below = c->weight[next];
        if (c->by[next] != CHOICE_NONE)
            exchange(c, next, below);
    }
}

static void keep_preferred(Choice *c)
{
    for (uint32_t i = 0; i < c->cols; i++)
        if (c->weight[i] >= PREFERRED && c->by[i] == CHOICE_NONE)
            c->mark[i] = CHOICE_STATE;
        else if (c->der[i] && c->weight[i] < WELCOME && c->by[i] != CHOICE_NONE)
            c->mark[i] = CHOICE_COMPUTED;
}

bool choice_search(Choice *c, bool keep)
{
    bool found = false;
    if (c->self)
        return false;
    prefer(c);
    if (keep)
        keep_preferred(c);
    c->cut = true;
    for (uint32_t depth = 1; !found && c->cut && c->work < MOST_WORK; depth++) {
        c->cut = false;
        found = search(c, depth);
    }
    return found;
}
