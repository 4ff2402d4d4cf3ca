/* mode_trace.c: what the search over modes asks of the structure. See mode_search.h. */
#include "runtime/event/mode_trace.h"

/* ---- combinations ---- */

/* Values that are equal up to rounding are one: what is transmitted again comes out of a loop. */
static uint64_t value_sign(double value)
{
    float rough = (float)value + 0.0F;
    return hash_bytes(&rough, sizeof rough, 1);
}

/* Branches that are there, and what is held. */
uint64_t mode_combination(const Sim *sim)
{
    uint64_t sum = 0;
    WorldBranch view;
    for (BranchId id = 1; id < sim->branches.n; id++)
        if (sim->branches.at[id].live && world_branch(sim->world, id, &view))
            sum += hash_u64((uint64_t)id << 8 | view.choice);
    for (DdpVar var = 1; var < ddp_var_limit(sim->ddp); var++)
        if (ddp_var_used(sim->ddp, var) && ddp_var(sim->ddp, var).kind == DDP_HELD)
            sum += hash_u64((uint64_t)var << 32 ^ value_sign(sim->value[var]));
    return sum;
}

/* Gosper. */
uint32_t mode_next_subset(uint32_t bits, uint32_t n)
{
    if (!bits)
        return n ? 1 : 0;
    uint32_t lowest = bits & -bits, ripple = bits + lowest;
    uint32_t next = ripple | ((bits ^ ripple) >> 2) / lowest;
    if (next < UINT32_C(1) << n)
        return next;
    uint32_t count = (uint32_t)__builtin_popcount(bits) + 1;
    return count <= n ? (UINT32_C(1) << count) - 1 : 0;
}

/* ---- what conditions depend on ---- */

static bool is_timed(const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_compares; i++)
        if (!node->compare[i].timed)
            return false;
    return node->n_compares > 0;
}

/* Does it depend on what moves? The clock stands still in an event: who compares nothing else is as
 * fixed as what is held. */
bool mode_moves(Sim *sim, DdpNode first)
{
    NodeList work = {0};
    bool found = false;
    sim->mark++;
    vec_push(sim->mem, &work, first);
    while (work.n && !found) {
        const EvalNode *node = &sim->nodes.at[vec_pop(&work)];
        bool timed = is_timed(node);
        found = node->loop || (node->n_compares && !timed);
        for (uint32_t i = 0; i < node->n_reads && !found; i++) {
            ValueInfo *info = &sim->info[node->reads[i].var];
            found = info->state || (node->reads[i].var == sim->clock && !timed);
            if (info->mark == sim->mark || !info->node || !sim->nodes.at[info->node].varies)
                continue;
            info->mark = sim->mark;
            vec_push(sim->mem, &work, info->node);
        }
    }
    vec_free(sim->mem, &work);
    return found;
}

/* Its condition depends on what moves, and it takes a branch. */
bool mode_can_wait(Sim *sim, const WorldDecision *decision)
{
    const BranchMemo *memo = &sim->branches.at[decision->branch];
    if (memo->when && decision->choice != WORLD_THEN)
        return false;
    DdpNode node = memo->condition ? sim->info[memo->condition].node : 0;
    return node && sim->nodes.at[node].varies && mode_moves(sim, node);
}

/* Adds to `known` what varies and determines the condition at this time, states excepted; or only asks
 * whether some of it is known. */
bool mode_trace_condition(Sim *sim, BranchId id, Map *known, bool ask)
{
    NodeList work = {0};
    bool met = false;
    DdpVar condition = sim->branches.at[id].condition;
    sim->mark++;
    if (condition && sim->info[condition].node)
        vec_push(sim->mem, &work, sim->info[condition].node);
    while (work.n && !met) {
        DdpNode n = vec_pop(&work);
        const EvalNode *node = &sim->nodes.at[n];
        met = ask && map_get(known, n);
        if (!ask)
            map_put(sim->mem, known, n, 1);
        for (uint32_t i = 0; i < node->n_reads; i++) {
            ValueInfo *info = &sim->info[node->reads[i].var];
            if (info->mark == sim->mark || !info->node || !sim->nodes.at[info->node].varies)
                continue;
            info->mark = sim->mark;
            vec_push(sim->mem, &work, info->node);
        }
    }
    vec_free(sim->mem, &work);
    return met;
}
