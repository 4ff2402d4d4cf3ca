/* part_graph.c: reads that come and go -> independent parts, as connected components kept up to date.
 *
 * Vertices are nodes of the dynamics and of conditions, and states. A node is connected with what it
 * reads as far as that varies and is a vertex: another node, or a state; a state is connected with
 * its slope. Parts are the connected components of this graph, exactly, so that they depend on the
 * structure alone and not on its history.
 *
 *   joining   a vertex that comes is united with the parts of its neighbours, the smaller part
 *             going over to the larger one.
 *   cutting   a vertex that goes leaves behind what it had connected. From each of these a search
 *             starts, all searches take turns, edge by edge, and unite where they meet. A search
 *             that has seen all there is without meeting another one has found a part of its own;
 *             when only one is left, it need not go on. So the cost is that of the smaller pieces,
 *             or of the short way round, and not of the whole part. (The idea is that of Even and
 *             Shiloach, An on-line edge-deletion problem, J. ACM 28, 1981.)
 *
 * Between two final commits nodes and states only note what happens to them; part_graph_settle does
 * the work. A part is brought to the time of the event before the first of its vertices goes, while
 * its integrator still fits its lists.
 */
#include "runtime/parts/parts.h"
#include "runtime/eval/tape.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists of a part ---- */

/* Each list knows its nodes and each node its place in it, so that leaving is cheap. */
static void enlist(Sim *sim, NodeList *list, DdpNode n, uint32_t *place)
{
    if (*place)
        return;
    vec_push(sim->mem, list, n);
    *place = list->n;
}

enum { LIST_WATCHED, LIST_TIMERS, LIST_ROOTS, LIST_INNER, LISTS };

static uint32_t *place_of(EvalNode *node, int which)
{
    uint32_t *places[] = {&node->watch, &node->timer, &node->root};
    return which == LIST_INNER ? &node_loop(node)->inner : places[which];
}

static NodeList *list_of(Part *part, int which)
{
    NodeList *lists[] = {&part->watched, &part->timers, &part->roots, &part->inner};
    return lists[which];
}

static void delist(Sim *sim, Part *part, DdpNode n, int which)
{
    if (which == LIST_INNER && !sim->nodes.at[n].loop)
        return;
    uint32_t *place = place_of(&sim->nodes.at[n], which);
    NodeList *list = list_of(part, which);
    if (!*place)
        return;
    DdpNode last = vec_pop(list);
    if (last != n) {
        list->at[*place - 1] = last;
        *place_of(&sim->nodes.at[last], which) = *place;
    }
    if (which == LIST_ROOTS)
        part->notes.at[*place - 1] = vec_pop(&part->notes);
    *place = 0;
}

static void enlist_root(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->root)
        return;
    enlist(sim, &part->roots, n, &node->root);
    bool single = node->n_steps + node->n_tears == 1;
    vec_push(sim->mem, &part->notes, ((RootNote){single ? node_output(node, 0) : 0, -1}));
}

static bool is_root(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (sim->info[node_output(node, i)].branches)
            return true;
    return false;
}

static bool has_compare(const EvalNode *node, bool timed)
{
    for (uint32_t k = 0; k < node->n_compares; k++)
        if (node->compare[k].timed == timed)
            return true;
    return false;
}

static void enlist_all(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (has_compare(node, false)) {
        enlist(sim, &part->watched, n, &node->watch);
        tape_compares_come(part, n);
    }
    if (has_compare(node, true))
        enlist(sim, &part->timers, n, &node->timer);
    if (is_root(sim, node))
        enlist_root(sim, part, n);
    if (node->loop)
        enlist(sim, &part->inner, n, &node_loop(node)->inner);
}

void part_graph_root(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->part)
        return;
    if (is_root(sim, node))
        enlist_root(sim, node->part, n);
    else
        delist(sim, node->part, n, LIST_ROOTS);
}

/* ---- states of a part, ascending ---- */

