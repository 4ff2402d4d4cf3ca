/* start_pattern.c: the schedule -> which rows of the start can depend on which columns; columns that share no row -> one colour; columns
 * that are tied by rows -> one group.
 *
 * Each node depends on what its reads depend on, so the columns of a row are found in one pass over the schedule. A sweep of
 * tangents gives all columns of a colour at once: conditions that concern one state each cost one sweep, a rod three. Parameters
 * reach what no read tells of, so each is a colour of its own and may be in every row.
 */
#include "runtime/event/start_int.h"

#include "base/map.h"

#include <string.h>

/* Columns that a variable depends on, in ascending order. */
typedef struct Columns {
    uint32_t n;
    const uint32_t *at;
} Columns;

/* Beyond that every row may depend on every column. */
enum { MOST_ENTRIES = 8000000 };

typedef struct Finder {
    const Starts *s;
    Arena *arena;
    uint32_t states; /* columns that are no parameters */
    Map set_of;      /* variable -> index of its set + 1 */
    VEC(Columns) sets;
    VEC(DdpNode) nodes; /* that depend on columns */
    VEC(uint32_t) node_column;
    uint64_t entries;
    uint32_t *merged; /* [states] */
} Finder;

static Columns columns_of(const Finder *f, DdpVar var)
{
    uint32_t set = var ? map_get(&f->set_of, var) : 0;
    return set ? f->sets.at[set - 1] : (Columns){0};
}

static uint32_t merge(const Columns *a, const Columns *b, uint32_t *to)
{
    uint32_t n = 0, i = 0, k = 0;
    while (i < a->n || k < b->n) {
        uint32_t next = k == b->n || (i < a->n && a->at[i] <= b->at[k]) ? a->at[i] : b->at[k];
        i += i < a->n && a->at[i] == next;
        k += k < b->n && b->at[k] == next;
        to[n++] = next;
    }
    return n;
}

/* Both, in memory of its own where it is neither of them. */
static Columns unite(Finder *f, Columns a, Columns b)
{
    if (!b.n || a.at == b.at)
        return a;
    if (!a.n)
        return b;
    uint32_t n = merge(&a, &b, f->merged);
    if (n == a.n)
        return a;
    if (n == b.n)
        return b;
    uint32_t *at = arena_alloc(f->arena, n * sizeof *at);
    memcpy(at, f->merged, n * sizeof *at);
    f->entries += n;
    return (Columns){n, at};
}

static void note_set(Finder *f, DdpVar var, uint32_t set)
{
    map_put(f->s->sim->mem, &f->set_of, var, set);
}

static void find_node(Finder *f, DdpNode n)
{
    const EvalNode *node = &f->s->sim->nodes.at[n];
    Columns all = {0};
    for (uint32_t i = 0; i < node->n_reads; i++)
        all = unite(f, all, columns_of(f, node->reads[i].var));
    if (!all.n)
        return;
    vec_push(f->s->sim->mem, &f->sets, all);
    vec_push(f->s->sim->mem, &f->nodes, n);
    vec_push(f->s->sim->mem, &f->node_column, all.at[0]);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        note_set(f, node_output(node, i), f->sets.n);
}

/* False: there are too many. */
static bool find_sets(Finder *f)
{
    const Sim *sim = f->s->sim;
    uint32_t *own = arena_alloc(f->arena, (f->states + 1) * sizeof *own);
    for (uint32_t c = 0; c < f->states; c++) {
        own[c] = c;
        vec_push(sim->mem, &f->sets, ((Columns){1, own + c}));
        note_set(f, f->s->column[c], f->sets.n);
    }
    const StartPattern *among = f->s->among;
    for (uint32_t i = 0; among && i < among->n_nodes; i++)
        find_node(f, among->node[i]);
    for (DdpNode n = among ? 0 : ddp_first(sim->ddp); n && f->entries <= MOST_ENTRIES;
         n = ddp_next(sim->ddp, n))
        if (sim->nodes.at[n].live)
            find_node(f, n);
    return f->entries <= MOST_ENTRIES;
}

/* Where not all was looked at, every node. */
static void note_nodes(Finder *f, StartPattern *p, bool known)
{
    const Sim *sim = f->s->sim;
    if (!known) {
        vec_clear(&f->nodes);
        vec_clear(&f->node_column);
        for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n)) {
            vec_push(sim->mem, &f->nodes, n);
            vec_push(sim->mem, &f->node_column, 0);
        }
    }
    p->n_nodes = f->nodes.n;
    p->node = arena_alloc(f->arena, (p->n_nodes + 1) * sizeof *p->node);
    p->node_column = arena_alloc(f->arena, (p->n_nodes + 1) * sizeof *p->node_column);
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        p->node[i] = f->nodes.at[i];
        p->node_column[i] = f->node_column.at[i];
    }
    vec_free(sim->mem, &f->nodes);
    vec_free(sim->mem, &f->node_column);
}

