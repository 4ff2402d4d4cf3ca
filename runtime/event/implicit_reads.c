/* implicit_reads.c: an `if` -> does the branch that is there determine its own condition? See implicit.h. */
#include "runtime/event/implicit.h"

bool implicit_is(const Sim *sim, BranchId id)
{
    return world_branch_is_implicit(sim->world, id);
}

bool implicit_is_alike(const Sim *sim, BranchId a, BranchId b)
{
    WorldBranch x, y;
    if (sim->branches.at[a].condition == sim->branches.at[b].condition)
        return true;
    if (!world_branch(sim->world, a, &x) || !world_branch(sim->world, b, &y) || !x.relation ||
        !y.relation)
        return false;
    DdpRelView one = ddp_rel(sim->ddp, x.relation), other = ddp_rel(sim->ddp, y.relation);
    bool alike = one.form == other.form && one.n == other.n;
    for (uint32_t i = 0; alike && i < one.n; i++)
        alike = one.vars[i] == other.vars[i] ||
                (one.vars[i] == x.condition && other.vars[i] == y.condition);
    return alike;
}

static bool stands_in(const Sim *sim, DdpRel rel, BranchId id)
{
    BranchId at = world_rel_branch(sim->world, rel);
    while (at && at != id)
        at = world_branch_around(sim->world, at);
    return at == id;
}

static bool holds_part_of(const Sim *sim, const EvalNode *node, BranchId id)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (stands_in(sim, node->ops[i].rel, id))
            return true;
    return false;
}

/* Against the order of the schedule, from the condition. What was computed before a state is of another time. */
bool implicit_is_solved(Sim *sim, BranchId id)
{
    NodeList work = {0};
    DdpVar condition = sim->branches.at[id].condition;
    bool met = false;
    if (!implicit_is(sim, id) || !condition || !sim->info[condition].node)
        return false;
    sim->mark++;
    vec_push(sim->mem, &work, sim->info[condition].node);
    while (work.n && !met) {
        const EvalNode *node = &sim->nodes.at[vec_pop(&work)];
        met = holds_part_of(sim, node, id);
        for (uint32_t i = 0; i < node->n_reads && !met; i++) {
            const ValueInfo *info = &sim->info[node->reads[i].var];
            if (info->state || !info->node || sim->nodes.at[info->node].mark == sim->mark)
                continue;
            sim->nodes.at[info->node].mark = sim->mark;
            vec_push(sim->mem, &work, info->node);
        }
    }
    vec_free(sim->mem, &work);
    return met;
}