static uint32_t state_place(const Part *part, DdpVar var)
{
    uint32_t low = 0, high = part->states.n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (part->states.at[middle].var < var)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_state(Part *part, PartState state)
{
    part_disturb(part);
    uint32_t i = state_place(part, state.var);
    vec_push(part->sim->mem, &part->states, state);
    memmove(part->states.at + i + 1, part->states.at + i,
            (part->states.n - 1 - i) * sizeof *part->states.at);
    part->states.at[i] = state;
    part->states_version++;
    part->sim->info[state.var].part = part;
    part->restructured = true;
}

static PartState drop_state(Part *part, DdpVar var)
{
    part_disturb(part);
    uint32_t i = state_place(part, var);
    PartState state = part->states.at[i];
    memmove(part->states.at + i, part->states.at + i + 1,
            (--part->states.n - i) * sizeof *part->states.at);
    part->sim->info[var].part = NULL;
    part->states_version++;
    part->restructured = true;
    return state;
}

/* ---- nodes of a part ---- */

/* While its lists still fit its integrator. */
static void touch(Part *part, NodePlace place)
{
    part_search_again(part);
    if (place == PLACE_DYNAMICS) {
        part_disturb(part);
        part->restructured = true;
    }
}

static void add_node(Part *part, DdpNode n)
{
    Sim *sim = part->sim;
    EvalNode *node = &sim->nodes.at[n];
    sim->record.work++;
    touch(part, node->place);
    node->part = part;
    enlist_all(sim, part, n);
    rope_add(sim, &part->ropes[node->place - 1], n);
}

static void drop_from_part(Part *part, DdpNode n)
{
    Sim *sim = part->sim;
    EvalNode *node = &sim->nodes.at[n];
    touch(part, node->place);
    tape_compares_leave(part, node);
    for (int which = 0; which < LISTS; which++)
        delist(sim, part, n, which);
    rope_remove(sim, n);
    node->part = NULL;
}

static void note_cut(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_reads; i++)
        vec_push(sim->mem, &sim->build.cuts, node->reads[i].var);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        vec_push(sim->mem, &sim->build.cuts, node_output(node, i));
}

void part_graph_take_out(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->part) {
        note_cut(sim, n);
        drop_from_part(node->part, n);
    }
    rope_remove(sim, n);
    node->place = PLACE_NONE;
}

void part_graph_state_ends(Sim *sim, DdpVar var, DdpVar slope)
{
    Part *part = sim->info[var].part;
    if (part)
        drop_state(part, var);
    vec_push(sim->mem, &sim->build.cuts, var);
    vec_push(sim->mem, &sim->build.cuts, slope);
}

/* It finds its part when parts are settled. */
void part_graph_state_begins(Sim *sim, DdpVar var, DdpVar slope)
{
    vec_push(sim->mem, &sim->build.cuts, var);
    vec_push(sim->mem, &sim->build.cuts, slope);
}

/* ---- joining ---- */

static bool is_vertex(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return info->state || (info->node && sim->nodes.at[info->node].part);
}

static Part *part_of_var(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    if (info->state)
        return info->part;
    return info->node ? sim->nodes.at[info->node].part : NULL;
}

static uint32_t size_of(const Part *part)
{
    return part->ropes[0].n + part->ropes[1].n + part->ropes[0].incoming.n +
           part->ropes[1].incoming.n + part->states.n;
}

static void move_rope(Part *to, Part *from, int which)
{
    Sim *sim = to->sim;
    NodeList nodes = {0};
    rope_list(sim, &from->ropes[which], &nodes);
    for (uint32_t i = 0; i < from->ropes[which].incoming.n; i++)
        vec_push(sim->mem, &nodes, from->ropes[which].incoming.at[i]);
    rope_free(sim, &from->ropes[which]);
    for (uint32_t i = 0; i < nodes.n; i++) {
        EvalNode *node = &sim->nodes.at[nodes.at[i]];
        if (!node->live || node->part != from)
            continue;
        node->watch = node->timer = node->root = 0;
        if (node->loop)
            node_loop(node)->inner = 0;
        add_node(to, nodes.at[i]);
    }
    vec_free(sim->mem, &nodes);
}

static Part *unite(Part *a, Part *b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    Part *to = size_of(a) < size_of(b) ? b : a, *from = to == a ? b : a;
    while (from->states.n)
        add_state(to, drop_state(from, vec_last(&from->states).var));
    move_rope(to, from, 0);
    move_rope(to, from, 1);
    if (!to->step)
        to->step = from->step;
    to->steps += from->steps;
    to->restarts += from->restarts;
    part_free(from);
    return to;
}

/* Those who read `var`, now that it is a vertex. If it was one before, those who were there then are
 * together already, and one of them will do; those who have come since see to it themselves
 * (join_reads). */
