/* part_cut.c: what went -> parts that fell apart, each as a part of its own.
 *
 * From each vertex that lost a neighbour a search starts. All searches take turns, edge by edge, and
 * unite where they meet. A search that has seen all there is without meeting another one has found a
 * part of its own; when only one is left, it need not go on. So the cost is that of the smaller
 * pieces, or of the short way round, and not of the whole part. (The idea is that of Even and
 * Shiloach, An on-line edge-deletion problem, J. ACM 28, 1981.)
 *
 * Mostly nothing fell apart: what is left reads the same, or is small. So two walks of few steps are tried first, and where
 * one of them meets all these vertices no search is needed. */
#include "runtime/parts/part_graph_int.h"

#include <stdlib.h>

static const uint32_t STATE = 1u << 31; /* vertices: nodes, and states with this bit */

typedef struct Search {
    uint32_t up;           /* the search it was united with, or itself */
    bool alive;            /* something is left to look at */
    VEC(uint32_t) found;   /* vertices */
    uint32_t next;         /* to be looked at */
    VEC(ReadEdge *) edges; /* readers that are being looked at */
} Search;

typedef struct Searches {
    Sim *sim;
    VEC(Search) list;
    uint32_t stamp;
    uint32_t alive; /* not united, with something left to look at */
    uint32_t open;  /* not united */
} Searches;

static uint32_t root_of(Searches *s, uint32_t i)
{
    while (s->list.at[i].up != i)
        i = s->list.at[i].up = s->list.at[s->list.at[i].up].up;
    return i;
}

static bool has_more(const Search *search)
{
    return search->next < search->found.n || search->edges.n;
}

/* Group of a vertex in this search + 1, 0: not seen. */
static uint32_t *group_of(Searches *s, uint32_t vertex)
{
    Sim *sim = s->sim;
    uint32_t *seen, *group;
    if (vertex & STATE) {
        seen = &sim->info[vertex & ~STATE].seen;
        group = &sim->info[vertex & ~STATE].group;
    } else {
        seen = &sim->nodes.at[vertex].search.seen;
        group = &sim->nodes.at[vertex].search.group;
    }
    if (*seen != s->stamp)
        *group = 0;
    *seen = s->stamp;
    return group;
}

static void unite_searches(Searches *s, uint32_t a, uint32_t b)
{
    Mem *mem = s->sim->mem;
    a = root_of(s, a);
    b = root_of(s, b);
    if (a == b)
        return;
    uint32_t to = s->list.at[a].found.n < s->list.at[b].found.n ? b : a, from = to == a ? b : a;
    Search *x = &s->list.at[to], *y = &s->list.at[from];
    /* what was looked at already goes to the front, so that `next` divides it from the rest */
    uint32_t done = y->next;
    for (uint32_t i = 0; i < y->found.n; i++) {
        vec_push(mem, &x->found, y->found.at[i]);
        if (i < done) {
            uint32_t t = x->found.at[x->next];
            x->found.at[x->next++] = vec_last(&x->found);
            vec_last(&x->found) = t;
        }
    }
    for (uint32_t i = 0; i < y->edges.n; i++)
        vec_push(mem, &x->edges, y->edges.at[i]);
    y->up = to;
    s->open--;
    s->alive -= x->alive && y->alive;
    x->alive |= y->alive;
}

static void reach(Searches *s, uint32_t search, uint32_t vertex)
{
    uint32_t *group = group_of(s, vertex);
    search = root_of(s, search);
    if (*group) {
        unite_searches(s, *group - 1, search);
        return;
    }
    *group = search + 1;
    vec_push(s->sim->mem, &s->list.at[search].found, vertex);
}

static void reach_var(Searches *s, uint32_t search, DdpVar var)
{
    const ValueInfo *info = &s->sim->info[var];
    if (info->state)
        reach(s, search, STATE | var);
    else if (info->node && s->sim->nodes.at[info->node].part)
        reach(s, search, info->node);
}

/* What is on the other side of a variable: readers, later one by one, and states it is the slope of. */
static void look_behind(Searches *s, uint32_t search, DdpVar var)
{
    Sim *sim = s->sim;
    for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
        reach(s, search, STATE | state);
    if (sim->info[var].readers)
        vec_push(sim->mem, &s->list.at[root_of(s, search)].edges, sim->info[var].readers);
}

