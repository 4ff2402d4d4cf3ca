/* birth_value.c: expressions over variables -> values at birth (parameters, start values,
 * intervals).
 *
 * A value counts when the host has one: at an event that of the update before. At the start nothing
 * was evaluated yet; so where the host has no value, a transmission outside of branches that
 * determines the variable is evaluated on the spot, and what it depends on, up to a bounded depth.
 */
#include "frontend/resolve_int.h"
#include "frontend/world_int.h"

#include <math.h>

enum { DEPTH = 64 };

static bool value_of(World *world, Inst *scope, X x, const RefList *refs, uint32_t first,
                     uint32_t depth, double *out, const Ref **unknown);

/* Does transmission `op` of `at` determine the variable, and what value does it give? */
static bool value_from(World *world, Inst *at, const Op *op, DdpVar var, uint32_t depth,
                       double *out)
{
    const Ref *unknown;
    if (op->kind != OP_REL || op->var_kind != DDP_TRANSMISSION || op->condition)
        return false;
    if (follow_var(world, at, &op->refs.at[0]) != var)
        return false;
    X rhs = form_info(world->forms, op->form)->rhs;
    return value_of(world, at, rhs, &op->refs, 1, depth + 1, out, &unknown);
}

/* Looks for a transmission in the bodies from the owner of the variable outwards. */
static bool value_transmitted(World *world, DdpVar var, uint32_t depth, double *out)
{
    OwnerInfo info = world->var.at[var];
    if (info.tag != OWNER_INST || depth > DEPTH)
        return false;
    const Member *m = NULL;
    Inst *at = world_at(world, info.who);
    const Op *made = &at->plan->ops[at->plan->word_op[info.what]];
    m = made->member;
    for (uint32_t up = 0; m && at && up < DEPTH; up++) {
        for (uint32_t i = 0; i < at->plan->n_ops; i++)
            if (value_from(world, at, &at->plan->ops[i], var, depth, out))
                return true;
        at = at->owner ? world_at(world, at->owner) : NULL;
    }
    return false;
}

/* What a held variable that is just being born holds counts only where no transmission determines
 * it (U3). */
static bool is_fresh_held(const World *world, DdpVar var)
{
    OwnerInfo info = world->var.at[var];
    return info.tag == OWNER_INST && ddp_var(world->ddp, var).kind == DDP_HELD &&
           world_at(world, info.who)->task == world->task && !world_at(world, info.who)->copied;
}

static bool value_read(World *world, DdpVar var, uint32_t depth, double *out)
{
    world->free.read |= free_is(world, var);
    if (is_fresh_held(world, var) && value_transmitted(world, var, depth, out))
        return true;
    return world->host.read(world->host.context, var, out) ||
           value_transmitted(world, var, depth, out);
}

/* The elements of a row, and of rows in it, in their order. Sizes are few: recursion is bounded by them. */
static bool fold(World *world, Inst *row, XOp op, uint32_t depth, double *out)
{
    Target at = {0};
    double value;
    for (int64_t i = 1; row_find(world, row, i, &at); i++) {
        uint32_t word = at.inst->word[at.word];
        bool inner = at.inst->plan->ops[at.word].kind == OP_PART;
        if (inner && !fold(world, world_at(world, word), op, depth, out))
            return false;
        if (!inner && !value_read(world, word, depth, &value))
            return false;
        if (!inner)
            *out = op == X_ADD   ? *out + value
                   : op == X_MUL ? *out * value
                   : op == X_MIN ? fmin(*out, value)
                                 : fmax(*out, value);
    }
    return true;
}

/* A variable, the size of an array, or the number of the element that is born. */
static bool ref_value(World *world, Inst *scope, const Ref *ref, uint32_t depth, double *out)
{
    if (ref->up == REF_INDEX) {
        if (world->element)
            *out = row_born(world, world->element, world->element_word, ref->n);
        return world->element;
    }
    if (ref->size) {
        Target t = follow(world, scope, ref);
        if (list_is_whole(&t)) {
            *out = t.inst->word[t.word + LIST_COUNT];
            return true;
        }
        Inst *row = follow_inst(world, scope, ref);
        if (ref->size > SIZE_FOLDS) {
            *out = loop_of_nothing(ref->size - 1u - SIZE_FOLDS, TYPE_REAL);
            return row && fold(world, row, ref->size - 1u - SIZE_FOLDS, depth, out);
        }
        return row && row_size(world, row, ref->size - 1u, out);
    }
    DdpVar var = follow_var(world, scope, ref);
    return var && value_read(world, var, depth, out);
}

static double no_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    (void)context, (void)function, (void)n, (void)args;
    return 0;
}

static bool value_of(World *world, Inst *scope, X x, const RefList *refs, uint32_t first,
                     uint32_t depth, double *out, const Ref **unknown)
{
    XNode node = x_node(world->forms, x);
    if (node.op == X_CONST) {
        *out = node.k;
        return true;
    }
    uint32_t base = world->values_scratch.n, places = world->vars_scratch.n;
    vec_reserve(world->mem, &world->vars_scratch, places + refs->n + 1);
    for (uint32_t i = 0; i < refs->n; i++) {
        vec_push(world->mem, &world->values_scratch, 0.0);
        vec_push(world->mem, &world->vars_scratch, base + i);
    }
    bool known = true;
    for (uint32_t i = first; i < refs->n && known; i++) {
        double value = 0;
        known = ref_value(world, scope, &refs->at[i], depth, &value);
        world->values_scratch.at[base + i] = value;
        if (!known)
            *unknown = &refs->at[i];
    }
    if (known)
        *out = x_value(world->forms, x, &world->vars_scratch.at[places], world->values_scratch.at,
                       world->host.foreign ? world->host.foreign : no_foreign, world->host.context);
    world->values_scratch.n = base;
    world->vars_scratch.n = places;
    return known;
}

bool birth_value_x(World *world, Inst *scope, const PlanValue *value, X x, double *out)
{
    const Ref *unknown = NULL;
    return value_of(world, scope, x, &value->refs, 0, 0, out, &unknown);
}

bool birth_value(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                 double *out)
{
    bool reads_free, known = birth_value_of(world, scope, value, parameter, out, &reads_free);
    if (known && reads_free)
        world_fail(
            world, value->at,
            "this must be known at instantiation, but it depends on a parameter that initial "
            "conditions determine (fixed << false)");
    return known && !reads_free;
}

bool birth_value_of(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                    double *out, bool *reads_free)
{
    const Ref *unknown = NULL;
    *out = 0;
    world->free.read = false;
    bool known = value_of(world, scope, value->x, &value->refs, 0, 0, out, &unknown);
    *reads_free = world->free.read;
    if (known)
        return true;
    if (parameter)
        world_fail(world, value->at, "parameter '%s' is not known at instantiation", parameter);
    else
        world_fail(world, value->at, "this value is not known at instantiation");
    if (unknown && unknown->n) {
        const Member *m = unknown->step[unknown->n - 1].member;
        world_remark(world, unknown->at, "'%s' has no value yet",
                     m ? intern_text(program_names(world->program), m->name) : "an expression");
    }
    return false;
}