static Part *unite_readers(Sim *sim, DdpVar var, Part *part)
{
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        Part *other = sim->nodes.at[edge->node].part;
        if (!other)
            continue;
        part = unite(part, other);
        if (sim->info[var].linked && !sim->nodes.at[edge->node].listed)
            break; /* one that was there before */
    }
    return part;
}

/* States of which it is the slope, if these have their parts. */
static Part *unite_slopes(Sim *sim, DdpVar var, Part *part)
{
    for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
        part = unite(part, sim->info[state].part);
    return part;
}

static void join_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    Part *part = NULL;
    for (uint32_t i = 0; i < node->n_reads; i++)
        part = unite(part, part_of_var(sim, node->reads[i].var));
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        part = unite_readers(sim, var, part);
        part = unite_slopes(sim, var, part);
    }
    add_node(part ? part : part_new(sim), n);
}

static void join_state(Sim *sim, DdpVar var)
{
    const StateInfo *state = &sim->states.at[sim->info[var].state - 1];
    Part *part = unite_readers(sim, var, part_of_var(sim, state->slope));
    part = unite_slopes(sim, var, part);
    add_state(part ? part : part_new(sim), (PartState){state->var, state->slope});
}

/* What a node reads may have become a vertex after it, and may have been content with another reader. */
static void join_reads(Sim *sim, DdpNode n)
{
    for (uint32_t i = 0; sim->nodes.at[n].part && i < sim->nodes.at[n].n_reads; i++)
        unite(sim->nodes.at[n].part, part_of_var(sim, sim->nodes.at[n].reads[i].var));
}