static void fill_row(Finder *f, StartPattern *p, uint32_t r, const Columns *of)
{
    uint32_t n = of->n;
    uint32_t *at = arena_alloc(f->arena, (n + f->s->n_params + 1) * sizeof *at);
    if (n)
        memcpy(at, of->at, n * sizeof *at);
    for (uint32_t c = f->states; c < f->s->n_columns; c++)
        at[n++] = c;
    p->row[r] = (StartColumns){n, at};
}

static void fill_rows(Finder *f, StartPattern *p, bool known)
{
    const Starts *s = f->s;
    uint32_t *all = arena_alloc(f->arena, (f->states + 1) * sizeof *all);
    for (uint32_t c = 0; c < f->states; c++)
        all[c] = c;
    for (uint32_t r = 0; r < s->n_rows; r++) {
        const StartRow *row = &s->row[r];
        Columns of = {f->states, all};
        if (known)
            of = unite(f, columns_of(f, row->var),
                       columns_of(f, row->start ? row->start->start : 0));
        fill_row(f, p, r, &of);
    }
}

/* ---- colours ---- */

typedef struct Rows {
    uint32_t *first, *at; /* of column c: at[first[c]] .. at[first[c + 1] - 1] */
} Rows;

static Rows rows_by_column(Arena *arena, const Starts *s, const StartPattern *p)
{
    Rows rows = {.first = arena_alloc(arena, (s->n_columns + 2) * sizeof *rows.first)};
    for (uint32_t r = 0; r < s->n_rows; r++)
        for (uint32_t k = 0; k < p->row[r].n; k++)
            rows.first[p->row[r].at[k] + 2]++;
    for (uint32_t c = 0; c < s->n_columns; c++)
        rows.first[c + 2] += rows.first[c + 1];
    rows.at = arena_alloc(arena, (rows.first[s->n_columns + 1] + 1) * sizeof *rows.at);
    for (uint32_t r = 0; r < s->n_rows; r++)
        for (uint32_t k = 0; k < p->row[r].n; k++)
            rows.at[rows.first[p->row[r].at[k] + 1]++] = r;
    return rows;
}

/* The first colour that no column has with which it shares a row. */
static void colour_columns(Arena *arena, const Starts *s, StartPattern *p)
{
    uint32_t states = s->n_columns - s->n_params;
    Rows rows = rows_by_column(arena, s, p);
    uint32_t *taken = arena_alloc(arena, (s->n_columns + 1) * sizeof *taken);
    p->colour = arena_alloc(arena, (s->n_columns + 1) * sizeof *p->colour);
    for (uint32_t c = 0; c < states; c++) {
        for (uint32_t i = rows.first[c]; i < rows.first[c + 1]; i++) {
            const StartColumns *row = &p->row[rows.at[i]];
            for (uint32_t k = 0; k < row->n && row->at[k] < c; k++)
                taken[p->colour[row->at[k]]] = c + 1;
        }
        while (taken[p->colour[c]] == c + 1)
            p->colour[c]++;
        if (p->colour[c] >= p->n_colours)
            p->n_colours = p->colour[c] + 1;
    }
    for (uint32_t c = states; c < s->n_columns; c++)
        p->colour[c] = p->n_colours++;
}

/* ---- groups ---- */

static uint32_t first_of(uint32_t *of, uint32_t i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

static void group_columns(Arena *arena, const Starts *s, StartPattern *p)
{
    uint32_t *of = arena_alloc(arena, (s->n_columns + 1) * sizeof *of);
    for (uint32_t c = 0; c < s->n_columns; c++)
        of[c] = c;
    for (uint32_t r = 0; r < s->n_rows; r++)
        for (uint32_t k = 1; k < p->row[r].n; k++)
            of[first_of(of, p->row[r].at[k])] = first_of(of, p->row[r].at[0]);
    p->group = arena_alloc(arena, (s->n_columns + 1) * sizeof *p->group);
    for (uint32_t c = 0; c < s->n_columns; c++) {
        uint32_t first = first_of(of, c);
        if (!p->group[first])
            p->group[first] = ++p->n_groups;
        p->group[c] = p->group[first];
    }
}

void start_find_pattern(Starts *s, Arena *arena)
{
    Mem *mem = s->sim->mem;
    StartPattern *p = &s->pattern;
    Finder f = {.s = s, .arena = arena, .states = s->n_columns - s->n_params};
    f.merged = arena_alloc(arena, (f.states + 1) * sizeof *f.merged);
    p->row = arena_alloc(arena, (s->n_rows + 1) * sizeof *p->row);
    bool known = find_sets(&f);
    note_nodes(&f, p, known);
    fill_rows(&f, p, known);
    vec_free(mem, &f.sets);
    map_free(mem, &f.set_of);
    colour_columns(arena, s, p);
    group_columns(arena, s, p);
}
