/* initial_aside.c: equations of `if initial()` that are too many -> conditions on where states begin.
 *
 * In the update in which something is born, an equation under `if initial()` may say where it begins: x = 3, der(x) = 0. For the DDP
 * that is one equation too many, because der says how x goes on. So such an equation is set aside (ddp_set_aside): its variable is what
 * the two sides are apart, and whoever gives states their values makes that 0 (runtime/event/start_solve.c). Equations under
 * `if initial()` that are needed, because nothing else determines what they name, stay what they are.
 */
#include "frontend/world_int.h"

static bool is_pulse(const World *world, DdpVar var)
{
    double value = 0;
    OwnerInfo info = var < world->var.n ? world->var.at[var] : (OwnerInfo){0};
    if (info.tag != OWNER_INST)
        return false;
    const Inst *inst = world_at(world, info.who);
    const Op *op = &inst->plan->ops[inst->plan->word_op[info.what]];
    return op->kind == OP_INITIAL && world->host.read(world->host.context, var, &value) && value;
}

/* Does the condition of the branch read initial(), in the update in which that is true? */
static bool is_initial_branch(const World *world, BranchId branch)
{
    WorldBranch view;
    if (!world_branch(world, branch, &view) || view.when || view.newborn)
        return false;
    if (is_pulse(world, view.condition))
        return true;
    DdpRelView rel = view.relation ? ddp_rel(world->ddp, view.relation) : (DdpRelView){0};
    for (uint32_t i = 0; i < rel.n; i++)
        if (rel.vars[i] && is_pulse(world, rel.vars[i]))
            return true;
    return false;
}

bool world_rel_initial(const World *world, DdpRel rel)
{
    if (ddp_rel(world->ddp, rel).kind != DDP_EQUATION)
        return false;
    for (BranchId id = world_rel_branch(world, rel); id; id = world_branch_around(world, id))
        if (is_initial_branch(world, id))
            return true;
    return false;
}

/* An equation that holds at one time has no derivative: the sooner it is set aside if it took the place of a state, or determines nothing. */
static int haste(const World *world, DdpRel rel)
{
    DdpVar var = ddp_causality(world->ddp, rel);
    return !var                                                                       ? 1
           : ddp_level_candidate(world->ddp, var) || ddp_level_above(world->ddp, var) ? 2
                                                                                      : 0;
}

typedef VEC(DdpRel) RelList;

/* Of those that are too many: one that took the place of a state; else all that determine nothing, whose going changes nothing for the
 * others; else one of the rest. */
static void find_hasty(World *world, RelList *hasty)
{
    DdpPart over = ddp_diagnose(world->ddp).over;
    DdpCombination made;
    int most = -1;
    for (uint32_t i = 0; i < over.n_rels; i++) {
        DdpRel rel = over.rels[i];
        if (!world_rel_initial(world, rel) || ddp_combination(world->ddp, rel, &made))
            continue;
        int own = haste(world, rel);
        if (own > most)
            vec_clear(hasty);
        if (own > most || (own == most && own == 1))
            vec_push(world->mem, hasty, rel);
        most = own > most ? own : most;
    }
}

bool world_set_initial_aside(World *world, const DdpResult *result)
{
    RelList hasty = {0};
    if (result->verdict != DDP_OVERDETERMINED)
        return false;
    find_hasty(world, &hasty);
    bool any = hasty.n > 0, fine = true;
    for (uint32_t i = 0; i < hasty.n && fine; i++)
        fine = world_set_aside(world, hasty.at[i], 0, NULL, true);
    vec_free(world->mem, &hasty);
    return any && fine;
}
