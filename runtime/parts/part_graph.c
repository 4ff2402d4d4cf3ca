/* part_graph.c: reads that come and go -> independent parts, as connected components kept up to date.
 *
 * Vertices are nodes of the dynamics and of conditions, and states. A node is connected with what it
 * reads as far as that varies and is a vertex: another node, or a state; a state is connected with
 * its slope. Parts are the connected components of this graph, exactly, so that they depend on the
 * structure alone and not on its history.
 *
 *   joining   a vertex that comes is united with the parts of its neighbours, the smaller part
 *             going over to the larger one.
 *   cutting   a vertex that goes leaves behind what it had connected, perhaps in several pieces
 *             (part_cut.c).
 *
 * Between two final commits nodes and states only note what happens to them; part_graph_settle does
 * the work. A part is brought to the time of the event before the first of its vertices goes, while
 * its integrator still fits its lists.
 */
#include "runtime/parts/part_graph_int.h"

#include <stdlib.h>

/* ---- what goes and comes ---- */

static void note_cut(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_reads; i++)
        vec_push(sim->mem, &sim->loop.cuts, node->reads[i].var);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        vec_push(sim->mem, &sim->loop.cuts, node_output(node, i));
}

void part_graph_take_out(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->part) {
        note_cut(sim, n);
        part_drop_node(node->part, n);
    }
    node_order_remove(sim, n);
    node->place = PLACE_NONE;
}

void part_graph_state_ends(Sim *sim, DdpVar var, DdpVar slope)
{
    Part *part = sim->info[var].part;
    if (part)
        part_drop_state(part, var);
    vec_push(sim->mem, &sim->loop.cuts, var);
    vec_push(sim->mem, &sim->loop.cuts, slope);
}

/* It finds its part when parts are settled. */
void part_graph_state_begins(Sim *sim, DdpVar var, DdpVar slope)
{
    vec_push(sim->mem, &sim->loop.cuts, var);
    vec_push(sim->mem, &sim->loop.cuts, slope);
}

/* ---- joining ---- */

bool part_graph_is_vertex(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return info->state || (info->node && sim->nodes.at[info->node].part);
}

Part *part_graph_part_of(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    if (info->state)
        return info->part;
    return info->node ? sim->nodes.at[info->node].part : NULL;
}

uint32_t part_graph_size(const Part *part)
{
    return part->orders[0].n + part->orders[1].n + part->orders[0].incoming.n +
           part->orders[1].incoming.n + part->states.n;
}

static void move_node_order(Part *to, Part *from, int which)
{
    Sim *sim = to->sim;
    NodeList nodes = {0};
    node_order_list(sim, &from->orders[which], &nodes);
    for (uint32_t i = 0; i < from->orders[which].incoming.n; i++)
        vec_push(sim->mem, &nodes, from->orders[which].incoming.at[i]);
    node_order_free(sim, &from->orders[which]);
    for (uint32_t i = 0; i < nodes.n; i++) {
        EvalNode *node = &sim->nodes.at[nodes.at[i]];
        if (!node->live || node->part != from)
            continue;
        node->in.watch = node->in.timer = node->in.root = 0;
        if (node->loop)
            node_loop(node)->inner = 0;
        part_add_node(to, nodes.at[i]);
    }
    vec_free(sim->mem, &nodes);
}

static Part *unite(Part *a, Part *b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    Part *to = part_graph_size(a) < part_graph_size(b) ? b : a, *from = to == a ? b : a;
    while (from->states.n)
        part_add_state(to, part_drop_state(from, vec_last(&from->states).var));
    move_node_order(to, from, 0);
    move_node_order(to, from, 1);
    if (!to->step)
        to->step = from->step;
    to->counts.steps += from->counts.steps;
    to->counts.restarts += from->counts.restarts;
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
        part = unite(part, part_graph_part_of(sim, node->reads[i].var));
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        part = unite_readers(sim, var, part);
        part = unite_slopes(sim, var, part);
    }
    part_add_node(part ? part : part_new(sim), n);
}

static void join_state(Sim *sim, DdpVar var)
{
    const StateInfo *state = &sim->states.at[sim->info[var].state - 1];
    Part *part = unite_readers(sim, var, part_graph_part_of(sim, state->slope));
    part = unite_slopes(sim, var, part);
    part_add_state(part ? part : part_new(sim),
                   (PartState){.var = state->var, .slope = state->slope});
}

/* What a node reads may have become a vertex after it, and may have been content with another reader. */
static void join_reads(Sim *sim, DdpNode n)
{
    for (uint32_t i = 0; sim->nodes.at[n].part && i < sim->nodes.at[n].n_reads; i++)
        unite(sim->nodes.at[n].part, part_graph_part_of(sim, sim->nodes.at[n].reads[i].var));
}

/* ---- who follows the clock ---- */

/* What variables are known to be decides what their readers are; whoever changes one of the two lists
 * the other as work. (Nodes that are made anew have forgotten what they were, their variables not.) */
static bool var_clocked(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return var == sim->clock || (!info->state && info->node && info->clocked);
}

bool part_graph_is_clocked(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++)
        if (var_clocked(sim, node->reads[i].var))
            return true;
    return false;
}

