/* live_graph.c: a variable -> the part of the causality graph around it: blocks it follows from, and blocks that follow from
 * it. A block determines one variable, or several in a loop; a variable that no block determines (a state, something
 * held or given, the clock) stands for itself. */
#include "runtime/sim/live.h"

#include <string.h>

enum { TEXT = 300, VAR_BIT = 1 << 30 };

typedef struct Seat {
    uint32_t id; /* of a block, or VAR_BIT and a variable */
    int depth;
} Seat;

typedef struct Walk {
    Sim *sim;
    const SolGraph *to;
    Map seen; /* id -> 1 */
    VEC(Seat) todo;
    uint32_t n;
} Walk;

/* A state stands for itself: what determines it is its past. */
static uint32_t place_of(const Sim *sim, DdpVar var)
{
    DdpNode node = sim->info[var].state ? 0 : sim->info[var].node;
    return node ? node : VAR_BIT | var;
}

static DdpVar variable_of(const Sim *sim, uint32_t id)
{
    return id & VAR_BIT ? id & ~(uint32_t)VAR_BIT : node_output(&sim->nodes.at[id], 0);
}

static SolBlockKind kind_of(const Sim *sim, uint32_t id)
{
    DdpVar var = variable_of(sim, id);
    if (!(id & VAR_BIT))
        return sim->nodes.at[id].loop ? SOL_BLOCK_LOOP : SOL_BLOCK_EQUATION;
    if (sim->info[var].state)
        return SOL_BLOCK_STATE;
    DdpVarKind kind = ddp_var(sim->ddp, var).kind;
    return kind == DDP_TIME    ? SOL_BLOCK_CLOCK
           : kind == DDP_KNOWN ? SOL_BLOCK_GIVEN
                               : SOL_BLOCK_HELD;
}

static bool visit(Walk *w, uint32_t id, int depth)
{
    if (map_get(&w->seen, id))
        return true;
    if (w->n == w->to->most)
        return false;
    map_put(w->sim->mem, &w->seen, id, 1);
    w->n++;
    vec_push(w->sim->mem, &w->todo, ((Seat){id, depth}));
    return true;
}

static void tell_block(Walk *w, Seat place)
{
    Sim *sim = w->sim;
    DdpVar var = variable_of(sim, place.id);
    char path[TEXT], text[TEXT] = "";
    bool block = !(place.id & VAR_BIT);
    const EvalNode *node = block ? &sim->nodes.at[place.id] : NULL;
    world_var_path(sim->world, var, path, sizeof path);
    if (node && node->n_steps + node->n_tears)
        world_rel_text(sim->world, node->ops[0].rel, text, sizeof text);
    bool has = evaluate_fetch(sim, var, EVAL_PLAIN) == SOL_OK && sim->info[var].has;
    SolBlock told = {.id = place.id,
                     .kind = kind_of(sim, place.id),
                     .var = var,
                     .path = path,
                     .text = text,
                     .has_value = has,
                     .value = has ? sim->value[var] : 0,
                     .variables = node ? node->n_steps + node->n_tears : 1,
                     .depth = place.depth,
                     .made = node ? node->made : 0};
    w->to->block(w->to->context, &told);
}

static void tell_edge(Walk *w, uint32_t from, uint32_t to, bool integrates)
{
    if (from != to && map_get(&w->seen, from) && map_get(&w->seen, to))
        w->to->edge(w->to->context, from, to, integrates);
}

static DdpVar slope_of(const Sim *sim, DdpVar state)
{
    return sim->states.at[sim->info[state].state - 1].slope;
}

static void visit_causes(Walk *w, Seat at)
{
    Sim *sim = w->sim;
    DdpVar var = variable_of(sim, at.id);
    if (at.id & VAR_BIT) {
        if (sim->info[var].state)
            visit(w, place_of(sim, slope_of(sim, var)), at.depth - 1);
        return;
    }
    for (uint32_t i = 0; i < sim->nodes.at[at.id].n_reads; i++)
        visit(w, place_of(sim, sim->nodes.at[at.id].reads[i].var), at.depth - 1);
}

static void visit_effects(Walk *w, Seat at)
{
    Sim *sim = w->sim;
    const EvalNode *node = at.id & VAR_BIT ? NULL : &sim->nodes.at[at.id];
    uint32_t n = node ? node->n_steps + node->n_tears : 1;
    for (uint32_t i = 0; i < n; i++) {
        DdpVar var = node ? node_output(node, i) : variable_of(sim, at.id);
        for (const ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next)
            visit(w, edge->node, at.depth + 1);
        for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
            visit(w, place_of(sim, state), at.depth + 1);
    }
}

static void tell_edges(Walk *w, Seat at)
{
    Sim *sim = w->sim;
    DdpVar var = variable_of(sim, at.id);
    if (at.id & VAR_BIT) {
        if (sim->info[var].state)
            tell_edge(w, place_of(sim, slope_of(sim, var)), at.id, true);
        return;
    }
    for (uint32_t i = 0; i < sim->nodes.at[at.id].n_reads; i++)
        tell_edge(w, place_of(sim, sim->nodes.at[at.id].reads[i].var), at.id, false);
}

static void walk(Walk *w, DdpVar var, int depth)
{
    visit(w, place_of(w->sim, var), 0);
    for (uint32_t i = 0; i < w->todo.n; i++) {
        Seat at = w->todo.at[i];
        if (at.depth <= 0 && at.depth > -depth)
            visit_causes(w, at);
        if (at.depth >= 0 && at.depth < depth)
            visit_effects(w, at);
    }
    for (uint32_t i = 0; i < w->todo.n; i++)
        tell_block(w, w->todo.at[i]);
    for (uint32_t i = 0; i < w->todo.n; i++)
        tell_edges(w, w->todo.at[i]);
    vec_free(w->sim->mem, &w->todo);
    map_free(w->sim->mem, &w->seen);
}

SolStatus sol_graph(Sol *sol, SolVar var, uint32_t depth, const SolGraph *to)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    SolStatus status = sol_init(sol);
    if (status != SOL_OK && status != SOL_USAGE && status != SOL_CANCELLED)
        return status;
    if (!sim->world || !var || !ddp_var_used(sim->ddp, var))
        return SOL_USAGE;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    walk(&(Walk){.sim = sim, .to = to}, var, (int)depth);
    mem_guard_pop(sim->mem, &guard);
    return SOL_OK;
}
