/* inline_match.c: relations of a plan and as many variables -> which relation determines which. See inline_plan_int.h.
 *
 * Forward causalization (ddp/causalize.c): a relation in which one variable is left determines it. Where that ends, the next
 * relation takes the variable that it can be solved for best; if none is left in it, relations along the shortest way to an open variable give
 * theirs up. A discretisation determines the derivative only where there is no other way: with h = 0 it cannot.
 */
#include "runtime/solve/inline_plan_int.h"

enum { NOBODY = UINT32_MAX };

typedef struct Edge {
    uint32_t var; /* index */
    uint8_t solvable;
    bool avoided;
} Edge;

typedef struct Matching {
    Mem *mem;
    uint32_t n;
    VEC(Edge) edges;
    uint32_t *first;       /* [n + 1]: of relation i, in edges */
    uint32_t *first_user;  /* [n + 1]: of variable v, in users */
    uint32_t *users;       /* relations that may determine it */
    uint32_t *var_of;      /* [n]: of each relation; NOBODY */
    uint32_t *rel_of;      /* [n]: of each variable; NOBODY */
    uint32_t *left;        /* [n]: of each relation: variables that nobody determines */
    uint32_t *from, *seen; /* [n]: of each variable: where a search met it; by which */
    uint32_t searches;
    VEC(uint32_t) queue;
} Matching;

static void add_edges(Matching *g, const InlineMaking *m, const InlineRel *rel,
                      const uint32_t *index_of)
{
    const FormInfo *info = form_info(m->sim->forms, rel->form);
    for (uint32_t k = 0; k < rel->n; k++) {
        uint32_t index = index_of[rel->vars[k]];
        if (!index || !info->position[k].steers)
            continue;
        bool avoided = rel->state && rel->vars[k] == m->plan->slope[rel->state - 1];
        vec_push(g->mem, &g->edges, ((Edge){index - 1, info->position[k].solvable, avoided}));
        g->first_user[index]++;
    }
}

static void read_relations(Matching *g, const InlineMaking *m, const uint32_t *rels,
                           const uint32_t *vars)
{
    uint32_t *index_of = mem_alloc(g->mem, m->vars.n * sizeof *index_of);
    for (uint32_t v = 0; v < g->n; v++)
        index_of[vars[v]] = v + 1;
    for (uint32_t i = 0; i < g->n; i++) {
        add_edges(g, m, &m->rels.at[rels[i]], index_of);
        g->first[i + 1] = g->edges.n;
        g->left[i] = g->edges.n - g->first[i];
    }
    for (uint32_t v = 0; v < g->n; v++)
        g->first_user[v + 1] += g->first_user[v];
    g->users = mem_alloc(g->mem, (g->edges.n + 1) * sizeof *g->users);
    uint32_t *next = g->from; /* not needed yet */
    for (uint32_t v = 0; v < g->n; v++)
        next[v] = g->first_user[v];
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
            g->users[next[g->edges.at[e].var]++] = i;
    mem_free(g->mem, index_of);
}

static void assign(Matching *g, uint32_t i, uint32_t v)
{
    g->var_of[i] = v;
    g->rel_of[v] = i;
    for (uint32_t k = g->first_user[v]; k < g->first_user[v + 1]; k++)
        if (--g->left[g->users[k]] == 1)
            vec_push(g->mem, &g->queue, g->users[k]);
}

/* Among the variables that nobody determines the one it can be solved for best. */
static uint32_t best_open(const Matching *g, uint32_t i)
{
    uint32_t best = NOBODY;
    int quality = -1;
    for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
        const Edge *edge = &g->edges.at[e];
        if (g->rel_of[edge->var] != NOBODY || edge->avoided || edge->solvable <= quality)
            continue;
        quality = edge->solvable;
        best = edge->var;
    }
    return best;
}

static void go_forward(Matching *g)
{
    for (uint32_t at = 0; at < g->queue.n; at++) {
        uint32_t i = g->queue.at[at];
        uint32_t v = g->var_of[i] == NOBODY ? best_open(g, i) : NOBODY;
        if (v != NOBODY)
            assign(g, i, v);
    }
    vec_clear(&g->queue);
}

/* A variable of the relation that nobody determines. */
static uint32_t look_at(Matching *g, uint32_t i, bool avoided_too)
{
    for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
        uint32_t v = g->edges.at[e].var;
        if (g->seen[v] == g->searches || (g->edges.at[e].avoided && !avoided_too))
            continue;
        g->seen[v] = g->searches;
        g->from[v] = i;
        if (g->rel_of[v] == NOBODY)
            return v;
        vec_push(g->mem, &g->queue, g->rel_of[v]);
    }
    return NOBODY;
}

static uint32_t search_from(Matching *g, uint32_t start, bool avoided_too)
{
    uint32_t open = NOBODY;
    g->searches++;
    vec_push(g->mem, &g->queue, start);
    for (uint32_t at = 0; at < g->queue.n && open == NOBODY; at++)
        open = look_at(g, g->queue.at[at], avoided_too);
    vec_clear(&g->queue);
    return open;
}

/* Each relation on the way takes the variable by which it was left. */
static void turn_way(Matching *g, uint32_t open)
{
    for (uint32_t v = open; v != NOBODY;) {
        uint32_t i = g->from[v], given_up = g->var_of[i];
        if (v == open) {
            assign(g, i, v);
        } else {
            g->var_of[i] = v;
            g->rel_of[v] = i;
        }
        v = given_up;
    }
}

static bool resolve(Matching *g, uint32_t i)
{
    uint32_t v = best_open(g, i);
    if (v != NOBODY) {
        assign(g, i, v);
        return true;
    }
    v = search_from(g, i, false);
    if (v == NOBODY)
        v = search_from(g, i, true);
    if (v != NOBODY)
        turn_way(g, v);
    return v != NOBODY;
}

static bool match_all(Matching *g)
{
    bool all = true;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->left[i] == 1)
            vec_push(g->mem, &g->queue, i);
    go_forward(g);
    for (uint32_t i = 0; i < g->n && all; i++) {
        all = g->var_of[i] != NOBODY || resolve(g, i);
        go_forward(g);
    }
    return all;
}

bool inline_match(InlineMaking *m, uint32_t n, const uint32_t *rels, const uint32_t *vars)
{
    Mem *mem = m->sim->mem;
    uint32_t *room = mem_alloc(mem, (7 * (size_t)n + 2) * sizeof *room);
    Matching g = {.mem = mem,
                  .n = n,
                  .first = room,
                  .first_user = room + n + 1,
                  .var_of = room + 2 * (size_t)n + 2,
                  .rel_of = room + 3 * (size_t)n + 2,
                  .left = room + 4 * (size_t)n + 2,
                  .from = room + 5 * (size_t)n + 2,
                  .seen = room + 6 * (size_t)n + 2};
    for (uint32_t i = 0; i < n; i++)
        g.var_of[i] = g.rel_of[i] = NOBODY;
    read_relations(&g, m, rels, vars);
    bool all = match_all(&g);
    for (uint32_t i = 0; i < n && all; i++) {
        m->rels.at[rels[i]].var = vars[g.var_of[i]];
        m->rel_of.at[vars[g.var_of[i]]] = rels[i] + 1;
    }
    vec_free(mem, &g.edges);
    vec_free(mem, &g.queue);
    mem_free(mem, g.users);
    mem_free(mem, room);
    return all;
}
