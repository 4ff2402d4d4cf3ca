/* inline_merge.c: relations x = y of a part -> one variable for all that are equal. See inline_plan.h.
 *
 * Connections make two thirds of the relations of a model that is built from a library. Nothing is to be sorted there, and in
 * chains of steps they would count as such. Who is left is a state rather than others, then who was differentiated most
 * often: the derivative of a state, as its equation names it. Two states are never one variable: each has its discretisation.
 */
#include "runtime/solve/inline_plan.h"

#include "runtime/solve/relation_form.h"

static uint32_t rank_of(const Sim *sim, DdpVar var)
{
    return sim->info[var].state ? UINT32_MAX : ddp_var(sim->ddp, var).order;
}

DdpVar inline_merged(const InlineMerge *merge, DdpVar var)
{
    for (uint32_t into; (into = map_get(&merge->into, var));)
        var = into;
    return var;
}

/* Solved for one variable the relation is another one, and the part determines both. */
static bool is_copy(const InlineMerge *merge, const EvalOp *op, const FormInfo *info,
                    DdpVar pair[2])
{
    for (uint32_t i = 0; i < info->n; i++) {
        const FormPosition *position = &info->position[i];
        if (!position->occurs || position->solvable != SOLVE_SAFE)
            continue;
        XNode value = x_node(merge->sim->forms, position->solved);
        pair[0] = op->vars[i];
        pair[1] = value.op == X_POS ? op->vars[value.a] : 0;
        return map_get(&merge->known, pair[0]) && map_get(&merge->known, pair[1]);
    }
    return false;
}

bool inline_merge_relation(InlineMerge *merge, const EvalNode *node, uint32_t at)
{
    Sim *sim = merge->sim;
    DdpVar pair[2];
    uint32_t n;
    const FormInfo *info = form_info(sim->forms, relation_form(sim, node, at, &n));
    if (!is_copy(merge, &node->ops[at], info, pair))
        return false;
    DdpVar a = inline_merged(merge, pair[0]), b = inline_merged(merge, pair[1]);
    if (a == b || (sim->info[a].state && sim->info[b].state))
        return false;
    uint32_t rank[2] = {rank_of(sim, a), rank_of(sim, b)};
    bool first = rank[0] != rank[1] ? rank[0] > rank[1] : a < b;
    map_put(sim->mem, &merge->into, first ? b : a, first ? a : b);
    return true;
}