static void look_at_vertex(Searches *s, uint32_t search, uint32_t vertex)
{
    Sim *sim = s->sim;
    if (vertex & STATE) {
        DdpVar var = vertex & ~STATE;
        reach_var(s, search, sim->states.at[sim->info[var].state - 1].slope);
        look_behind(s, search, var);
        return;
    }
    const EvalNode *node = &sim->nodes.at[vertex];
    for (uint32_t i = 0; i < node->n_reads; i++)
        reach_var(s, search, node->reads[i].var);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        look_behind(s, search, node_output(node, i));
}

/* One vertex, or one reader. What is read first: that way leads to what many have in common, where
 * searches meet. */
static void go_on(Searches *s, uint32_t i)
{
    Search *search = &s->list.at[i];
    s->sim->work++;
    if (search->next < search->found.n) {
        look_at_vertex(s, i, search->found.at[search->next++]);
        return;
    }
    ReadEdge *edge = vec_last(&search->edges);
    if (edge->next)
        vec_last(&search->edges) = edge->next;
    else
        search->edges.n--;
    if (s->sim->nodes.at[edge->node].part)
        reach(s, i, edge->node);
}

static void split_off(Sim *sim, const Search *search)
{
    Part *part = part_new(sim);
    for (uint32_t i = 0; i < search->found.n; i++) {
        uint32_t vertex = search->found.at[i];
        if (vertex & STATE) {
            DdpVar var = vertex & ~STATE;
            part_add_state(part, part_drop_state(sim->info[var].part, var));
        } else {
            part_drop_node(sim->nodes.at[vertex].part, vertex);
            part_add_node(part, vertex);
        }
    }
}

/* Turns, until all searches have met, or have ended, or all but one. */
static void take_turns(Searches *s)
{
    while (s->open > 1 && s->alive > 1)
        for (uint32_t i = 0; i < s->list.n && s->open > 1 && s->alive > 1; i++) {
            if (s->list.at[i].up != i || !s->list.at[i].alive)
                continue;
            go_on(s, i);
            Search *root = &s->list.at[root_of(s, i)];
            if (root->alive && !has_more(root)) {
                root->alive = false;
                s->alive--;
            }
        }
}

typedef struct Seed {
    Part *part;
    uint32_t vertex;
    uint32_t index, order; /* of the part; of the seed */
} Seed;

/* ---- what holds together by what it reads ---- */

enum { CLIMB_VERTICES = 8 }; /* for each seed */

/* From all seeds to what they read, and on, as long as few vertices are met: thousands that feed on one tank read the same
 * state, which has too many readers to be looked at. */
typedef struct Climb {
    Searches marks; /* its stamp alone */
    VEC(uint32_t) found;
    VEC(uint32_t) up; /* [seed]: the one that it was united with, or itself */
    uint32_t open;    /* not united */
} Climb;

static uint32_t climb_root(const Climb *c, uint32_t i)
{
    while (c->up.at[i] != i)
        i = c->up.at[i] = c->up.at[c->up.at[i]];
    return i;
}

/* `seed` gets there. */
static void climb(Climb *c, uint32_t vertex, uint32_t seed)
{
    uint32_t *group = group_of(&c->marks, vertex);
    if (!*group) {
        *group = seed + 1;
        vec_push(c->marks.sim->mem, &c->found, vertex);
        return;
    }
    uint32_t a = climb_root(c, *group - 1), b = climb_root(c, seed);
    c->open -= a != b;
    c->up.at[b] = a;
}

static void climb_var(Climb *c, DdpVar var, uint32_t seed)
{
    const ValueInfo *info = &c->marks.sim->info[var];
    if (info->state)
        climb(c, STATE | var, seed);
    else if (info->node && c->marks.sim->nodes.at[info->node].part)
        climb(c, info->node, seed);
}

static void climb_from(Climb *c, uint32_t vertex)
{
    const Sim *sim = c->marks.sim;
    uint32_t seed = *group_of(&c->marks, vertex) - 1;
    if (vertex & STATE) {
        climb_var(c, sim->states.at[sim->info[vertex & ~STATE].state - 1].slope, seed);
        return;
    }
    const EvalNode *node = &sim->nodes.at[vertex];
    for (uint32_t i = 0; i < node->n_reads && c->open > 1; i++)
        climb_var(c, node->reads[i].var, seed);
}

