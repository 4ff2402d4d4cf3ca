/* part_verify.c: nodes, states, parts -> whether each is where it belongs. Builds with verifiers. */
#include "runtime/parts/part_graph_int.h"

#ifdef SOLSTICE_VERIFY
#include <stdio.h>
#include <stdlib.h>

void part_must(bool holds, const char *invariant, uint32_t which, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: broken invariant %s: %u: %s\n", invariant, which, what);
    abort();
}

static NodeOrder *node_order_of(Sim *sim, const EvalNode *node)
{
    return node->part ? &node->part->orders[node->place - 1] : &sim->outputs;
}

static void mark_incoming(Sim *sim, NodeOrder *order)
{
    for (uint32_t i = 0; i < order->incoming.n; i++) {
        EvalNode *node = &sim->nodes.at[order->incoming.at[i]];
        if (node->live && node->place != PLACE_NONE && node_order_of(sim, node) == order)
            node->mark = sim->mark;
    }
}

/* Whoever has a place is in a segment of its order, or on the way there, and its part is alive: always,
 * not only when parts are settled. */
void part_verify_homes(Sim *sim)
{
    if (sim->nodes.n > 2000)
        return;
    sim->mark++;
    mark_incoming(sim, &sim->outputs);
    for (uint32_t i = 0; i < 2 * sim->parts.n; i++)
        mark_incoming(sim, &sim->parts.at[i / 2]->orders[i % 2]);
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        const EvalNode *node = &sim->nodes.at[n];
        const Part *part = node->part;
        part_must(!part || (part->index < sim->parts.n && sim->parts.at[part->index] == part), "N4",
                  n, "a node is in a part that is gone");
        if (!node->live || node->place == PLACE_NONE) {
            part_must(!part && !node->segment, "N4", n, "a node without a place is somewhere");
            continue;
        }
        part_must(!part == (node->place == PLACE_OUTPUTS), "N4", n,
                  "a node is in no part, or an output is");
        part_must(node->segment ? node->segment->chunk->order == node_order_of(sim, node)
                                : node->mark == sim->mark,
                  "N4", n, "a node is in no order and not on the way to one");
        if (part)
            part_verify_lists(sim, n);
    }
}

/* Every edge lies inside a part. */
static void verify_edges(Sim *sim)
{
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        const EvalNode *node = &sim->nodes.at[n];
        bool wrong = node->live && node->place != node_place(node);
        wrong |= node->live && (node->segment != NULL) != (node->place != PLACE_NONE);
        wrong |= node->live && node->clocked != part_graph_is_clocked(sim, node);
        for (uint32_t i = 0; node->live && node->part && i < node->n_reads; i++)
            wrong |= part_graph_is_vertex(sim, node->reads[i].var) &&
                     part_graph_part_of(sim, node->reads[i].var) != node->part;
        part_must(!wrong, "N2", n, "a node is not where it belongs");
    }
}

void part_graph_verify(Sim *sim)
{
    if (sim->nodes.n > 2000)
        return;
    uint64_t work = sim->work; /* looking after it is no work of the event */
    part_verify_homes(sim);
    verify_edges(sim);
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (part_graph_size(sim->parts.at[i]))
            part_cut_verify(sim, sim->parts.at[i]);
    sim->work = work;
}
#endif
