/* implicit.c: an `if` whose condition depends on what its branches say -> may it be solved together with them? See implicit.h. */
#include "frontend/implicit.h"

#include "frontend/world_int.h"

typedef VEC(DdpVar) Vars;

typedef struct Content {
    World *world;
    Inst *inst;     /* that the `if` stands in */
    uint32_t depth; /* bodies between it and the one that is looked at */
    Vars derived;   /* variables outside of the branch that it differentiates */
} Content;

static bool content_fits(Content *c, Plan *plan);

static bool branch_fits(Content *c, const Op *op)
{
    return !op->when && !op->refs.at[0].movable && op->plan && op->other &&
           content_fits(c, op->plan) && content_fits(c, op->other);
}

/* What is derived inside of the branch is no business of the condition. */
static void note_derived(Content *c, const Ref *ref)
{
    if (ref->up < c->depth || ref->movable)
        return;
    Ref outside = *ref;
    outside.up -= c->depth;
    DdpVar var = follow_var(c->world, c->inst, &outside);
    if (var)
        vec_push(c->world->mem, &c->derived, var);
}

static bool op_fits(Content *c, const Op *op)
{
    switch (op->kind) {
    case OP_AUX:
    case OP_KNOWN:
    case OP_TEAR:
        return true;
    case OP_REL:
        return op->var_kind == DDP_EQUATION || op->defines;
    case OP_DER:
        note_derived(c, &op->refs.at[1]);
        return true;
    case OP_BRANCH:
        return branch_fits(c, op);
    default:
        return false;
    }
}

static bool content_fits(Content *c, Plan *plan)
{
    bool fits = true;
    plans_compile(c->world->plans, plan);
    c->depth++;
    for (uint32_t i = 0; i < plan->n_ops && fits; i++)
        fits = op_fits(c, &plan->ops[i]);
    c->depth--;
    return fits;
}

static bool contains(const Vars *vars, DdpVar var)
{
    for (uint32_t i = 0; i < vars->n; i++)
        if (vars->at[i] == var)
            return true;
    return false;
}

/* The Real variables that a condition reads, also through Boolean and Integer ones. */
static void read_reals(World *world, DdpVar condition, Vars *reals)
{
    Vars work = {0};
    Map seen = {0};
    vec_push(world->mem, &work, condition);
    while (work.n) {
        DdpVar var = vec_pop(&work);
        WorldVar view;
        if (!var || map_get(&seen, var))
            continue;
        map_put(world->mem, &seen, var, 1);
        if (world_var(world, var, &view) && view.type == TYPE_REAL) {
            vec_push(world->mem, reals, var);
            continue;
        }
        DdpNode node = ddp_node_of(world->ddp, var);
        DdpNodeView at = node ? ddp_node(world->ddp, node) : (DdpNodeView){0};
        for (uint32_t i = 0; i < at.n_steps; i++) {
            DdpRelView rel = ddp_rel(world->ddp, at.steps[i].rel);
            for (uint32_t k = 0; k < rel.n; k++)
                vec_push(world->mem, &work, rel.vars[k]);
        }
    }
    map_free(world->mem, &seen);
    vec_free(world->mem, &work);
}

static bool derive_alike(World *world, DdpVar condition, const Vars *a, const Vars *b)
{
    Vars reals = {0};
    bool alike = true;
    read_reals(world, condition, &reals);
    for (uint32_t i = 0; i < reals.n && alike; i++)
        alike = contains(a, reals.at[i]) == contains(b, reals.at[i]);
    vec_free(world->mem, &reals);
    return alike;
}

bool implicit_fits(World *world, BranchId id)
{
    const Branch *b = &world->branch.at[id];
    Inst *inst = world_at(world, b->inst);
    const Op *op = &inst->plan->ops[b->op];
    Content then = {world, inst, 0, {0}}, other = {world, inst, 0, {0}};
    bool fits = !op->when && !op->refs.at[0].movable && op->plan && op->other &&
                content_fits(&then, op->plan) && content_fits(&other, op->other);
    fits = fits && derive_alike(world, follow_var(world, inst, &op->refs.at[0]), &then.derived,
                                &other.derived);
    vec_free(world->mem, &then.derived);
    vec_free(world->mem, &other.derived);
    return fits;
}