/* ---- cutting ---- */

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
        seen = &sim->nodes.at[vertex].seen;
        group = &sim->nodes.at[vertex].group;
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
    s->sim->record.work++;
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
            add_state(part, drop_state(sim->info[var].part, var));
        } else {
            drop_from_part(sim->nodes.at[vertex].part, vertex);
            add_node(part, vertex);
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

/* Searches from these vertices of one part; those that end apart become parts. */
static void search_part(Sim *sim, uint32_t n, const uint32_t *seeds)
{
    Searches s = {.sim = sim, .stamp = ++sim->mark};
    for (uint32_t i = 0; i < n; i++) {
        if (*group_of(&s, seeds[i]))
            continue;
        uint32_t own = s.list.n;
        vec_push(sim->mem, &s.list, ((Search){.up = own, .alive = true}));
        reach(&s, own, seeds[i]);
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

typedef struct Seed {
    Part *part;
    uint32_t vertex;
    uint32_t index, order; /* of the part; of the seed */
} Seed;

typedef VEC(Seed) Seeds;

static void add_seed(Sim *sim, Seeds *seeds, uint32_t vertex)
{
    uint32_t *mark =
        vertex & STATE ? &sim->info[vertex & ~STATE].seen : &sim->nodes.at[vertex].seen;
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

static void search_cuts(Sim *sim)
{
    Seeds seeds = {0};
    VEC(uint32_t) own = {0};
    sim->mark++;
    for (uint32_t i = 0; i < sim->build.cuts.n; i++)
        seeds_of_cut(sim, &seeds, sim->build.cuts.at[i]);
    if (seeds.n > 1)
        qsort(seeds.at, seeds.n, sizeof *seeds.at, by_part);
    for (uint32_t i = 0, end; i < seeds.n; i = end) {
        vec_clear(&own);
        for (end = i; end < seeds.n && seeds.at[end].part == seeds.at[i].part; end++)
            vec_push(sim->mem, &own, seeds.at[end].vertex);
        if (own.n > 1)
            search_part(sim, own.n, own.at);
    }
    vec_free(sim->mem, &own);
    vec_free(sim->mem, &seeds);
}

/* ---- who follows the clock ---- */

/* What variables are known to be decides what their readers are; whoever changes one of the two lists
 * the other as work. (Nodes that are made anew have forgotten what they were, their variables not.) */
static bool var_clocked(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return var == sim->clock || (!info->state && info->node && info->clocked);
}

static bool is_clocked(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++)
        if (var_clocked(sim, node->reads[i].var))
            return true;
    return false;
}

static void check_clocked(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    bool clocked = node->clocked = is_clocked(sim, node);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        if (sim->info[var].clocked != clocked && !sim->info[var].state)
            vec_push(sim->mem, &sim->build.clocked_work, var);
    }
}

static void spread_clocked(Sim *sim)
{
    for (uint32_t i = 0; i < sim->build.cuts.n; i++)
        vec_push(sim->mem, &sim->build.clocked_work, sim->build.cuts.at[i]);
    while (sim->build.clocked_work.n) {
        DdpVar var = vec_pop(&sim->build.clocked_work);
        ValueInfo *info = &sim->info[var];
        bool now = !info->state && info->node && sim->nodes.at[info->node].clocked;
        if (now == info->clocked)
            continue;
        info->clocked = now;
        for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next)
            check_clocked(sim, edge->node);
    }
}

/* ---- invariants ---- */

#ifdef SOLSTICE_VERIFY
#include <stdio.h>

static void must(bool holds, const char *invariant, uint32_t which, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: broken invariant %s: %u: %s\n", invariant, which, what);
    abort();
}

static Rope *rope_of(Sim *sim, const EvalNode *node)
{
    return node->part ? &node->part->ropes[node->place - 1] : &sim->outputs;
}

static void mark_incoming(Sim *sim, Rope *rope)
{
    for (uint32_t i = 0; i < rope->incoming.n; i++) {
        EvalNode *node = &sim->nodes.at[rope->incoming.at[i]];
        if (node->live && node->place != PLACE_NONE && rope_of(sim, node) == rope)
            node->mark = sim->mark;
    }
}

static void verify_lists(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    bool wanted[LISTS] = {has_compare(node, false), has_compare(node, true), is_root(sim, node),
                          node->loop};
    for (int which = 0; which < LISTS; which++) {
        if (which == LIST_INNER && !node->loop)
            continue;
        uint32_t place = *place_of(node, which);
        const NodeList *list = list_of(node->part, which);
        must(!!place == wanted[which], "N4", n, "a node is missing in a list of its part");
        must(!place || (place <= list->n && list->at[place - 1] == n), "N4", n,
             "a list does not have the node that is said to be in it");
    }
}

/* Whoever has a place is in a leaf of its rope, or on the way there, and its part is alive: always,
 * not only when parts are settled. */
static void verify_homes(Sim *sim)
{
    if (sim->nodes.n > 2000)
        return;
    sim->mark++;
    mark_incoming(sim, &sim->outputs);
    for (uint32_t i = 0; i < 2 * sim->parts.n; i++)
        mark_incoming(sim, &sim->parts.at[i / 2]->ropes[i % 2]);
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        const EvalNode *node = &sim->nodes.at[n];
        const Part *part = node->part;
        must(!part || (part->index < sim->parts.n && sim->parts.at[part->index] == part), "N4", n,
             "a node is in a part that is gone");
        if (!node->live || node->place == PLACE_NONE) {
            must(!part && !node->leaf, "N4", n, "a node without a place is somewhere");
            continue;
        }
        must(!part == (node->place == PLACE_OUTPUTS), "N4", n,
             "a node is in no part, or an output is");
        must(node->leaf ? node->leaf->chunk->rope == rope_of(sim, node) : node->mark == sim->mark,
             "N4", n, "a node is in no rope and not on the way to one");
        if (part)
            verify_lists(sim, n);
    }
}
#else
static void verify_homes(Sim *sim)
{
    (void)sim;
}
#endif

/* ---- settling ---- */

/* Nodes that change from one class to another, or leave all. */
static void take_out_moved(Sim *sim)
{
    for (uint32_t i = 0; i < sim->build.unsettled.n; i++) {
        EvalNode *node = &sim->nodes.at[sim->build.unsettled.at[i]];
        SolStatus status = SOL_OK;
        if (!node->live || node->place == evaluate_place(node))
            continue;
        if (!node->part)
            status = evaluate_fetch(sim, node_output(node, 0));
        if (sim->loop.status == SOL_OK)
            sim->loop.status = status;
        part_graph_take_out(sim, sim->build.unsettled.at[i]);
    }
}

static void put_in(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->place != PLACE_NONE) { /* it stays, and so does its rope, whichever part has it */
        if (node->leaf)
            rope_probe(sim, node->leaf);
        return;
    }
    node->place = evaluate_place(node);
    if (node->place == PLACE_OUTPUTS)
        rope_add(sim, &sim->outputs, n);
    else if (node->place != PLACE_NONE)
        join_node(sim, n);
}