/* True: all of them are connected. False: that was not found out. */
static bool read_the_same(Sim *sim, uint32_t n, const Seed *seeds)
{
    Climb c = {.marks = {.sim = sim, .stamp = ++sim->mark}, .open = n};
    vec_reserve(sim->mem, &c.up, n);
    for (uint32_t i = 0; i < n; i++) {
        c.up.at[c.up.n++] = i;
        climb(&c, seeds[i].vertex, i);
    }
    for (uint32_t i = 0; i < c.found.n && c.open > 1 && i < CLIMB_VERTICES * n; i++) {
        sim->work++;
        climb_from(&c, c.found.at[i]);
    }
    vec_free(sim->mem, &c.found);
    vec_free(sim->mem, &c.up);
    return c.open == 1;
}

/* ---- what holds together ---- */

enum { FLOOD_VERTICES = 128, FLOOD_EDGES = 1024, EDGES_EACH = 32 };
enum { UNSEEN, WANTED, REACHED }; /* *group_of() of a vertex */

/* A walk from one of the seeds, until it has met all others. Mostly the part is small, or what was cut has a short way
 * round: then this is all. */
typedef struct Flood {
    Searches marks; /* its stamp alone */
    uint32_t wanted, n;
    uint32_t edges; /* that it may still go along */
    uint32_t found[FLOOD_VERTICES];
} Flood;

static void flood(Flood *f, uint32_t vertex)
{
    uint32_t *group = group_of(&f->marks, vertex);
    f->edges -= f->edges > 0;
    if (*group == REACHED)
        return;
    f->wanted -= *group == WANTED;
    *group = REACHED;
    if (f->n == FLOOD_VERTICES)
        f->edges = 0; /* that is too many */
    else
        f->found[f->n++] = vertex;
}

static void flood_var(Flood *f, DdpVar var)
{
    const ValueInfo *info = &f->marks.sim->info[var];
    if (info->state)
        flood(f, STATE | var);
    else if (info->node && f->marks.sim->nodes.at[info->node].part)
        flood(f, info->node);
}

static void flood_behind(Flood *f, DdpVar var)
{
    const Sim *sim = f->marks.sim;
    for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
        flood(f, STATE | state);
    for (const ReadEdge *edge = sim->info[var].readers; edge && f->edges; edge = edge->next)
        if (sim->nodes.at[edge->node].part)
            flood(f, edge->node);
        else
            f->edges--;
}

static void flood_from(Flood *f, uint32_t vertex)
{
    const Sim *sim = f->marks.sim;
    if (vertex & STATE) {
        DdpVar var = vertex & ~STATE;
        flood_var(f, sim->states.at[sim->info[var].state - 1].slope);
        flood_behind(f, var);
        return;
    }
    const EvalNode *node = &sim->nodes.at[vertex];
    for (uint32_t i = 0; i < node->n_reads && f->edges; i++)
        flood_var(f, node->reads[i].var);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears && f->edges; i++)
        flood_behind(f, node_output(node, i));
}

/* True: all of them are connected. False: they are not, or that was not found out. */
static bool hold_together(Sim *sim, uint32_t n, const Seed *seeds)
{
    Flood f;
    f.marks = (Searches){.sim = sim, .stamp = ++sim->mark};
    f.wanted = f.n = 0;
    f.edges = n < FLOOD_EDGES / EDGES_EACH ? n * EDGES_EACH : FLOOD_EDGES;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *group = group_of(&f.marks, seeds[i].vertex);
        f.wanted += *group == UNSEEN;
        *group = WANTED;
    }
    flood(&f, seeds[0].vertex);
    for (uint32_t i = 0; i < f.n && f.wanted && f.edges; i++) {
        sim->work++;
        flood_from(&f, f.found[i]);
    }
    return !f.wanted;
}

