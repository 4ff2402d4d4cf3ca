/* loop_rest.c: a linear loop that leaves nothing but 0 for a place -> a warning.
 *
 * Gears of 2 and 2.000001 between the same shafts have a solution, rest, and it counts: nothing tells which of both was meant. But
 * nobody means it, so it is told, and by how much the factors miss each other.
 */
#include "runtime/eval/loop_rest.h"

#include "runtime/eval/loop_rank.h"
#include "runtime/eval/rank_system.h"

#include <math.h>
#include <stdio.h>

static const double NEARLY = 1e-2;

static uint32_t size_of(const EvalNode *node)
{
    return node->n_steps + node->n_tears;
}

/* Of the variables of a loop one whose derivatives exist, and which is none itself; else 0. */
static DdpVar place_in(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < size_of(node); i++) {
        DdpVar var = node_output(node, i);
        if (ddp_level_above(sim->ddp, var) && ddp_level_root(sim->ddp, var) == var)
            return var;
    }
    return 0;
}

/* Is 0 a solution? Then a regular linear loop has no other. */
static bool holds_at_zero(Sim *sim, const EvalNode *node)
{
    RankSystem s = rank_system_of_loop(sim, node);
    bool holds = rank_system_holds_at_zero(&s);
    rank_system_close(&s);
    return holds;
}

static bool is_told(Sim *sim, Place at)
{
    bool told = map_get(&sim->eval.rests_told, at) != 0;
    map_put(sim->mem, &sim->eval.rests_told, at, 1);
    return told;
}

static void tell_rest(Sim *sim, const EvalNode *node, DdpVar var)
{
    char who[400] = "", agree[100] = "";
    DdpRel *rels = mem_alloc(sim->mem, size_of(node) * sizeof *rels);
    for (uint32_t i = 0; i < size_of(node); i++)
        rels[i] = node->ops[i].rel;
    Place at = world_rel_place(sim->world, rels[0]);
    if (world_components(sim->world, size_of(node), rels, who, sizeof who) && !is_told(sim, at)) {
        double off = loop_rank_distance(sim, node);
        if (off < NEARLY)
            snprintf(agree, sizeof agree, "; a change of their factors by %.1g would let it move",
                     off);
        diag_warning(sim->diags, at, "%s leave only 0 for '%s': it stands still%s", who,
                     explain_var(sim, var), agree);
    }
    mem_free(sim->mem, rels);
}

static void look_at(Sim *sim, const EvalNode *node)
{
    if (!node->live || !node->loop || !node->linear || !node->determined || node->varies)
        return;
    DdpVar var = place_in(sim, node);
    if (var && holds_at_zero(sim, node))
        tell_rest(sim, node, var);
}

void loop_rest_tell(Sim *sim, const NodeList *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        look_at(sim, &sim->nodes.at[list->at[i]]);
}