static void check_clocked(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    bool clocked = node->clocked = part_graph_is_clocked(sim, node);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        if (sim->info[var].clocked != clocked && !sim->info[var].state)
            vec_push(sim->mem, &sim->loop.clocked_work, var);
    }
}

static void spread_clocked(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loop.cuts.n; i++)
        vec_push(sim->mem, &sim->loop.clocked_work, sim->loop.cuts.at[i]);
    while (sim->loop.clocked_work.n) {
        DdpVar var = vec_pop(&sim->loop.clocked_work);
        ValueInfo *info = &sim->info[var];
        bool now = !info->state && info->node && sim->nodes.at[info->node].clocked;
        if (now == info->clocked)
            continue;
        info->clocked = now;
        for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next)
            check_clocked(sim, edge->node);
    }
}

/* ---- settling ---- */

/* Nodes that change from one class to another, or leave all. */
static void take_out_moved(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loop.unsettled.n; i++) {
        EvalNode *node = &sim->nodes.at[sim->loop.unsettled.at[i]];
        SolStatus status = SOL_OK;
        if (!node->live || node->place == node_place(node))
            continue;
        if (!node->part)
            status = evaluate_fetch(sim, node_output(node, 0), EVAL_EVENT);
        if (sim->loop.status == SOL_OK)
            sim->loop.status = status;
        part_graph_take_out(sim, sim->loop.unsettled.at[i]);
    }
}

static void put_in(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->place != PLACE_NONE) { /* it stays, and so does its order, whichever part has it */
        if (node->segment)
            node_order_probe(sim, node->segment);
        return;
    }
    node->place = node_place(node);
    if (node->place == PLACE_OUTPUTS)
        node_order_add(sim, &sim->outputs, n);
    else if (node->place != PLACE_NONE)
        join_node(sim, n);
}

/* Dynamics first, and states with them: who only looks at a state then finds it in its part, and needs none of its own. */
static void put_in_all(Sim *sim, bool dynamics)
{
    for (uint32_t i = 0; i < sim->loop.unsettled.n; i++) {
        DdpNode n = sim->loop.unsettled.at[i];
        EvalNode *node = &sim->nodes.at[n];
        if (!node->live || (node_place(node) == PLACE_DYNAMICS) != dynamics)
            continue;
        check_clocked(sim, n);
        put_in(sim, n);
    }
}

static void settle_links(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loop.cuts.n; i++)
        sim->info[sim->loop.cuts.at[i]].linked = part_graph_is_vertex(sim, sim->loop.cuts.at[i]);
    for (uint32_t i = 0; i < sim->loop.unsettled.n; i++) {
        const EvalNode *node = &sim->nodes.at[sim->loop.unsettled.at[i]];
        for (uint32_t k = 0; node->live && k < node->n_steps + node->n_tears; k++) {
            DdpVar var = node_output(node, k);
            sim->info[var].linked = part_graph_is_vertex(sim, var);
        }
    }
}

static int by_number(const void *a, const void *b)
{
    const DdpVar *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Where many states come they come ascending: then each is put at the end of its part, not in between. */
static void join_states(Sim *sim)
{
    enum { MANY = 500 };
    VEC(DdpVar) come = {0};
    for (uint32_t i = 0; i < sim->loop.cuts.n; i++) {
        const ValueInfo *info = &sim->info[sim->loop.cuts.at[i]];
        if (info->state && !info->part)
            vec_push(sim->mem, &come, sim->loop.cuts.at[i]);
    }
    if (come.n > MANY)
        qsort(come.at, come.n, sizeof *come.at, by_number);
    for (uint32_t i = 0; i < come.n; i++)
        if (!sim->info[come.at[i]].part)
            join_state(sim, come.at[i]);
    vec_free(sim->mem, &come);
}

void part_graph_settle(Sim *sim)
{
    part_verify_homes(sim);
    take_out_moved(sim);
    put_in_all(sim, true);
    join_states(sim);
    put_in_all(sim, false);
    for (uint32_t i = 0; i < sim->loop.unsettled.n; i++)
        join_reads(sim, sim->loop.unsettled.at[i]);
    part_verify_homes(sim);
    part_cut_settle(sim);
    settle_links(sim);
    spread_clocked(sim);
    vec_clear(&sim->loop.cuts);
    for (uint32_t i = 0; i < sim->loop.unsettled.n; i++)
        sim->nodes.at[sim->loop.unsettled.at[i]].listed = false;
    vec_clear(&sim->loop.unsettled);
    node_order_settle(sim, &sim->outputs);
    for (uint32_t i = sim->loop.touched.n; i-- > 0;) {
        Part *part = sim->loop.touched.at[i];
        node_order_settle(sim, &part->orders[0]);
        node_order_settle(sim, &part->orders[1]);
        if (!part_graph_size(part))
            part_free(part);
    }
#ifdef SOLSTICE_VERIFY
    part_graph_verify(sim);
#endif
}

const NodeList *part_graph_unsettled(const Sim *sim)
{
    return &sim->loop.unsettled;
}

void part_graph_unsettle(Sim *sim, DdpNode n)
{
    vec_push(sim->mem, &sim->loop.unsettled, n);
}

void part_graph_unclock(Sim *sim, DdpVar var)
{
    vec_push(sim->mem, &sim->loop.clocked_work, var);
}