/* Searches from these vertices of one part; those that end apart become parts. */
static void search_part(Sim *sim, uint32_t n, const Seed *seeds)
{
    if (read_the_same(sim, n, seeds) || hold_together(sim, n, seeds))
        return;
    Searches s = {.sim = sim, .stamp = ++sim->mark};
    for (uint32_t i = 0; i < n; i++) {
        if (*group_of(&s, seeds[i].vertex))
            continue;
        uint32_t own = s.list.n;
        vec_push(sim->mem, &s.list, ((Search){.up = own, .alive = true}));
        reach(&s, own, seeds[i].vertex);
    }
    s.alive = s.open = s.list.n;
    take_turns(&s);
    uint32_t largest = s.list.n; /* what stays: the one that did not end, or the largest */
    for (uint32_t i = 0; i < s.list.n; i++) {
        if (s.list.at[i].up != i)
            continue;
        if (s.list.at[i].alive) {
            largest = i;
            break;
        }
        if (largest == s.list.n || s.list.at[i].found.n > s.list.at[largest].found.n)
            largest = i;
    }
    for (uint32_t i = 0; i < s.list.n && s.open > 1; i++)
        if (s.list.at[i].up == i && i != largest)
            split_off(sim, &s.list.at[i]);
    for (uint32_t i = 0; i < s.list.n; i++) {
        vec_free(sim->mem, &s.list.at[i].found);
        vec_free(sim->mem, &s.list.at[i].edges);
    }
    vec_free(sim->mem, &s.list);
}

typedef VEC(Seed) Seeds;

static void add_seed(Sim *sim, Seeds *seeds, uint32_t vertex)
{
    uint32_t *mark =
        vertex & STATE ? &sim->info[vertex & ~STATE].seen : &sim->nodes.at[vertex].search.seen;
    Part *part = vertex & STATE ? sim->info[vertex & ~STATE].part : sim->nodes.at[vertex].part;
    if (*mark == sim->mark || !part)
        return;
    *mark = sim->mark;
    vec_push(sim->mem, seeds, ((Seed){part, vertex, part->index, seeds->n}));
}

/* A variable that connected nothing before may have joined parts now, but has left nobody alone. */
static void seeds_of_cut(Sim *sim, Seeds *seeds, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    if (!info->linked)
        return;
    if (info->state) {
        add_seed(sim, seeds, STATE | var);
    } else if (info->node && sim->nodes.at[info->node].part) {
        add_seed(sim, seeds, info->node);
    } else { /* it connected its readers, and does no longer */
        for (ReadEdge *edge = info->readers; edge; edge = edge->next)
            add_seed(sim, seeds, edge->node);
        for (DdpVar state = info->slope_of; state; state = sim->info[state].slope_next)
            add_seed(sim, seeds, STATE | state);
    }
}

/* Seeds of one part together, in the order they came. */
static int by_part(const void *a, const void *b)
{
    const Seed *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void part_cut_settle(Sim *sim)
{
    Seeds seeds = {0};
    sim->mark++;
    for (uint32_t i = 0; i < sim->loop.cuts.n; i++)
        seeds_of_cut(sim, &seeds, sim->loop.cuts.at[i]);
    bool sorted = true; /* mostly all are of one part */
    for (uint32_t i = 1; i < seeds.n && sorted; i++)
        sorted = seeds.at[i - 1].index <= seeds.at[i].index;
    if (!sorted)
        qsort(seeds.at, seeds.n, sizeof *seeds.at, by_part);
    for (uint32_t i = 0, end; i < seeds.n; i = end) {
        end = i;
        while (end < seeds.n && seeds.at[end].part == seeds.at[i].part)
            end++;
        if (end - i > 1)
            search_part(sim, end - i, &seeds.at[i]);
    }
    vec_free(sim->mem, &seeds);
}

#ifdef SOLSTICE_VERIFY
/* What a search from its first vertex finds has the size of the part. */
void part_cut_verify(Sim *sim, Part *part)
{
    Searches s = {.sim = sim, .stamp = ++sim->mark, .alive = 1, .open = 1};
    vec_push(sim->mem, &s.list, ((Search){0}));
    NodeList nodes = {0};
    node_order_list(sim, part->orders[0].n ? &part->orders[0] : &part->orders[1], &nodes);
    reach(&s, 0, part->states.n ? STATE | part->states.at[0].var : nodes.at[0]);
    while (has_more(&s.list.at[0]))
        go_on(&s, 0);
    part_must(s.list.at[0].found.n == part->states.n + part->orders[0].n + part->orders[1].n, "N3",
              part->index, "a part is not what is connected");
    vec_free(sim->mem, &nodes);
    vec_free(sim->mem, &s.list.at[0].found);
    vec_free(sim->mem, &s.list.at[0].edges);
    vec_free(sim->mem, &s.list);
}
#endif
