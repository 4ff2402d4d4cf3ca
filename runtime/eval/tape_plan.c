/* tape_plan.c: a segment, or the comparisons of a node -> its shape, and the variable at each slot.
 *
 * A plan is made once and kept with the segment or node until that changes; it says nothing about
 * other segments. Copies inside a segment are no part of its shape: who reads the copy reads the origin.
 */
#include "runtime/eval/tape_int.h"

#include "base/map.h"

#include <string.h>

/* The variable that an explicit node copies, or 0. */
static DdpVar copied(const Sim *sim, const EvalNode *node)
{
    const EvalOp *op = &node->ops[0];
    XNode x = x_node(sim->forms, op->value);
    return x.op != X_POS ? 0 : op->vars[x.a];
}

/* Of the items in Engine.items, with room for copies. */
static SegmentPlan *new_plan(Sim *sim, uint32_t n_copies)
{
    Engine *engine = sim->engine;
    ShapeUse use = {0};
    if (engine->items.n)
        use = shape_of(engine->shapes, engine->items.n, engine->items.at, engine->origin.at);
    uint32_t n = use.shape ? use.shape->n_slots : 0;
    SegmentPlan *plan = mem_alloc(sim->mem, sizeof *plan + 2 * n * sizeof *plan->var +
                                                2 * n_copies * sizeof *plan->copy);
    plan->origin = plan->var + n;
    plan->copy = plan->origin + n;
    if (!use.shape)
        return plan;
    plan->shape = use.shape;
    plan->constants = use.constants;
    plan->pattern = use.id;
    shape_keep(engine->shapes, use.id);
    plan->key = hash_bytes(use.constants, use.shape->n_constants * sizeof *use.constants,
                           use.shape->hash[0]);
    plan->n = n;
    memcpy(plan->var, use.slots, n * sizeof *plan->var);
    return plan;
}

void tape_plan_free(Sim *sim, SegmentPlan *plan)
{
    if (plan && plan->shape)
        shape_drop(sim->engine->shapes, plan->pattern);
    mem_free(sim->mem, plan);
}

/* Every variable, and the numbers behind them that stand for hidden results, is its own origin. */
static void need_origins(Engine *engine, uint32_t hidden)
{
    uint32_t need = engine->sim->n_values + hidden;
    vec_reserve(engine->sim->mem, &engine->origin, need);
    while (engine->origin.n < need) {
        engine->origin.at[engine->origin.n] = engine->origin.n;
        engine->origin.n++;
    }
}

SegmentPlan *tape_plan_segment(Sim *sim, const Segment *segment)
{
    Engine *engine = sim->engine;
    need_origins(engine, 0);
    vec_clear(&engine->items);
    for (uint32_t i = 0; i < segment->nodes.n; i++) {
        const EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
        const EvalOp *op = &node->ops[0];
        DdpVar from = copied(sim, node);
        if (from)
            engine->origin.at[op->target] = engine->origin.at[from];
        else
            vec_push(sim->mem, &engine->items, ((ShapeItem){op->target, op->value, op->vars}));
    }
    SegmentPlan *plan = new_plan(sim, segment->nodes.n - engine->items.n);
    plan->segment = segment;
    for (uint32_t i = 0; i < segment->nodes.n; i++) {
        const EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
        DdpVar target = node->ops[0].target, from = copied(sim, node);
        engine->origin.at[target] = target;
        if (!from)
            continue;
        plan->copy[2 * plan->n_copies] = target;
        plan->copy[2 * plan->n_copies++ + 1] = from;
    }
    return plan;
}

SegmentPlan *tape_plan_compares(Sim *sim, const EvalNode *node)
{
    Engine *engine = sim->engine;
    uint32_t first = sim->n_values;
    need_origins(engine, 2 * node->n_compares);
    vec_clear(&engine->items);
    for (uint32_t k = 0; k < node->n_compares; k++) {
        const Compare *compare = &node->compare[k];
        const uint32_t *vars = node->ops[compare->op].vars;
        if (compare->timed)
            continue;
        vec_push(sim->mem, &engine->items, ((ShapeItem){first + 2 * k, compare->self, vars}));
        if (compare->difference)
            vec_push(sim->mem, &engine->items,
                     ((ShapeItem){first + 2 * k + 1, compare->difference, vars}));
    }
    SegmentPlan *plan = new_plan(sim, 0);
    for (uint32_t s = 0; s < plan->n; s++)
        if (plan->shape->role[s] != SLOT_FUNCTION && plan->var[s] >= first)
            plan->var[s] = HIDDEN | (plan->var[s] - first);
    return plan;
}