static void settle_links(Sim *sim)
{
    for (uint32_t i = 0; i < sim->build.cuts.n; i++)
        sim->info[sim->build.cuts.at[i]].linked = is_vertex(sim, sim->build.cuts.at[i]);
    for (uint32_t i = 0; i < sim->build.unsettled.n; i++) {
        const EvalNode *node = &sim->nodes.at[sim->build.unsettled.at[i]];
        for (uint32_t k = 0; node->live && k < node->n_steps + node->n_tears; k++) {
            DdpVar var = node_output(node, k);
            sim->info[var].linked = is_vertex(sim, var);
        }
    }
}

void part_graph_settle(Sim *sim)
{
    verify_homes(sim);
    take_out_moved(sim);
    for (uint32_t i = 0; i < sim->build.unsettled.n; i++) {
        DdpNode n = sim->build.unsettled.at[i];
        if (sim->nodes.at[n].live) {
            check_clocked(sim, n);
            put_in(sim, n);
        }
    }
    for (uint32_t i = 0; i < sim->build.cuts.n; i++) {
        const ValueInfo *info = &sim->info[sim->build.cuts.at[i]];
        if (info->state && !info->part)
            join_state(sim, sim->build.cuts.at[i]);
    }
    for (uint32_t i = 0; i < sim->build.unsettled.n; i++)
        join_reads(sim, sim->build.unsettled.at[i]);
    verify_homes(sim);
    search_cuts(sim);
    settle_links(sim);
    spread_clocked(sim);
    vec_clear(&sim->build.cuts);
    for (uint32_t i = 0; i < sim->build.unsettled.n; i++)
        sim->nodes.at[sim->build.unsettled.at[i]].listed = false;
    vec_clear(&sim->build.unsettled);
    rope_settle(sim, &sim->outputs);
    for (uint32_t i = sim->loop.touched.n; i-- > 0;) {
        Part *part = sim->loop.touched.at[i];
        rope_settle(sim, &part->ropes[0]);
        rope_settle(sim, &part->ropes[1]);
        if (!size_of(part))
            part_free(part);
    }
#ifdef SOLSTICE_VERIFY
    part_graph_verify(sim);
#endif
}

#ifdef SOLSTICE_VERIFY
/* Every edge lies inside a part; and every part is connected: what a search from its first vertex
 * finds has its size. */
static void verify_edges(Sim *sim)
{
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        const EvalNode *node = &sim->nodes.at[n];
        bool wrong = node->live && node->place != evaluate_place(node);
        wrong |= node->live && (node->leaf != NULL) != (node->place != PLACE_NONE);
        wrong |= node->live && node->clocked != is_clocked(sim, node);
        for (uint32_t i = 0; node->live && node->part && i < node->n_reads; i++)
            wrong |= is_vertex(sim, node->reads[i].var) &&
                     part_of_var(sim, node->reads[i].var) != node->part;
        must(!wrong, "N2", n, "a node is not where it belongs");
    }
}

static void verify_part(Sim *sim, Part *part)
{
    Searches s = {.sim = sim, .stamp = ++sim->mark, .alive = 1, .open = 1};
    vec_push(sim->mem, &s.list, ((Search){0}));
    NodeList nodes = {0};
    rope_list(sim, part->ropes[0].n ? &part->ropes[0] : &part->ropes[1], &nodes);
    reach(&s, 0, part->states.n ? STATE | part->states.at[0].var : nodes.at[0]);
    while (has_more(&s.list.at[0]))
        go_on(&s, 0);
    must(s.list.at[0].found.n == part->states.n + part->ropes[0].n + part->ropes[1].n, "N3",
         part->index, "a part is not what is connected");
    vec_free(sim->mem, &nodes);
    vec_free(sim->mem, &s.list.at[0].found);
    vec_free(sim->mem, &s.list.at[0].edges);
    vec_free(sim->mem, &s.list);
}

void part_graph_verify(Sim *sim)
{
    if (sim->nodes.n > 2000)
        return;
    uint64_t work = sim->record.work; /* looking after it is no work of the event */
    verify_homes(sim);
    verify_edges(sim);
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (size_of(sim->parts.at[i]))
            verify_part(sim, sim->parts.at[i]);
    sim->record.work = work;
}
#endif
